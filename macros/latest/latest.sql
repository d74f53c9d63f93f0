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
    {%- for feed in ticdc.feeds() | selectattr("tells_updates", "equalto", false) if feed.name not in told -%}
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
   with it, and not with every bound. `known` is what the table settled: it is asked again where `of` is another. #}
{% macro shown_ddl_commits(known, of) %}
    {% set bounds = ticdc.settled(ref("int_ticdc__changes")).bounds %}
    {% if known.of == of or not (execute and bounds) %}{% do return(known.get("ddl_commits", {})) %}{% endif %}
    {% set query %}
    select feed, max(ddl_commit_ts) as ddl_commit_ts
    from (
        select feed, explode(array(valid_from_ts, valid_to_ts)) as ddl_commit_ts
        from {{ ticdc.catalogue_records("version") }}
    )
    where feed in ({{ ticdc.text_literals(bounds) }}) and ddl_commit_ts <= {{ ticdc.shown_through("feed", bounds) }}
    group by feed
    {% endset %}
    {% set found = dict.fromkeys(bounds, 0) %}
    {% for feed, commit_ts in run_query(query).rows %}{% do found.update({feed: commit_ts | int}) %}{% endfor %}
    {% do return(found) %}
{% endmacro %}

{# The TSO through which the changes of a feed are shown, by the `bounds` of feeds; the largest number for one that is
   shown as far as it was seen. #}
{% macro shown_through(feed, bounds) -%}
    {%- if bounds -%}
    coalesce({{ ticdc.of_feed(bounds, feed=feed) }}, {{ 2 ** 63 - 1 }})
    {%- else -%}
    {{ 2 ** 63 - 1 }}
    {%- endif -%}
{%- endmacro %}
