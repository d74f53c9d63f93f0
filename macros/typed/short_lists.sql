{% macro short_lists(texts, most_texts=none) %}
    {# Spark reads a statement of some megabytes slowly, and servers refuse it #}
    {% set lists, length = [], [0] %}
    {% for text in texts %}
        {% if not lists or length[-1] + text | length > 300000 or lists[-1] | length == most_texts %}
            {% do lists.append([]) %}
            {% do length.append(0) %}
        {% endif %}
        {% do lists[-1].append(text) %}
        {% do length.append(length[-1] + text | length) %}
    {% endfor %}
    {% do return(lists) %}
{% endmacro %}
