{% macro loads_to_take(settled, progress) %}
    {% set to_take, exported_rows = [], ref("int_ticdc__exported_rows") %}
    {% set loads = ticdc.initial_loads(exported_rows) if execute else [] %}
    {% set redriven = ticdc.redriven_feeds(settled, progress) %}
    {% set taken = [] %}
    {% for id in settled.get("loads", []) if fromjson(id)[0] not in redriven %}{% do taken.append(id) %}{% endfor %}
    {% set fresh = loads | rejectattr("id", "in", taken) | list %}
    {% for load in fresh if load.commit_ts <= progress.bounds.get(load.feed, load.commit_ts) %}
        {% do to_take.append(load) %}
    {% endfor %}
    {% set tables = ticdc.loaded_tables(to_take) %}
    {% set loaded = {} %}
    {% for id, fingerprint in settled.get("loaded", {}).items() if id in taken %}{% do loaded.update({id: fingerprint}) %}{% endfor %}
    {% for load in to_take %}
        {% do loaded.update({load.id: tables[load.id].get("fingerprint")}) %}
        {% if load.key_columns == "[]" and not tables[load.id].get("has_key", true) %}{% do progress.update({"has_bags": true}) %}{% endif %}
    {% endfor %}
    {% if taken or to_take %}
        {% do progress.update({"loads": taken + to_take | map(attribute="id") | list, "loaded": loaded}) %}
    {% endif %}
    {% do return(to_take) %}
{% endmacro %}
