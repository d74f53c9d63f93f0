{% macro settings_of_hooks(models) %}
    {% set found = {} %}
    {% for model in models %}
        {% for hook in graph.nodes["model.ticdc." ~ model].config.get("pre-hook") or [] %}
            {% for name, value in modules.re.findall("(?i)\\bset\\s+(spark[.]sql[.][\\w.]+)\\s*=\\s*([^\\s;]+)", hook.sql) %}
                {% do found.setdefault(name ~ "=" ~ value, {"name": name, "value": value, "place": "in a pre_hook of " ~ model}) %}
            {% endfor %}
        {% endfor %}
    {% endfor %}
    {% do return(found.values() | list) %}
{% endmacro %}
