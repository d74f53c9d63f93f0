{% macro version_chain(versions, from_ts, to_ts) -%}
    '[' || array_join(
        transform(
            filter(
                {{ versions }},
                each -> each.valid_from_ts = {{ from_ts }}
                or (each.valid_from_ts between {{ from_ts }} and {{ to_ts }} and each.row_effect <> 'none')
            ),
            each -> each.columns
        ),
        ','
    ) || ']'
{%- endmacro %}
