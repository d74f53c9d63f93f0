{% macro base_statements(base, is_ready) %}
    {% set view = ticdc.memory().views[base] %}
    {% set unready -%}
    select
        {% for column in view.columns -%}
        cast(null as {{ column.data_type }}) as {{ ticdc.identifier(column.name) }}{{ "," if not loop.last }}
        {% endfor -%}
    where
        cast(raise_error('ticdc: typed tables are made for the first time. If no run does so now, one was stopped: build the package') as boolean)
    {%- endset %}
    {#- without fingerprint, the next run makes it anew #}
    {% set noting = "alter view " ~ base ~ " set tblproperties ('ticdc.fingerprint' = '" ~ (local_md5(view.sql) if is_ready else "") ~ "')" %}
    {% set altering = "alter view " ~ base ~ " as " ~ (view.sql if is_ready else unready) %}
    {% do return([altering, noting] if is_ready else [noting, altering]) %}
{% endmacro %}
