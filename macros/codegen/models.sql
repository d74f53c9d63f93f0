{# The models of a feed's typed tables, as UDF `ticdc_generated_model` makes them: `name`, `sql` and `yml`. #}
{% macro generated_models(feed, history) %}
    {% set found, relations, models = run_query(ticdc.relations_to_generate(feed, history)).rows, [], [] %}
    {% for row in found if row[0] == feed %}
        {% set table = dict(fromjson(row[2]), columns=ticdc.described_columns(row[1])) %}
        {% do relations.append("(" ~ relations | length ~ ", " ~ ticdc.text_literal(tojson(table)) ~ ")") %}
    {% endfor %}
    {% if not relations %}
        {% set others = found | map(attribute=0) | unique | join(", ") or "none" %}
        {% do exceptions.raise_compiler_error(
            "ticdc: feed " ~ tojson(feed) ~ " has no typed tables; feeds that have: " ~ others
        ) %}
    {% endif %}
    {% for some in ticdc.short_lists(relations) %}
        {% set rows = some | join(", ") ~ " as relations (place, relation) order by place" %}
        {% for row in run_query("select ticdc_generated_model(relation) from values " ~ rows).rows %}
            {% do models.append(fromjson(row[0])) %}
        {% endfor %}
    {% endfor %}
    {% do return(models) %}
{% endmacro %}

{# A query of the typed tables of a feed, with what `ticdc_generated_model` takes of each as JSON, and of those of
   other feeds. #}
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

{# The columns of a relation: pairs of name and type, as Spark describes it. #}
{% macro described_columns(relation) %}
    {% set described = run_query("describe table " ~ relation).rows %}
    {% set names = described | map(attribute=0) | list %}
    {% if none in names %}
        {# dbt reads the name null, where it is a value, as nothing; to ask for the names themselves takes longer #}
        {% set columns = adapter.get_column_schema_from_query("select * from " ~ relation ~ " where false") %}
        {% set names = columns | map(attribute="name") | list %}
    {% endif %}
    {% do return(zip(names, described | map(attribute=1)) | list) %}
{% endmacro %}
