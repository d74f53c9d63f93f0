{% macro check_lease_is_free(lease, now) %}
    {% if lease and lease.until > now.timestamp() %}
        {% do exceptions.raise_compiler_error(
            "ticdc: another run builds these tables: " ~ lease.who ~ ", since " ~ lease.since ~ "; its lease ends in "
            ~ ((lease.until - now.timestamp()) / 60) | round(0, "ceil") | int ~ " minute(s) unless it goes on. Wait for its end. It is over where"
            ~ " its process is gone, or where target/run_results.json of its project has its id, as after a hook of another project that failed:"
            ~ " then, where no statement of it runs on, dbt run-operation ticdc.release_lease ends its lease"
        ) %}
    {% endif %}
{% endmacro %}
