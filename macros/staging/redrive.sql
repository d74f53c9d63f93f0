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
{%- if ticdc.facts(relation).some_are_redriven %}
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
