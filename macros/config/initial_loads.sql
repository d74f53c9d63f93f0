{% macro initial_loads(exported_rows) %}
    {% set given, feeds = var("ticdc__initial_loads", none), ticdc.feeds() | map(attribute="name") | list %}
    {% set tables = [exported_rows] if execute and "nodes" in graph and load_cached_relation(exported_rows) else [] %}
    {% if not execute or not (given or tables) %}{% do return([]) %}{% endif %}
    {% set query %}
    select ticdc_initial_loads(exported, {{ ticdc.text_literals([tojson(given), tojson(feeds)]) }})
    from (
        {%- if tables %}
        select to_json(collect_list(struct(feed, schema_name, table_name, commit_ts, key_columns))) as exported
        from {{ ticdc.rows_of(exported_rows) }}
        where row is null
        {%- else %}
        select '[]' as exported
        {%- endif %}
    )
    {% endset %}
    {% do return(fromjson(ticdc.asked(query, tables)[0][0])) %}
{% endmacro %}
