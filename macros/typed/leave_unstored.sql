{% macro leave_unstored(table) %}
    {% do table.update({"history_storage": none, "history": none}) %}
    {# so that a later run, which may store it, finds other texts wanted #}
    {% for kind, hash in table.made.items() %}{% do table.made.update({kind: local_md5(hash)}) %}{% endfor %}
{% endmacro %}
