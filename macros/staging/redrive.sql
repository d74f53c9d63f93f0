{# Gives the names of a protocol's feeds whose dead letters this run decodes again, as the variable `ticdc__redrive`
   says; none where nothing is staged yet. #}
{% macro feeds_to_redrive(protocol, relation) %}
    {% set wanted, names = var("ticdc__redrive", false), [] %}
    {% for feed in ticdc.feeds() if relation and feed.protocol == protocol %}
        {% do names.append(feed.name) if wanted is true or (wanted and feed.name in wanted) %}
    {% endfor %}
    {% do return(names) %}
{% endmacro %}

{# Gives the SQL of what is staged of the messages that a re-drive decodes again: dead letters, and where commits
   follow from the rows around, the rows of their partitions whose commits do. #}
{% macro known_events(relation, feeds, has_commits) %}
select staged.*
from ({{ ticdc.staged_events(relation, ticdc.rows_of(relation)) }}) as staged
left semi join ({{ ticdc.dead_letters(ticdc.rows_of(relation)) }}) as letters
    on
        staged.feed = letters.feed
        and staged.topic = letters.topic
        and staged.`partition` = letters.`partition`
        and staged.`offset` = letters.`offset`
where staged.feed in ({{ ticdc.text_literals(feeds) }})
{%- if has_commits %}

union all

-- what a letter turns out to be may change the commits that follow from the rows around it
select staged.*
from ({{ ticdc.staged_events(relation, ticdc.rows_of(relation)) }}) as staged
left semi join ({{ ticdc.dead_letters(ticdc.rows_of(relation)) }}) as letters
    on
        staged.feed = letters.feed
        and staged.topic = letters.topic
        and staged.`partition` = letters.`partition`
where
    staged.feed in ({{ ticdc.text_literals(feeds) }})
    and staged.kind = 'row'
    and not staged.commit_ts_exact
{%- endif %}
{% endmacro %}

{# Gives the SQL that ends a staging model which drives dead letters again: its CTE `staged_events` without what came
   out as it was before (`known_events`), and the letters whose messages the source no longer has, with that reason.
   #}
{% macro redriven_events(relation) %}
{%- set gone = "the source no longer has the message; it was: " %}
select staged_events.*
from staged_events
-- what came out as it was before, or worse, is not written again
left anti join known_events
    on
        staged_events.is_redriven
        and staged_events.feed = known_events.feed
        and staged_events.topic = known_events.topic
        and staged_events.`partition` = known_events.`partition`
        and staged_events.`offset` = known_events.`offset`
        and staged_events.event_index = known_events.event_index
        and (
            (known_events.kind <> 'error' and staged_events.kind = 'error')
            or (
                staged_events.kind = known_events.kind
                and staged_events.commit_ts <=> known_events.commit_ts
                and staged_events.error_code <=> known_events.error_code
                and staged_events.error_message <=> known_events.error_message
            )
        )

union all

select
    {% for column in adapter.get_columns_in_relation(relation) if column.name != "batch_id" -%}
    {% if column.name == "error_message" -%}
    {{ ticdc.text_literal(gone) }} || error_message as error_message
    {%- elif column.name == "run_id" -%}
    {{ ticdc.run_id() }} as run_id
    {%- elif column.name == "is_redriven" -%}
    true as is_redriven
    {%- else -%}
    {{ column.quoted }}
    {%- endif -%}
    {{ "," if not loop.last }}
    {% endfor %}
from known_events
left anti join (select * from messages where is_redriven) as messages using (feed, topic, `partition`, `offset`)
where kind = 'error' and not startswith(error_message, {{ ticdc.text_literal(gone) }})
{% endmacro %}

{# Gives the SQL of the messages of a staging relation that no run has decoded yet, each as it failed last. #}
{% macro dead_letters(rows) %}
select * except (place)
from (
    select
        *,
        row_number() over (
            partition by feed, topic, `partition`, `offset`, event_index order by run_id desc
        ) as place
    from {{ rows }} as staged
    where kind = 'error' or is_redriven
) as ranked_events
where place = 1 and kind = 'error'
{% endmacro %}

{# Gives the SQL of the events of a staging relation without those that a re-drive replaced. #}
{% macro staged_events(relation, rows) %}
select staged.*
from {{ rows }} as staged
{%- if ticdc.asked("select 1 from " ~ ticdc.rows_of(relation) ~ " where is_redriven limit 1", [relation]) %}
left anti join (
    select
        feed,
        topic,
        `partition`,
        `offset`,
        event_index,
        max(run_id) as run_id
    from {{ rows }} as staged_again
    where is_redriven
    group by feed, topic, `partition`, `offset`, event_index
) as redriven
    on
        staged.feed = redriven.feed
        and staged.topic = redriven.topic
        and staged.`partition` = redriven.`partition`
        and staged.`offset` = redriven.`offset`
        and staged.event_index = redriven.event_index
        and staged.run_id < redriven.run_id
{%- endif %}
{% endmacro %}
