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
