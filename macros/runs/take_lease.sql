{% macro take_lease() %}
    {% set minutes = var("ticdc__lease_minutes", 60) %}
    {% set now = modules.datetime.datetime.now(modules.pytz.utc) %}
    {% set leases = ticdc.leases() %}
    {% do ticdc.check_lease_is_free(leases.newest, now) %}
    {% set lease = {
        "number": (leases.relations.keys() | max | default(0)) + 1,
        "who": "dbt " ~ flags.WHICH ~ " " ~ invocation_id ~ " of " ~ env_var("USER", "an unnamed user") ~ ", target " ~ target.name,
        "since": now.strftime("%Y-%m-%d %H:%M:%S UTC"),
        "until": now.timestamp() + minutes * 60,
    } %}
    {% set relation = leases.schema ~ ".ticdc__lease_" ~ lease.number %}
    {# of two that come at once the catalogue lets one make the table #}
    {% set taken = run_query(
        "begin declare exit handler for sqlexception select false as is_taken; create table " ~ relation
        ~ " (run_id bigint) using parquet " ~ ticdc.lease_property(lease) ~ "; select true as is_taken; end"
    ).rows[0][0] %}
    {% if not taken %}
        {% do ticdc.check_lease_is_free(ticdc.leases().newest, now) %}
        {% do exceptions.raise_compiler_error("ticdc: the lease " ~ relation ~ " cannot be taken, and no run holds it: may this user create tables there?") %}
    {% endif %}
    {% for before in leases.relations.values() %}{% do run_query("drop table if exists " ~ before) %}{% endfor %}
    {% do ticdc.memory().update({"lease": dict(lease, relation=relation, renewed=now.timestamp())}) %}
{% endmacro %}
