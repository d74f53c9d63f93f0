{% macro note_split_tables(changes, settled) %}
    {# states of versions that did not note them tell nothing of older changes #}
    {% if settled.split is none %}{% do return(none) %}{% endif %}
    {% set unbounded = settled.first_commits.keys() | reject("in", settled.bounds) | list %}
    {% set query %}
    select ticdc_split_tables(to_json(collect_list(array(feed, table_id))), {{ ticdc.text_literals([tojson(settled.split), tojson(unbounded)]) }})
    from (
        select distinct feed, table_id
        from (
            select feed, table_id
            from {{ changes }}
            where batch_id = {{ ticdc.run_id() }}
            -- keys whose hashes meet name a table that has no split changes: it is read as if it had
            group by commit_ts, xxhash64(row_key), feed, table_id, table_incarnation
            having count(*) > 1 or bool_or(is_late or op = 'load')
        )
    )
    {% endset %}
    {% do settled.update({"split": fromjson(run_query(query).rows[0][0])}) %}
{% endmacro %}
