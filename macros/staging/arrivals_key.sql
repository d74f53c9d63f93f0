{% macro arrivals_key() %}
    {% set tables, batches = ticdc.arrival_tables(), [] %}
    {% if not execute or "nodes" not in graph %}{% do return("") %}{% endif %}
    {% for table in tables %}{% do batches.append([table.identifier, ticdc.batches(table)]) %}{% endfor %}
    {% do return(local_md5(tojson([ticdc.views_key(), batches]))) %}
{% endmacro %}
