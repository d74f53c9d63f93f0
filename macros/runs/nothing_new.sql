{% macro nothing_new() %}
    {% do ticdc.memory().setdefault("nothing_new", {}).update({this | string: true}) %}
{% endmacro %}
