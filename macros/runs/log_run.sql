{% macro log_run(lease, unfinished) %}
    {% set log, state, run_id = ticdc.relation_of("int_ticdc__runs"), ticdc.state(), ticdc.run_id() | int %}
    {% set written = [] %}
    {% for name, model in state.models.items() | list if model.batches and run_id <= model.batches | map(attribute=0) | max %}{% do written.append(name) %}{% endfor %}
    {% if not log or not (written or unfinished) %}{% do return(none) %}{% endif %}
    {% set is_published = tojson(state.models) == ticdc.memory().published %}
    {% set kind = "redecode" if var("ticdc__redecode", false) else "full refresh" if state.is_refresh else "re-drive" if var("ticdc__redrive", false) else "increment" %}
    {% set staged_runs, changes = ticdc.relation_of("int_ticdc__staged_runs"), ticdc.relation_of("int_ticdc__changes") %}
    {% set query %}
    insert into {{ log }} by name
    select *
    from (
        select
            {{ run_id }} as run_id,
            '{{ kind }}' as kind,
            timestamp_micros({{ run_id }}) as started_at,
            current_timestamp() as ended_at,
            '{{ "failed" if unfinished else "published" if is_published else "unpublished" }}' as state,
            {{ ticdc.text_literal(lease.who) }} as who,
            {{ "(select sum(messages) from " ~ staged_runs ~ " where batch_id = " ~ run_id ~ ")" if staged_runs else "null" }} as messages,
            {{ "(select count(*) from " ~ changes ~ " where batch_id = " ~ run_id ~ ")" if changes else "null" }} as changes,
            cast({{ state.number if is_published else "null" }} as bigint) as publication,
            cast(array({{ ticdc.text_literals(written) }}) as array<string>) as written_tables,
            cast(array({{ ticdc.text_literals(unfinished) }}) as array<string>) as unfinished_models,
            {{ run_id }} as batch_id
    ) as done
    where messages > 0 or changes > 0 or state <> 'published' or kind <> 'increment'
    {% endset %}
    {% do run_query(query) %}
{% endmacro %}
