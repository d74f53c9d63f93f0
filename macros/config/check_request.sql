{% macro check_request(request) %}
    {# in hex, which all settings of a session leave as it is #}
    {% set query %}
    select explode(found) from (select ticdc_configuration_problems(cast(unhex('{{ tojson(request).encode().hex() }}') as string)) as found)
    {% endset %}
    {% do ticdc.refuse_configuration(run_query(query).rows | map(attribute=0) | list) %}
{% endmacro %}
