{% macro release_lease() %}
    {% set leases = ticdc.leases() %}
    {% for relation in leases.tables.values() %}{% do run_query("drop table if exists " ~ relation) %}{% endfor %}
    {% do print(
        "released the lease of " ~ leases.newest.who ~ ", held since " ~ leases.newest.since
        if leases.newest else "nobody holds a lease"
    ) %}
{% endmacro %}
