{% macro check_configuration() %}
    {% set variables, protocols, columns = ticdc.variables(), {}, {} %}
    {% for protocol in ticdc.protocols() %}
        {% do protocols.update({protocol: ticdc.protocol_macro(protocol, "options")()}) %}
    {% endfor %}
    {% set schema = variables.ticdc__messages_schema %}
    {% if schema is string and schema %}
        {% for column in adapter.get_columns_in_relation(source("ticdc", "messages").replace(limit=none)) %}
            {% do columns.update({column.name | lower: column.dtype | lower}) %}
        {% endfor %}
    {% endif %}
    {% set arguments = ticdc.text_literals([tojson(variables), tojson(protocols), tojson(columns)]) %}
    {% set problems = run_query("select explode(found) from (select ticdc_configuration_problems(" ~ arguments ~ ") as found)") %}
    {% do ticdc.refuse_configuration(problems.rows | map(attribute=0) | list) %}
{% endmacro %}
