{% macro state_view(state) -%}
    {%- set batches, later_batches, since, feed_bounds = {}, {}, {}, {} -%}
    {#- a list, as models that run side by side join the state meanwhile -#}
    {%- for name, model in state.models.items() | list -%}
        {#- a stored history that lacks some changes is none -#}
        {%- set rows_of = (model.settled or {}).get("rows_of") -%}
        {%- if not rows_of or rows_of == ticdc.rows_of_histories(state) -%}
            {%- set ids = model.batches | map(attribute=0) | list -%}
            {%- do batches.update({name: ids}) -%}
            {%- if ids[1:] and (rows_of or name == ticdc.relation_name("int_ticdc__latest")) %}{% do later_batches.update({name: ids[1:]}) %}{% endif -%}
        {%- endif -%}
        {%- if model.since %}{% do since.update({name: model.since}) %}{% endif -%}
    {%- endfor -%}
    {%- set changes = state.models.get(ticdc.relation_name("int_ticdc__changes"), {}).get("settled") or {} -%}
    {%- set split_tables = [] -%}
    {%- for feed, table_id in changes.get("split") or [] -%}{%- do split_tables.append({"feed": feed, "table_id": table_id}) -%}{%- endfor -%}
    {%- for feed, first_commit_ts in changes.get("first_commits", {}).items() -%}
        {#- a state of a version that did not note them -#}
        {%- do split_tables.append({"feed": feed, "table_id": ""}) if changes.get("split") is none -%}
        {%- do feed_bounds.update({feed: {"first_commit_ts": first_commit_ts, "complete_through_ts": changes.bounds.get(feed)}}) -%}
    {%- endfor -%}
    {#- texts, as Spark analyses all of this view wherever rows are read by it -#}
    select
        {{ ticdc.text_literal(tojson(state)) }} as state,
        {% for name, value, type in [
            ("batches", batches, "map<string, array<bigint>>"),
            ("later_batches", later_batches, "map<string, array<bigint>>"),
            ("since", since, "map<string, map<string, bigint>>"),
            ("feed_bounds", feed_bounds, "map<string, struct<first_commit_ts: bigint, complete_through_ts: bigint>>"),
            ("split_tables", split_tables, "array<struct<feed: string, table_id: string>>"),
        ] -%}
        from_json({{ ticdc.text_literal(tojson(value)) }}, '{{ type }}', map('mode', 'FAILFAST')) as {{ name }}
        {{- "," if not loop.last }}
        {% endfor -%}
{%- endmacro %}
