{% macro made_anew() %}
    {% do ticdc.memory().setdefault("made_anew", {}).update({this | string: true}) %}
{% endmacro %}
