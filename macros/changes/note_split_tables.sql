{% macro note_split_tables(changes, settled) %}
    {# states of versions that did not note them tell nothing of older changes #}
    {% if settled.split is none %}{% do return(none) %}{% endif %}
    {% set unbounded = settled.first_commits.keys() | reject("in", settled.bounds) | list %}
    {% set query %}
    with batch as (
        select *, xxhash64(feed, table_id, table_incarnation, row_key) as row_hash
        from {{ changes }}
        where batch_id = {{ ticdc.run_id() }}
    )

    select ticdc_split_tables(to_json(collect_list(array(feed, table_id))), {{ ticdc.text_literals([tojson(settled.split), tojson(unbounded)]) }})
    from (
        select feed, table_id from batch where is_late or op = 'load'
        union
        select feed, table_id
        from batch
        left semi join (select commit_ts, row_hash from batch group by commit_ts, row_hash having count(*) > 1)
            using (commit_ts, row_hash)
    )
    {% endset %}
    {% do settled.update({"split": fromjson(run_query(query).rows[0][0])}) %}
{% endmacro %}
