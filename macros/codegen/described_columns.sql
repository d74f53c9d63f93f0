{% macro described_columns(relation) %}
    {% set described = run_query("describe table " ~ relation).rows %}
    {% set names = described | map(attribute=0) | list %}
    {% if none in names %}
        {# dbt reads the name null, where it is a value, as nothing; to ask for the names themselves takes longer #}
        {% set names = adapter.get_column_schema_from_query("select * from " ~ relation ~ " where false") | map(attribute="name") | list %}
    {% endif %}
    {% do return(zip(names, described | map(attribute=1)) | list) %}
{% endmacro %}
