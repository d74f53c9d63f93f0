{% macro first_run_id_of(first_runs, change) -%}
    {%- if not first_runs -%}
    {{ ticdc.run_id() }}
    {%- else -%}
    coalesce(
        array_min(
            transform(
                filter(
                    first_runs.runs,
                    known -> known.run_id >= {{ change }}.arrived_run_id and known.commit_ts >= {{ change }}.commit_ts
                ),
                known -> known.run_id
            )
        ),
        {{ ticdc.run_id() }}
    )
    {%- endif -%}
{%- endmacro %}
