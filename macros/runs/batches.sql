{# Gives the ids of the batches of a stored table that count in this run. #}
{% macro batches(relation) %}
    {% set is_table = execute and not ticdc.is_query(relation) %}
    {% do return(ticdc.state_of(relation).batches | map(attribute=0) | list if is_table else []) %}
{% endmacro %}

{# Says whether a table is the query of a unit test, of which there is no state. #}
{% macro is_query(relation) %}
    {# there `this` has a schema, too #}
    {% do return(relation.schema is none or "nodes" not in graph) %}
{% endmacro %}

{# Says whether the model's table has rows that count and that the run goes on from. Raises an error where the model is
   configured otherwise than the package does. #}
{% macro has_rows() %}
    {% if not execute %}{% do return(false) %}{% endif %}
    {% set materialized = config.get("materialized") %}
    {% if not (materialized.startswith("ticdc_") or materialized == "unit") or materialized == "ticdc_view" %}
        {% do exceptions.raise_compiler_error(
            "ticdc: the model " ~ model.name ~ " can only be materialized as the package does it, got " ~ materialized
            ~ ": rows would be lost; in dbt_project.yml set +materialized below the name of your project"
        ) %}
    {% endif %}
    {% set is_refresh = ticdc.is_refresh() and not config.get("is_kept") %}
    {% set is_settled = not is_refresh and ticdc.state_of(this).settled is not none %}
    {# a node of the plan has no table #}
    {% do return(is_settled and (materialized == "ticdc_plan" or load_cached_relation(this) is not none)) %}
{% endmacro %}

{# Says whether one of some stored tables has a batch of a later run than this one. #}
{% macro has_news(tables, run_id) %}
    {% for table in tables %}
        {# what a run merged has ids a little above its own #}
        {% if ticdc.batches(table) and ticdc.batches(table) | max > run_id + 8 %}{% do return(true) %}{% endif %}
    {% endfor %}
    {% do return(false) %}
{% endmacro %}

{# The rows of a stored table that count in this run, but those of some feeds. #}
{% macro rows_of(relation, without_feeds=[]) -%}
    {%- if not execute or ticdc.is_query(relation) -%}
    {{ relation }}
    {%- else -%}
    (
        select *
        from {{ relation }}
        where {{ ticdc.is_of_batches(ticdc.batches(relation), ticdc.state_of(relation).since) }}
        {%- if without_feeds %} and feed not in ({{ ticdc.text_literals(without_feeds) }}){% endif %}
    )
    {%- endif -%}
{%- endmacro %}

{# The condition that rows are of these batches, and of each feed in `since` of none before one. #}
{% macro is_of_batches(batches, since) -%}
    batch_id in ({{ batches | join(", ") or "null" }})
    {%- for feed, batch_id in since.items() %}
    and (feed <> {{ ticdc.text_literal(feed) }} or batch_id >= {{ batch_id }})
    {%- endfor %}
{%- endmacro %}

{# The rows of a stored table that count in the run that builds, for views between stored tables. #}
{% macro live_rows(relation) -%}
    {{ ticdc.rows_by_view(relation, "int_ticdc__run") }}
{%- endmacro %}

{# The rows of a stored table that the publication shows, for what users read. #}
{% macro published_rows(relation) -%}
    {{ ticdc.rows_by_view(relation, "int_ticdc__publication") }}
{%- endmacro %}

{# The rows of a stored table that count by a view of the state, which each query asks. #}
{% macro rows_by_view(relation, model) -%}
    {%- if relation.schema is none -%}
    {{ relation }}
    {%- else -%}
    {%- set name, view, by_feed = ticdc.text_literal(relation.identifier), ticdc.ref(model), [] -%}
    {%- for each in ["int_ticdc__carried_rows", "int_ticdc__changes", "int_ticdc__resolved_rows"] -%}
        {%- do by_feed.append(ticdc.relation_name(each)) -%}
    {%- endfor -%}
    (
        {%- if relation.identifier in by_feed %}
        select stored.* except (shown)
        from (
            select
                *,
                -- one subquery for both, as Spark analyses each wherever rows are read
                (
                    select
                        struct(
                            try_element_at(batches, {{ name }}) as batches, try_element_at(since, {{ name }}) as since
                        )
                    from {{ view }}
                ) as shown
            from {{ relation }}
        ) as stored
        where
            array_contains(shown.batches, batch_id)
            and batch_id >= coalesce(try_element_at(shown.since, feed), 0)
        {%- else %}
        select stored.*
        from {{ relation }} as stored
        where
            array_contains(
                (select try_element_at(states.batches, {{ name }}) from {{ view }} as states), stored.batch_id
            )
        {%- endif %}
    )
    {%- endif -%}
{%- endmacro %}

{# The batches of a stored table that the publication shows, or another column of it, by the table's name. #}
{% macro published_batches(name, column="batches") -%}
    (
        select try_element_at(states.{{ column }}, {{ ticdc.text_literal(name) }})
        from {{ ref("int_ticdc__publication") }} as states
    )
{%- endmacro %}

{# Merges eight batches of a table that this run wrote, where they were merged as often, into one, so that they stay few
   however many runs there are. #}
{% macro compact_batches(relation) %}
    {% set model = ticdc.state_of(relation) %}
    {% for level in range(4) %}
        {% set ids = [] %}
        {% for batch_id, its_level in model.batches if its_level == level %}{% do ids.append(batch_id) %}{% endfor %}
        {% if ids | length >= 8 %}
            {% set merged = ticdc.run_id() | int + level + 1 %}
            {% set rows = "select * except (batch_id) from " ~ relation ~ " where " %}
            {% set rows = rows ~ ticdc.is_of_batches(ids, model.since) %}
            {% do run_query(ticdc.batch_statement(relation, relation, rows, merged)) %}
            {% do model.update({"batches": model.batches | rejectattr(0, "in", ids) | list + [[merged, level + 1]]}) %}
        {% endif %}
    {% endfor %}
{% endmacro %}
