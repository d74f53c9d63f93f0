{% macro described_function(name) %}
    {# Spark describes no function that is not there #}
    {% set schema, plain = (name | string).replace("`", "").lower().split(".") %}
    {% set found = run_query("show user functions in " ~ ticdc.identifier(schema) ~ " like '" ~ plain ~ "'").rows %}
    {% if not found %}{% do return(none) %}{% endif %}
    {% do return(run_query("describe function extended " ~ name).rows | map(attribute=0) | join) %}
{% endmacro %}
