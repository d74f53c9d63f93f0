{% macro drop_superseded(state) %}
    {# a query that began before the batch was superseded may still read it #}
    {% set now, kept, old = modules.datetime.datetime.now(modules.pytz.utc).timestamp(), [], [] %}
    {% for relation, column, batch, since in state.superseded %}
        {% if now < since + 24 * 3600 %}
            {% do kept.append([relation, column, batch, since]) %}
        {% elif config.get("file_format", "parquet") == "parquet" %}
            {% do old.append("alter table " ~ relation ~ " drop if exists partition (" ~ column ~ " = " ~ batch ~ ")") %}
        {% else %}
            {% do old.append("delete from " ~ relation ~ " where " ~ column ~ " = " ~ batch) %}
        {% endif %}
    {% endfor %}
    {% set blocks = [] %}
    {% for statement in old %}{% do blocks.append({"place": loop.index0, "statements": [statement]}) %}{% endfor %}
    {% do ticdc.tried_statements(blocks) %}
    {% do state.update({"superseded": kept}) %}
{% endmacro %}
