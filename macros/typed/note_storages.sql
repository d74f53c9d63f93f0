{% macro note_storages(storages) %}
    {% for storage in storages if storage %}{% do ticdc.state().models.update({storage.name: storage.state}) %}{% endfor %}
{% endmacro %}
