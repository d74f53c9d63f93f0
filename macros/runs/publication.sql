{# Shows readers what the run wrote: all tables at once, as the view of the publication alone tells which batches count.
   Nothing happens where they see it already. Raises an error where another run published since this one began, or since
   it published itself, and where readers would see half of what changed, as the UDF `ticdc_publication` decides. #}
{% macro publish() %}
    {% set state, memory = ticdc.state(), ticdc.memory() %}
    {% do memory.update({"is_published": true}) %}
    {% if tojson(state.models) == memory.published %}{% do return(none) %}{% endif %}
    {% do ticdc.keep_lease(after=60) %}
    {% set view, run = ticdc.relation_of("int_ticdc__publication"), {
        "began_from": memory.published_number, "unbuilt": state.get("unbuilt", {}) | list,
        "outdated": ticdc.outdated_storages(state), "sweep": ticdc.due_sweep(state),
    } %}
    {% set decided = fromjson(run_query(
        "select ticdc_publication(state, " ~ ticdc.text_literal(tojson(run)) ~ ") from " ~ view
    ).rows[0][0]) %}
    {% do exceptions.raise_compiler_error("ticdc: " ~ decided.refusal) if decided.refusal %}
    {% for script in decided.scripts %}{% do run_query(script) %}{% endfor %}
    {% do state.update({"swept": decided.swept or state.get("swept", {})}) %}
    {% do run_query("alter view " ~ view ~ " as " ~ ticdc.state_view(state)) %}
    {% do memory.update({"published": tojson(state.models), "published_number": state.number}) %}
{% endmacro %}

{# Gives, once a day, what is to be known to drop what was of no use a day ago already, as a query that began before it
   was superseded may still read it: batches, stored typed tables, and what the log has of old runs. #}
{% macro due_sweep(state) %}
    {% set now = modules.datetime.datetime.now(modules.pytz.utc).timestamp() | int %}
    {% set last, tables = state.get("swept") or {"at": 0, "batches": {}}, [] %}
    {% if now < last.at + 24 * 3600 %}{% do return(none) %}{% endif %}
    {% for model in ticdc.stored_models() + ["int_ticdc__runs"] if ticdc.relation_of(model) %}
        {# the state knows nothing of the log #}
        {% set name = ticdc.relation_name(model) if model != "int_ticdc__runs" else none %}
        {% do tables.append({"name": name, "relation": ticdc.relation_of(model) | string, "column": "batch_id"}) %}
    {% endfor %}
    {% for storage in state.get("storages", []) %}
        {% set name = storage.split(".")[-1].replace("`", "") %}
        {% do tables.append({"name": name, "relation": storage, "column": "generation"}) %}
    {% endfor %}
    {% set is_parquet = config.get("file_format", "parquet") == "parquet" %}
    {# one that the last sweep did not know has nothing that is old enough #}
    {% for table in tables if last.at and (
        table.name is none or (table.name in last.batches and state.models.get(table.name, {}).get("batches"))
    ) %}
        {% set batches, query = [], "select distinct " ~ table.column ~ " from " ~ table.relation %}
        {% for row in run_query("show partitions " ~ table.relation if is_parquet else query).rows %}
            {% do batches.append((row[0] | string).split("/")[0].split("=")[-1] | int) %}
        {% endfor %}
        {% do table.update({"batches": batches | unique | list}) %}
    {% endfor %}
    {% do return({
        "now": now, "tables": tables, "models": state.models, "storages": state.get("storages", []), "last": last,
        "is_parquet": is_parquet,
    }) %}
{% endmacro %}

{# Ends the run, once: shows what followed the publication, such as typed tables, releases the lease, and logs the run
   where it took or wrote anything, or did not come to its end. `unfinished` are models that failed or were left out. #}
{% macro finish_run(unfinished) %}
    {% set memory = ticdc.memory() %}
    {% if not memory.get("lease") %}{% do return(none) %}{% endif %}
    {% do ticdc.publish() if not unfinished and memory.get("is_published") %}
    {% set state = ticdc.state() %}
    {% set is_published = tojson(state.models) == memory.published %}
    {# what was built and found nothing new, of a run that is gone on with #}
    {% for part in (["models", "unbuilt"] if not is_published else []) %}{% do ticdc.save_state(part) %}{% endfor %}
    {# before the log, whose failure would else keep the next run waiting #}
    {% set lease = memory.pop("lease") %}
    {% do run_query("drop table if exists " ~ lease.relation) %}
    {% set run_id, written = ticdc.run_id() | int, [] %}
    {% for name, model in state.models.items() | list if model.batches %}
        {% do written.append(name) if run_id <= model.batches | map(attribute=0) | max %}
    {% endfor %}
    {% set log, staged_runs = ticdc.relation_of("int_ticdc__runs"), ticdc.relation_of("int_ticdc__staged_runs") %}
    {% if not log or not (written or unfinished) %}{% do return(none) %}{% endif %}
    {% set changes, of_run = ticdc.relation_of("int_ticdc__changes"), " where batch_id = " ~ run_id ~ ")" %}
    {% set kind = (
        "redecode" if var("ticdc__redecode", false) else "full refresh" if state.is_refresh
        else "re-drive" if var("ticdc__redrive", false) else "increment"
    ) %}
    {% set staged = state.get("staged", {}).values() | map(attribute=1) | list %}
    {% set ended = tojson({"run_id": run_id, "models": state.models, "staged": staged}) %}
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
            {{ "(select sum(messages) from " ~ staged_runs ~ of_run if staged_runs else "null" }} as messages,
            {{ "(select count(*) from " ~ changes ~ of_run if changes else "null" }} as changes,
            cast({{ state.number if is_published else "null" }} as bigint) as publication,
            cast(array({{ ticdc.text_literals(written) }}) as array<string>) as written_tables,
            cast(array({{ ticdc.text_literals(unfinished) }}) as array<string>) as unfinished_models,
            ticdc_run_plan({{ ticdc.text_literal(ended) }}) as plan,
            {{ run_id }} as batch_id
    ) as done
    where messages > 0 or changes > 0 or state <> 'published' or kind <> 'increment'
    {% endset %}
    {% do run_query(query) %}
{% endmacro %}
