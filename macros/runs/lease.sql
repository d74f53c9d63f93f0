{# Gives the leases that are there: the `schema` of their tables, their `relations` by number, and what the `newest` one
   says. #}
{% macro leases() %}
    {% set schema = "`" ~ graph.nodes["model.ticdc.int_ticdc__changes"].schema ~ "`" %}
    {% set numbers, found = [], {"relations": {}, "newest": {}, "schema": schema} %}
    {% for row in run_query("show tables in " ~ schema ~ " like 'ticdc__lease_*'").rows %}
        {% set number = row[1].rpartition("_")[2] %}
        {% if number.isdigit() %}{% do numbers.append(number | int) %}{% endif %}
    {% endfor %}
    {% for number in numbers | sort %}
        {% do found.relations.update({number: schema ~ ".ticdc__lease_" ~ number}) %}
    {% endfor %}
    {% if numbers %}
        {% set newest = numbers | max %}
        {% for row in run_query("show tblproperties " ~ found.relations[newest]).rows if row[0] == "ticdc.lease" %}
            {% do found.newest.update(fromjson("".encode().fromhex(row[1]).decode()), number=newest) %}
        {% endfor %}
    {% endif %}
    {% do return(found) %}
{% endmacro %}

{# Takes the right to write the package's tables, and gives what it says; an error where another run has it. Old leases,
   which have ended, are dropped. #}
{% macro take_lease() %}
    {% set minutes, now = var("ticdc__lease_minutes", 60), modules.datetime.datetime.now(modules.pytz.utc) %}
    {% set leases = ticdc.leases() %}
    {% do ticdc.check_lease_is_free(leases.newest, now) %}
    {% set lease = {
        "number": (leases.relations.keys() | max | default(0)) + 1,
        "who": (
            "dbt " ~ flags.WHICH ~ " " ~ invocation_id ~ " of " ~ env_var("USER", "an unnamed user")
            ~ ", target " ~ target.name
        ),
        "since": now.strftime("%Y-%m-%d %H:%M:%S UTC"),
        "until": now.timestamp() + minutes * 60,
    } %}
    {% set relation = leases.schema ~ ".ticdc__lease_" ~ lease.number %}
    {% set property = "('ticdc.lease' = '" ~ tojson(lease).encode().hex() ~ "')" %}
    {# of two that come at once the catalogue lets one make the table; in hex, as Spark hides a text that holds "url" or
       "token", which names of users and hosts may #}
    {% set taken = run_query(
        "begin declare exit handler for sqlexception select false as is_taken; create table " ~ relation
        ~ " (run_id bigint) using parquet tblproperties " ~ property ~ "; select true as is_taken; end"
    ).rows[0][0] %}
    {% if not taken %}
        {% do ticdc.check_lease_is_free(ticdc.leases().newest, now) %}
        {% do exceptions.raise_compiler_error(
            "ticdc: the lease " ~ relation ~ " cannot be taken, and no run holds it: may this user create tables there?"
        ) %}
    {% endif %}
    {% for before in leases.relations.values() %}{% do run_query("drop table if exists " ~ before) %}{% endfor %}
    {% do return(dict(lease, relation=relation, renewed=now.timestamp())) %}
{% endmacro %}

{# Raises an error that says who holds the lease, since when and for how long, where somebody does. #}
{% macro check_lease_is_free(lease, now) %}
    {% if lease and lease.until > now.timestamp() %}
        {% do exceptions.raise_compiler_error(
            "ticdc: another run builds these tables: " ~ lease.who ~ ", since " ~ lease.since ~ "; its lease ends in "
            ~ ((lease.until - now.timestamp()) / 60) | round(0, "ceil") | int ~ " minute(s) unless it goes on. Wait"
            ~ " for its end. It is over where its process is gone, or where target/run_results.json of its project has"
            ~ " its id, as after a hook of another project that failed: then, where no statement of it runs on, dbt"
            ~ " run-operation ticdc.release_lease ends its lease"
        ) %}
    {% endif %}
{% endmacro %}

{# Renews the lease of this run where a quarter of its time is over, or so many seconds; an error where it ended and
   somebody took it. #}
{% macro keep_lease(after=none) %}
    {% set lease, now = ticdc.memory().get("lease"), modules.datetime.datetime.now(modules.pytz.utc).timestamp() %}
    {% set seconds = var("ticdc__lease_minutes", 60) * 60 %}
    {% if lease and now > lease.renewed + [after or seconds, seconds / 4] | min %}
        {% set newest = ticdc.leases().newest %}
        {# numbers begin anew where somebody released all leases #}
        {% if newest.get("number") != lease.number or newest.who != lease.who %}
            {% do exceptions.raise_compiler_error(
                "ticdc: the lease of this run ended, and " ~ newest.get("who", "somebody") ~ " took or released it:"
                ~ " this run stops (ticdc__lease_minutes, " ~ seconds // 60
                ~ ", must be longer than the longest statement)"
            ) %}
        {% endif %}
        {% do lease.update({"renewed": now, "until": now + seconds}) %}
        {% set property = "('ticdc.lease' = '" ~ tojson(lease).encode().hex() ~ "')" %}
        {% do run_query("alter table " ~ lease.relation ~ " set tblproperties " ~ property) %}
    {% endif %}
{% endmacro %}
