{# Raises an error where `ticdc__redecode` would lose messages, with the first 20 of each protocol. #}
{% macro check_redecode() %}
    {% set lost = [] %}
    {% for protocol in (ticdc.protocols() if var("ticdc__redecode", false) else []) %}
        {% set staged = load_cached_relation(ticdc.staged_relation(protocol)) %}
        {% set in_files = ticdc.feeds() | selectattr("reads", "equalto", "files") %}
        {% set in_files = in_files | selectattr("protocol", "equalto", protocol) | list %}
        {% if staged %}
            {% set query = ticdc.lost_files(staged, in_files) if in_files else ticdc.lost_messages(staged) %}
            {% do lost.extend(run_query(query).rows | map(attribute=0)) %}
        {% endif %}
    {% endfor %}
    {% if lost %}
        {% do exceptions.raise_compiler_error(
            "ticdc: ticdc__redecode would lose messages that are decoded and that nothing can decode again:\n  - "
            ~ lost | join("\n  - ")
            ~ "\nBuild with --full-refresh alone, which keeps what is decoded, or put these messages back"
        ) %}
    {% endif %}
{% endmacro %}

{# Gives the SQL of texts of the files of storage sinks, by feed, that staging holds and that cannot be decoded again,
   as they are gone or their feed is not configured. #}
{% macro lost_files(staged, feeds) %}
    {% set there = [] %}
    {% for feed in feeds %}
        {% set paths = "select feed, path from (" ~ ticdc.files_in(feed) ~ ") as files" %}
        {% do there.append(paths) if ticdc.rows_if_found(paths ~ " limit 1", ["feed", "path"]) %}
    {% endfor %}
    {% set is_configured = "staged.feed in (" ~ ticdc.text_literals(feeds | map(attribute="name")) ~ ")" %}
    {% set query %}
select
    'feed ' || staged.feed || ': ' || count(distinct staged.topic) || ' file(s)'
    || if(
        {{ is_configured }},
        ' that are there no more, such as ' || min(staged.topic),
        ', as the feed is not configured'
    )
from {{ ticdc.rows_of(staged) }} as staged
{% if there -%}
left anti join ({{ there | join("\nunion all\n") }}) as there on staged.feed = there.feed and staged.topic = there.path
{% endif -%}
where staged.topic <> 'metadata' or not {{ is_configured }}
group by staged.feed
order by staged.feed
    {% endset %}
    {% do return(query) %}
{% endmacro %}

{# Gives the SQL of texts of the messages, by topic and partition, that staging holds and that cannot be decoded
   again, as the source no longer has them or their feed is not configured; the first 20. #}
{% macro lost_messages(staged) %}
select
    'feed ' || staged.feed || ', topic ' || topic || ', partition ' || `partition` || ': ' || count(*)
    || ' message(s), offsets ' || min(`offset`) || ' to ' || max(`offset`)
    || case
        when bool_and(configured.feed is null) then ', as the feed is not configured'
        {%- for feed in ticdc.feeds() | selectattr("reads", "equalto", "kafka") %}
        when staged.feed = {{ ticdc.text_literal(feed.name) }}
            then ', as the feed keeps no messages of Kafka (keep_messages)'
        {%- endfor %}
        else ', which the source no longer holds'
    end
from {{ ticdc.rows_of(staged) }} as staged
left join (
    select explode(array({{ ticdc.text_literals(ticdc.feeds() | map(attribute="name")) }})) as feed
) as configured
    on staged.feed = configured.feed
left join (
    select distinct
        feed as of_feed,
        topic as of_topic,
        `partition` as of_partition,
        `offset` as of_offset
    from (
        {{ ticdc.held_messages() }}
    ) as messages
    {%- if flags.EMPTY %}
    -- staging takes none of a relation
    where is_copy
    {%- endif %}
) as kept
    on staged.feed = of_feed and topic = of_topic and `partition` = of_partition and `offset` = of_offset
where event_index = 0 and not is_redriven and (configured.feed is null or of_topic is null)
group by staged.feed, topic, `partition`
order by staged.feed, topic, `partition`
limit 20
{% endmacro %}
