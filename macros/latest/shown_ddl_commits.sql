{% macro shown_ddl_commits() %}
    {% set bounds = ticdc.settled(ref("int_ticdc__changes")).bounds %}
    {% set query %}
    select to_json(map_from_entries(sort_array(collect_list(struct(feed, ddl_commit_ts)))))
    from (
        select feed, max(ddl_commit_ts) as ddl_commit_ts
        from (select feed, explode(array(valid_from_ts, valid_to_ts)) as ddl_commit_ts from {{ ticdc.catalogue_records("version") }})
        where ddl_commit_ts <= {{ ticdc.shown_through("feed", bounds) }}
        group by feed
    )
    where feed in ({{ ticdc.text_literals(bounds) }})
    {% endset %}
    {% set found = ticdc.asked(query, [ref("int_ticdc__catalogue")]) if execute and bounds else [] %}
    {% do return(dict(dict.fromkeys(bounds, 0), **(fromjson(found[0][0]) if found else {}))) %}
{% endmacro %}
