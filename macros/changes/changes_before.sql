{% macro changes_before() %}
    {% do return(this.incorporate(path={"identifier": this.identifier ~ "_before"})) %}
{% endmacro %}
