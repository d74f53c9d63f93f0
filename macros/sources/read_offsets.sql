{% macro read_offsets(reader, relation, feeds) -%}
{%- set is_staging = reader.startswith("stg_") -%}
{%- set runs = ticdc.relation_before("int_ticdc__staged_runs") if is_staging else none -%}
{%- set noted_run_id = ticdc.settled(runs).run_id if runs else 0 -%}
{%- set names = ticdc.text_literals(feeds | map(attribute="name")) -%}
    {% if noted_run_id -%}
    select
        feed,
        topic,
        `partition`,
        run_id,
        last_offset + 1 as next_offset
    from {{ ticdc.rows_of(runs) }} as staged_runs
    where
        feed in ({{ names }})
        and protocol = {{ ticdc.text_literal(feeds[0].protocol) }}
        and run_id between {{ ticdc.first_run_id(relation) }} and {{ noted_run_id }}
        and messages > 0

    union all

    {% endif -%}
    -- of runs that ended before what they read was noted
    select
        feed,
        topic,
        `partition`,
        run_id,
        max(`offset`) + 1 as next_offset
    from {{ ticdc.rows_of(relation) }} as read
    where feed in ({{ names }}) and run_id > {{ noted_run_id }}{{ " and not is_redriven" if is_staging }}
    group by feed, topic, `partition`, run_id
{%- endmacro %}
