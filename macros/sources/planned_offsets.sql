{% macro planned_offsets(planned) -%}
    {#- in hex, which all settings of a session leave as it is -#}
    (
        select
            planned.*,
            {{ ticdc.run_id() }} as run_id
        from (
            select explode(from_json(
                cast(unhex('{{ tojson(planned).encode().hex() }}') as string), 'array<{{ ticdc.kafka_plan_type() }}>'
            )) as planned
        )
    )
{%- endmacro %}
