{% macro relations_to_generate(feed, history) %}
    with

    columns as (

        select
            feed,
            table_id,
            table_incarnation,
            collect_list(struct(column_name, column_type, is_nullable)) as upstream
        from {{ ref("ticdc", "ticdc__columns") }}
        where valid_to_ts is null and feed = {{ ticdc.text_literal(feed) }}
        group by feed, table_id, table_incarnation

    ),

    relations as (

        select
            tables.*,
            columns.upstream,
            {% if history -%}
            explode(array_compact(array(tables.current_relation, tables.history_relation))) as relation
            {%- else -%}
            tables.current_relation as relation
            {%- endif %}
        from {{ ref("ticdc", "ticdc__tables") }} as tables
        left join columns using (feed, table_id, table_incarnation)
        where tables.current_relation is not null

    )

    select
        feed,
        relation,
        to_json(struct(*, relation <> current_relation as is_history)) as told
    from relations
    order by feed, current_relation, relation <> current_relation
{% endmacro %}
