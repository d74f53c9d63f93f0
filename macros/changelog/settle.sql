{% macro settle(state=none) %}
    {% if execute %}
        {# What the model's own SQL was made for: messages that came meanwhile belong to the next run. #}
        {% set text = tojson(state, sort_keys=true) if state else ticdc.text_to_settle() %}
        {# In hex, as Spark shows no property whose text holds "url" or "token", which names of feeds may. #}
        {% do run_query("alter table " ~ this ~ " set tblproperties ('ticdc.settled' = '" ~ text.encode().hex() ~ "')") %}
    {% endif %}
{% endmacro %}
