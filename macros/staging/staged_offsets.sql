{% macro staged_offsets(protocol, relation, first_run_id) %}
    {% set staged = {"relation": relation, "first_run_id": first_run_id, "ranges": []} %}
    {% if not (execute and relation) or protocol.startswith("storage_") %}{% do return(staged) %}{% endif %}
    {% set ranges, with_holes = staged.ranges, [] %}
    {% set feeds = ticdc.feeds_of_kind("relation", ticdc.feeds()) | map(attribute="name") | list %}
    {% set runs = ticdc.relation_before("int_ticdc__staged_runs") %}
    {% for row in ticdc.asked(
        ticdc.staged_offset_ranges(protocol, relation, first_run_id), [relation, runs] if runs else [relation]
    ) if row[0] in feeds %}
        {% set range = {"feed": row[0], "topic": row[1], "partition": row[2], "first_offset": row[3], "last_offset": row[4]} %}
        {% do ranges.append(range) %}
        {% if not row[5] %}{% do with_holes.append(range) %}{% endif %}
    {% endfor %}
    {# not `asked`, which remembers an answer as long as the tables are the same: the source is none of them #}
    {% for row in (run_query(ticdc.late_offsets(protocol, relation, with_holes)).rows if with_holes else []) %}
        {% do with_holes[row[0] | int].update({
            "late_from": row[1] | int, "late_to": row[2] | int, "staged_in": ticdc.rows_of(relation),
        }) %}
    {% endfor %}
    {% do return(staged) %}
{% endmacro %}
