{% macro unready_rows(columns) %}
    select
        {% for column in columns -%}
        cast(null as {{ column.data_type }}) as {{ ticdc.identifier(column.name) }}{{ "," if not loop.last }}
        {% endfor -%}
    where
        cast(
            raise_error(
                'ticdc: typed tables are made for the first time. If no run does that now, one was stopped: build the package'
            ) as boolean
        )
{% endmacro %}
