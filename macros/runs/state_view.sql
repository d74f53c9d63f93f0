{% macro state_view(state) -%}
    {%- set batches, since = [], [] -%}
    {#- a list, as models that run side by side join the state meanwhile -#}
    {%- for name, model in state.models.items() | list -%}
        {%- do batches.append(ticdc.text_literal(name) ~ ", array(" ~ model.batches | map(attribute=0) | join(", ") ~ ")") -%}
        {%- set feeds = [] -%}
        {%- for feed, batch_id in model.since.items() %}{% do feeds.append(ticdc.text_literal(feed) ~ ", " ~ batch_id) %}{% endfor -%}
        {%- if feeds %}{% do since.append(ticdc.text_literal(name) ~ ", map(" ~ feeds | join(", ") ~ ")") %}{% endif -%}
    {%- endfor -%}
    select
        {{ ticdc.text_literal(tojson(state)) }} as state,
        cast(map({{ batches | join(", ") }}) as map<string, array<bigint>>) as batches,
        cast(map({{ since | join(", ") }}) as map<string, map<string, bigint>>) as since,
        cast(map(
            {%- set changes = state.models.get(ticdc.relation_name("int_ticdc__changes"), {}).get("settled") or {} %}
            {%- for feed, first_commit_ts in changes.get("first_commits", {}).items() %}
            {{- ticdc.text_literal(feed) }}, struct(cast({{ first_commit_ts }} as bigint), cast({{ changes.bounds.get(feed, "null") }} as bigint))
            {{- ", " if not loop.last }}
            {%- endfor -%}
        ) as map<string, struct<first_commit_ts: bigint, complete_through_ts: bigint>>) as feed_bounds
{%- endmacro %}
