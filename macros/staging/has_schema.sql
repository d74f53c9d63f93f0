{% macro has_schema(event) -%}
    (
        {{ event }}.kind <> 'row'
        or not exists(
            {{ event }}.lossy, flag -> substring_index(flag, ':', -1) in ('no_schema', 'label_unknown', 'no_key')
        )
    )
{%- endmacro %}
