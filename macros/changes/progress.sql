{# Gives the feeds whose changes are there and are made anew by this run, as a list. #}
{% macro rebuilt_feeds(settled, progress) %}
    {% if execute and ticdc.is_refresh() %}
        {% do return(ticdc.feeds() | map(attribute="name") | list if load_cached_relation(this) else []) %}
    {% endif %}
    {% do return(ticdc.feeds_to_rebuild(settled, progress)) %}
{% endmacro %}

{# Gives the SQL condition that an event is not settled yet and may be shown: it was staged or held back since the
   last run, or its feed is made anew, and lies within the bounds of now. #}
{% macro is_unsettled_event(settled, progress, also=none, rows="") -%}
    {%- set redriven, feed = ticdc.feeds_to_rebuild(settled, progress), rows ~ "feed" -%}
    {%- set is_as_before = settled.run_id == progress.run_id and settled.bounds == progress.bounds -%}
    {%- if settled.run_id and is_as_before and not (redriven or also) -%}
    false
    {%- else -%}
    (
        {{ rows }}run_id > {{ settled.run_id }}
        {%- if settled.bounds %}
        or {{ rows }}commit_ts > {{ ticdc.of_feed(settled.bounds, feed=feed) }}
        {%- endif %}
        {%- if redriven %}
        or {{ feed }} in ({{ ticdc.text_literals(redriven) }})
        {%- endif %}
        {%- if also %}
        or {{ also }}
        {%- endif %}
    )
    {%- if progress.bounds %}
    and {{ ticdc.is_within(rows ~ "commit_ts", progress.bounds, feed) }}
    {%- endif %}
    {%- endif -%}
{%- endmacro %}

{# Gives the SQL condition that a commit lies within the bound of its feed, or that the feed has none. #}
{% macro is_within(commit_ts, bounds, feed="feed") -%}
    {%- set bound = ticdc.of_feed(bounds, feed=feed) -%}
    if({{ bound }} is null, true, {{ commit_ts }} <= {{ bound }})
{%- endmacro %}

{# Gives the feeds, as a list, that are to be rebuilt since a table was made, whatever the cause. #}
{% macro feeds_to_rebuild(settled, progress) %}
    {% set feeds, before = [], settled.get("redriven", {}) %}
    {% for feed, run_id in progress.get("redriven", {}).items() if settled.run_id %}
        {% do feeds.append(feed) if run_id > before.get(feed, 0) %}
    {% endfor %}
    {% do return(feeds) %}
{% endmacro %}
