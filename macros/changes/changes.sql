{# Gives the join of rows with the run that first had each of them, `first_runs.first_run_id`, NULL where none had: what
   comes out the same where a feed is rebuilt keeps it. Rows are the same by feed, commit, row key and a hash of the
   rest; the `condition` says which known rows are asked. #}
{% macro join_first_runs(rows, known, change_hash, condition) -%}
left join (
    select
        feed,
        commit_ts,
        row_key,
        {{ change_hash }} as change_hash,
        min(first_run_id) as first_run_id
    from {{ known }} as known
    where {{ condition }}
    group by feed, commit_ts, row_key, {{ change_hash }}
) as first_runs
    on
        {{ rows }}.feed = first_runs.feed
        and {{ rows }}.commit_ts = first_runs.commit_ts
        and {{ rows }}.row_key = first_runs.row_key
        and {{ change_hash }} = first_runs.change_hash
{%- endmacro %}

{# Notes in what the changes are made of the tables of which a commit changed a key twice in this batch, or may change
   one in several: as feed and `table_id`, which is empty for all tables of a feed. #}
{% macro note_split_tables(changes, settled) %}
    {# states of versions that did not note them tell nothing of older changes #}
    {% if settled.split is none %}{% do return(none) %}{% endif %}
    {% set written = "(select * from " ~ changes ~ " where batch_id = " ~ ticdc.run_id() ~ ") as changes" %}
    {% set key_hash = "xxhash64(commit_ts, row_key, feed, table_id, table_incarnation)" %}
    {# without a bound, and until a feed has one, halves of a commit may come in different runs #}
    {% set unbounded = settled.first_commits.keys() | reject("in", ticdc.settled().bounds) | list %}
    {% set of_unbounded = "feed in (" ~ ticdc.text_literals(unbounded) ~ ")" %}
    {% set query %}
    select ticdc_split_tables(
        to_json(collect_list(array(feed, table_id))), {{ ticdc.text_literal(tojson(settled.split)) }}
    )
    from (
        select
            feed,
            table_id
        from {{ written }}
        where is_late or op = 'load'

        union

        select /*+ broadcast(twice) */
            changes.feed,
            changes.table_id
        from {{ written }}
        -- keys whose hashes meet name a table that has no split changes: it is read as if it had
        left semi join (
            select {{ key_hash }} as key_hash
            from {{ ticdc.rows_of(changes) }} as changes
            where
                commit_ts_exact
                and (
                    batch_id = {{ ticdc.run_id() }}
                    {%- if unbounded and ticdc.batches(changes)[1:] %}
                    or (
                        {{ of_unbounded }}
                        and commit_ts >= (select min(commit_ts) from {{ written }} where {{ of_unbounded }})
                    )
                    {%- endif %}
                )
            group by key_hash
            having count(*) > 1
        ) as twice
            on {{ key_hash }} = twice.key_hash
    )
    {% endset %}
    {% do settled.update({"split": fromjson(run_query(query).rows[0][0])}) %}
{% endmacro %}
