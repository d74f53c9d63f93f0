{# Gives how `int_ticdc__latest` takes in new changes: `run_id`, the newest dbt run it has; `merge`, whether all
   states become one batch; `late`, whether a new change may be older than one that is there; `redriven`, the feeds
   that are made anew; `is_idle`; `settled`, what to note. Asks the UDF `ticdc_latest_state` where changes came.
   #}
{% macro latest_state() %}
    {% set settled, now = ticdc.settled(), ticdc.run_id() | int %}
    {% set changes, carried_rows = ref("int_ticdc__changes"), ref("int_ticdc__carried_rows") %}
    {% set redriven = ticdc.settled(changes).get("redriven", {}) %}
    {% for feed, run_id in ticdc.settled(carried_rows).get("redriven", {}).items() %}
        {% do redriven.update({feed: [run_id, redriven.get(feed, 0)] | max}) %}
    {% endfor %}
    {% set query %}
    select ticdc_latest_state(to_json(struct(*)), {{ ticdc.text_literals([tojson(settled), tojson(redriven)]) }})
    from (
        select count(*) as arrivals, min(commit_ts) as first_commit_ts, max(late_run_id) as late_run_id
        from ({{ ticdc.row_changes(carried_rows, settled.run_id) }})
        where run_id > {{ settled.run_id }}
    )
    cross join (
        select
            count_if(generation = {{ settled.get("base", 0) }}) as base_rows,
            count_if(generation > {{ settled.get("base", 0) }}) as later_rows,
            max(commit_ts) as last_commit_ts
        from {{ ticdc.rows_of(this) }}
    )
    {% endset %}
    {% set state = {"run_id": 0, "merge": true, "late": false, "redriven": [], "is_idle": false} %}
    {% set rebuilt = ticdc.feeds_to_rebuild(settled, {"redriven": redriven}) %}
    {% set is_idle = not (rebuilt or ticdc.has_news([changes, carried_rows], settled.run_id)) %}
    {% if settled.get("base") and is_idle %}
        {% do state.update({"run_id": settled.run_id, "merge": false, "is_idle": true}) %}
    {% elif settled.get("base") %}
        {% do state.update(fromjson(ticdc.asked(query, [changes, carried_rows, this])[0][0])) %}
    {% endif %}
    {% set noted = {"run_id": now, "base": now if state.merge else settled.base, "redriven": redriven} %}
    {% do return(dict(state, settled=settled if state.is_idle else noted)) %}
{% endmacro %}

{# A query of the newest state of each row: that of the first published batch of `int_ticdc__latest`, where no later one
   has another. `rows` is a table with the column `generation`, `deleted` the condition of a state that is gone. #}
{% macro merged_generations(rows, key, deleted) %}
{%- set latest = ticdc.relation_name("int_ticdc__latest") %}
    with

    later_rows as (

        select * from {{ rows }} as all_rows
        where array_contains({{ ticdc.published_batches(latest, "later_batches") }}, generation)

    ),

    base_rows as (

        select * from {{ rows }} as all_rows
        where generation = get({{ ticdc.published_batches(latest) }}, 0) and not {{ deleted }}

    ),

    ranked as (

        select
            *,
            row_number() over (partition by {{ key }} order by generation desc) as place
        from later_rows

    )

    select * except (place) from ranked
    where place = 1 and not {{ deleted }}

    union all

    select base_rows.*
    from base_rows
    left anti join later_rows
        -- `using` would put these columns before the others
        on
            {% for column in key.split(", ") -%}
            base_rows.{{ column }} = later_rows.{{ column }}{{ " and " if not loop.last }}
            {%- endfor %}
{% endmacro %}

{# Whether a change needs a row of its key to be there: false for insertions, NULL where it cannot be told. It takes the
   columns of `row_changes`. #}
{% macro expects_row() -%}
    {%- set told = ticdc.settled(ref("int_ticdc__changes")).get("updated", []) -%}
    {%- set untold = [] -%}
    {%- for feed in ticdc.feeds_whose_protocol("tells_updates", false) if feed.name not in told -%}
        {%- do untold.append(feed.name) -%}
    {%- endfor -%}
    case
        when array_contains(lossy, '*:no_commit_ts') or array_contains(lossy, '*:soft_delete') then null
        when cause <> 'message' then if(op = 'insert', false, null)
        {%- if untold %}
        -- without old values these write an update as they write an insert
        when op = 'insert' and feed in ({{ ticdc.text_literals(untold) }}) then null
        {%- endif %}
        when op = 'insert' then false
        -- of equal rows that no message told of, any may be the one
        when op in ('update', 'delete') and ({{ ticdc.is_seen_whole() }} or not array_contains(lossy, '*:no_key'))
            then true
    end
{%- endmacro %}

{# Whether a change found no row to change, or one in the place of a new one. It takes `expects_row` and `was_live`
   (whether the change before it left a row, NULL where there is none). #}
{% macro is_without_row() -%}
    coalesce(expects_row <> coalesce(was_live, if({{ ticdc.is_seen_whole() }}, false, null)), false)
{%- endmacro %}

{# Whether a table began within the feed (by CREATE, TRUNCATE or an initial load), so that each of its rows came in a
   message. It takes `table_id` and `table_incarnation`. #}
{% macro is_seen_whole() -%}
    not (table_incarnation = 1 and endswith(table_id, '@0'))
{%- endmacro %}

{# For each feed with a bound, the TSO of the last DDL that its tables show, or 0. What is made from DDL alone changes
   with it, and not with every bound. #}
{% macro shown_ddl_commits() %}
    {% set bounds = ticdc.settled(ref("int_ticdc__changes")).bounds %}
    {% set query %}
    select to_json(map_from_entries(sort_array(collect_list(struct(feed, ddl_commit_ts)))))
    from (
        select feed, max(ddl_commit_ts) as ddl_commit_ts
        from (
            select feed, explode(array(valid_from_ts, valid_to_ts)) as ddl_commit_ts
            from {{ ticdc.catalogue_records("version") }}
        )
        where ddl_commit_ts <= {{ ticdc.of_feed(bounds) }}
        group by feed
    )
    {% endset %}
    {% set found = ticdc.asked(query, [ref("int_ticdc__catalogue")]) if execute and bounds else [] %}
    {% do return(dict(dict.fromkeys(bounds, 0), **(fromjson(found[0][0]) if found else {}))) %}
{% endmacro %}
