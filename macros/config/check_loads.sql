{% macro check_loads(loads) %}
    {% set changes = ticdc.relation_of("int_ticdc__changes") %}
    {% if not loads or ticdc.is_refresh() or not changes %}{% do return(none) %}{% endif %}
    {% set query %}
    select loads.id
    from inline(from_json({{ ticdc.text_literal(tojson(loads)) }}, 'array<struct<id: string, feed: string, commit_ts: bigint>>')) as loads
    inner join (select feed, max(commit_ts) as last_commit_ts from {{ ticdc.rows_of(changes) }} group by feed) using (feed)
    where last_commit_ts > loads.commit_ts
    order by loads.id
    {% endset %}
    {% set late = run_query(query).rows | map(attribute=0) | list %}
    {% if late %}
        {% do exceptions.raise_compiler_error(
            "ticdc: ticdc__initial_loads has what begins before commits that are built already, " ~ late | join(", ")
            ~ " (feed, schema, table, commit); build once with --full-refresh"
        ) %}
    {% endif %}
{% endmacro %}
