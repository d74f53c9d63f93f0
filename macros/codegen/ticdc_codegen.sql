{% macro ticdc_codegen(feed, history=false, as_json=false) %}
    {% set models = ticdc.generated_models(feed, history) %}
    {% if as_json %}
        {% do print(tojson(models)) %}
    {% else %}
        {% for model in models %}
            {% do print("-- " ~ model.name ~ ".sql\n" ~ model.sql) %}
            {% do print("# " ~ model.name ~ ".yml\n" ~ toyaml(model.yml)) %}
        {% endfor %}
    {% endif %}
{% endmacro %}
