{% macro settle(state=none) %}
    {% if execute %}
        {# What the model's own SQL was made for: messages that came meanwhile belong to the next run. #}
        {% set text = tojson(state, sort_keys=true) if state else ticdc.text_to_settle() %}
        {# In hex, as Spark shows no property whose text holds "url" or "token", which names of feeds may; in parts, as
           old metastores keep no more than 4000 characters. #}
        {% set parts = modules.re.findall(".{1,4000}", text.encode().hex()) %}
        {% set properties = ["'ticdc.settled' = '" ~ parts | length ~ "'"] %}
        {% for part in parts %}
            {% do properties.append("'ticdc.settled." ~ loop.index ~ "' = '" ~ part ~ "'") %}
        {% endfor %}
        {% do run_query("alter table " ~ this ~ " set tblproperties (" ~ properties | join(", ") ~ ")") %}
        {% do ticdc.memory().settled.update({this | string: text}) %}
    {% endif %}
{% endmacro %}
