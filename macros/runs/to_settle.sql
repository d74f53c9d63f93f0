{% macro to_settle(state) %}
    {% do ticdc.memory().setdefault("to_settle", {}).update({this | string: state}) %}
{% endmacro %}
