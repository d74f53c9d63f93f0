{# Gives a SQL string literal; whatever the text holds stays text. #}
{% macro text_literal(text) -%}
    '{{ text | string | replace("\\", "\\\\") | replace("'", "\\'") }}'
{%- endmacro %}

{# Gives SQL string literals with commas between them. #}
{% macro text_literals(texts) -%}
    {%- for text in texts %}{{ ticdc.text_literal(text) }}{{ ", " if not loop.last }}{% endfor -%}
{%- endmacro %}

{# Gives a name as SQL takes it: as it is where it is plain lower case, else in backticks. #}
{% macro identifier(name) -%}
    {{ name if modules.re.fullmatch("[a-z_][a-z0-9_]*", name) else "`" ~ name | replace("`", "``") ~ "`" }}
{%- endmacro %}

{# Gives a SQL expression, a text that the name of the feed in the column `feed` tells. #}
{% macro by_feed(feeds, member, rows="") -%}
    case {{ rows }}feed
        {%- for feed in feeds %}
        when {{ ticdc.text_literal(feed.name) }} then {{ ticdc.text_literal(feed[member]) }}
        {%- endfor %}
    end
{%- endmacro %}

{# Gives a SQL expression, the value that a mapping has for a feed; NULL where it has none. #}
{% macro of_feed(values, type="bigint", feed="feed") -%}
    {#- one text, as Spark plans each of many conditions side by side, and what follows from it, for each table that is
        read -#}
    {%- set text = ticdc.text_literal(tojson(values)) -%}
    try_element_at(from_json({{ text }}, 'map<string, {{ type }}>', map('mode', 'FAILFAST')), {{ feed }})
{%- endmacro %}

{# Gives the columns that make a row's identity among all tables, comma-separated, as SQL. #}
{% macro row_key_columns() -%}
    feed, table_id, table_incarnation, row_key
{%- endmacro %}

{# Gives the columns that order the changes of one row, comma-separated, as SQL: commit, delete first, then place in
   Kafka. #}
{% macro row_order(direction="") -%}
    {% for column in ["commit_ts", "apply_rank", "topic", "`partition`", "`offset`", "event_index"] -%}
        {{ column }}{{ " " ~ direction if direction }}{{ ", " if not loop.last }}
    {%- endfor %}
{%- endmacro %}
