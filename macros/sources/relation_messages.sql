{% macro relation_messages(feeds, ranges=[]) %}
{%- set by_source = {} -%}
{%- for feed in feeds -%}{%- do by_source.setdefault(tojson(feed.source, sort_keys=true), []).append(feed) -%}{%- endfor -%}
{%- for of_source in by_source.values() %}
select *
from (
    select
        topic,
        `partition`,
        `offset`,
        cast(`timestamp` as timestamp_ltz) as message_at,
        key,
        value,
        {% if of_source | length == 1 -%}
        -- by a constant Spark does not sort rows before it writes partitions
        {{ ticdc.text_literal(of_source[0].name) }} as feed
        {%- else -%}
        -- one read of the source, however many feeds there are
        explode(
            array(
                {%- for feed in of_source %}
                if({{ ticdc.is_of_feed(feed) }}, {{ ticdc.text_literal(feed.name) }}, null)
                {{- "," if not loop.last }}
                {%- endfor %}
            )
        ) as feed
        {%- endif %}
    from {{ ticdc.raw_messages(of_source[0]) }}
) as sent
where
    feed is not null
    and (
        {%- for feed in of_source %}
        {{ "or " if not loop.first }}({{ ticdc.is_of_feed(feed) }}
        {{- ticdc.may_not_be_staged(ranges | selectattr("feed", "equalto", feed.name) | list) }})
        {%- endfor %}
    )
    and {{ ticdc.is_not_staged(ranges | selectattr("feed", "in", of_source | map(attribute="name") | list) | list) }}
{% if not loop.last %}
union all
{% endif %}
{%- endfor -%}
{% endmacro %}
