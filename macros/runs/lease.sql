{# Gives the leases that are there: their `tables` by number, and what the `newest` one says; nothing where there is
   none. #}
{% macro leases() %}
    {% set schema = "`" ~ graph.nodes["model.ticdc.int_ticdc__changes"].schema ~ "`" %}
    {% set tables, newest = {}, {} %}
    {% for row in run_query("show tables in " ~ schema ~ " like 'ticdc__lease_*'").rows %}
        {% set number = row[1].rpartition("_")[2] %}
        {% if number.isdigit() %}{% do tables.update({number | int: schema ~ "." ~ row[1]}) %}{% endif %}
    {% endfor %}
    {% set number = tables | max | default(0) %}
    {% for property, told in (run_query("show tblproperties " ~ tables[number]).rows if tables else []) %}
        {% if property == "ticdc.lease" %}
            {% do newest.update(fromjson("".encode().fromhex(told).decode()), number=number) %}
        {% endif %}
    {% endfor %}
    {% do return({"schema": schema, "tables": tables, "newest": newest}) %}
{% endmacro %}

{# Takes the right to write the package's tables, and gives what it says; where another run has it, an error says which
   one, since when and for how long. Old leases, which have ended, are dropped. #}
{% macro take_lease() %}
    {% set minutes, now = var("ticdc__lease_minutes", 60), modules.datetime.datetime.now(modules.pytz.utc) %}
    {% set taken, run = {}, "dbt " ~ flags.WHICH ~ " " ~ invocation_id %}
    {% set lease = {
        "who": run ~ " of " ~ env_var("USER", "an unnamed user") ~ ", target " ~ target.name,
        "since": now.strftime("%Y-%m-%d %H:%M:%S UTC"),
        "until": now.timestamp() + minutes * 60,
    } %}
    {# once more, as another run may take it between the question and the statement #}
    {% for _ in range(2) if not taken %}
        {% set leases = ticdc.leases() %}
        {% set held = leases.newest if leases.newest.get("until", 0) > now.timestamp() %}
        {% if held %}
            {% do exceptions.raise_compiler_error(
                "ticdc: another run builds these tables: " ~ held.who ~ ", since " ~ held.since ~ "; its lease ends in "
                ~ ((held.until - now.timestamp()) / 60) | round(0, "ceil") | int ~ " minute(s) unless it goes on. Wait"
                ~ " for its end. It is over where its process is gone, or where target/run_results.json of its project"
                ~ " has its id, as after a hook of another project that failed: then, where no statement of it runs"
                ~ " on, dbt run-operation ticdc.release_lease ends its lease"
            ) %}
        {% endif %}
        {% do lease.update({"number": (leases.tables | max | default(0)) + 1}) %}
        {% do lease.update({"relation": leases.schema ~ ".ticdc__lease_" ~ lease.number}) %}
        {% set property = "('ticdc.lease' = '" ~ tojson(lease).encode().hex() ~ "')" %}
        {# of two that come at once the catalogue lets one make the table; in hex, as Spark hides a text that holds
           "url" or "token", which names of users and hosts may #}
        {% if ticdc.value_or_false(
            "create table " ~ lease.relation ~ " (run_id bigint) using parquet tblproperties " ~ property
            ~ "; select true"
        ) %}
            {% do taken.update(lease, renewed=now.timestamp()) %}
            {% for before in leases.tables.values() %}{% do run_query("drop table if exists " ~ before) %}{% endfor %}
        {% endif %}
    {% endfor %}
    {% if not taken %}
        {% do exceptions.raise_compiler_error(
            "ticdc: the lease " ~ lease.relation ~ " cannot be taken, and no run holds it: may this user create tables"
            ~ " there?"
        ) %}
    {% endif %}
    {% do return(taken) %}
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
