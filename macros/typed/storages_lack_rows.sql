{% macro storages_lack_rows() %}
    {% if not execute %}{% do return(false) %}{% endif %}
    {% set published = {"models": fromjson(ticdc.memory().get("published", "{}"))} %}
    {% set is_published = ticdc.rows_of_histories(published) == ticdc.rows_of_histories(ticdc.state()) %}
    {% do return(not is_published and ticdc.relation_of("int_ticdc__typed_plans") and ticdc.typed_run().storages) %}
{% endmacro %}
