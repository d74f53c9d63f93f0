{% macro note_changed_loads(settled, progress) %}
    {% for feed, run_id in settled.get("redriven", {}).items() %}
        {% do progress.redriven.update({feed: [progress.redriven.get(feed, 0), run_id] | max}) %}
    {% endfor %}
    {% set taken = settled.get("loaded", {}) %}
    {% set loads = ticdc.initial_loads(ref("int_ticdc__exported_rows")) | selectattr("id", "in", taken) | list if execute else [] %}
    {# what came since may tell of the table at the commit of its load: its key, its types, its incarnation #}
    {% for id, table in ticdc.loaded_tables(loads).items() if table.get("fingerprint") != taken[id] %}
        {% do progress.redriven.update({fromjson(id)[0]: ticdc.run_id() | int}) %}
    {% endfor %}
{% endmacro %}
