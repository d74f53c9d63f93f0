{% macro base_statements(base, is_ready) %}
    {% set view = ticdc.memory().views[base] %}
    {#- without fingerprint, the next run makes it anew #}
    {% set noting = "alter view " ~ base ~ " set tblproperties ('ticdc.fingerprint' = '" ~ (local_md5(view.sql) if is_ready else "") ~ "')" %}
    {% set altering = "alter view " ~ base ~ " as " ~ (view.sql if is_ready else ticdc.unready_rows(view.columns)) %}
    {% do return([altering, noting] if is_ready else [noting, altering]) %}
{% endmacro %}
