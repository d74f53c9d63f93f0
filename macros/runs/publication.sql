{# Shows readers what the run wrote: all tables at once, as the view of the publication alone tells which batches count.
   Nothing happens where they see it already. Raises an error where another run published since this one began, or since
   it published itself, and where readers would see half of what changed. #}
{% macro publish() %}
    {% set state, memory, answers = ticdc.state(), ticdc.memory(), {} %}
    {% for key, rows in memory.get("answers", {}).items() | list if tojson(rows) | length <= 2000 %}
        {% do answers.update({key: rows}) %}
    {% endfor %}
    {% do memory.update({"is_published": true}) %}
    {% set is_answered = answers.keys() | sort == state.get("answers", {}).keys() | sort %}
    {% if tojson(state.models) == memory.published and is_answered %}{% do return(none) %}{% endif %}
    {% do ticdc.keep_lease(after=60) %}
    {# a run whose lease ended may be followed by one that began from the same publication #}
    {% set found = fromjson(ticdc.saved_states()[0]).number %}
    {% set unbuilt = state.get("unbuilt", {}) | sort | join(", ") %}
    {% set outdated = ticdc.outdated_storages(state) | join(", ") %}
    {% if found != memory.published_number %}
        {% do exceptions.raise_compiler_error(
            "ticdc: another run published while this one built: it began from publication " ~ memory.published_number
            ~ ", and now there is " ~ found ~ ". What it wrote is not shown, and the next run does its part again"
        ) %}
    {% elif unbuilt %}
        {% do exceptions.raise_compiler_error(
            "ticdc: readers would see half of what changed, as these tables were not built since others that they are"
            ~ " made of: " ~ unbuilt ~ ". Build " ~ unbuilt ~ ", or all of the package, before int_ticdc__publication"
        ) %}
    {% elif outdated %}
        {% do exceptions.raise_compiler_error(
            "ticdc: what this run changed of these stored tables is not in them, and would not be seen: " ~ outdated
            ~ ". Build int_ticdc__typed_storages, or all of the package, before int_ticdc__publication"
        ) %}
    {% endif %}
    {% do ticdc.sweep(state) %}
    {% do state.update({"answers": answers}) %}
    {% do run_query("alter view " ~ ticdc.relation_of("int_ticdc__publication") ~ " as " ~ ticdc.state_view(state)) %}
    {% do memory.update({"published": tojson(state.models), "published_number": state.number}) %}
{% endmacro %}

{# Drops what was of no use a day ago already, as a query that began before it was superseded may still read it:
   batches, stored typed tables, and what the log has of old runs. #}
{% macro sweep(state) %}
    {% set now = modules.datetime.datetime.now(modules.pytz.utc).timestamp() | int %}
    {% set last = state.get("swept", {"at": 0, "batches": {}}) %}
    {% set is_parquet = config.get("file_format", "parquet") == "parquet" %}
    {% if now < last.at + 24 * 3600 %}{% do return(none) %}{% endif %}
    {% set drops, blocks, kept, places = [], [], {}, {} %}
    {% for model in ticdc.stored_models() if ticdc.relation_of(model) %}
        {% do places.update({ticdc.relation_name(model): [ticdc.relation_of(model) | string, "batch_id"]}) %}
    {% endfor %}
    {% for storage in state.get("storages", []) %}
        {% do places.update({ticdc.storage_name(storage): [storage, "generation"]}) %}
    {% endfor %}
    {% for name, model in state.models.items() | list if name in places and model.batches %}
        {% set relation, column = places[name] %}
        {% do kept.update({name: model.batches | map(attribute=0) | list}) %}
        {# one that the last sweep did not know has nothing that is old enough #}
        {% for batch in ticdc.batches_there(relation if name in last.batches, column) %}
            {% if batch < last.at * 1000000 and batch not in kept[name] + last.batches.get(name, []) %}
                {% do drops.append([relation, column, batch]) %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {% set log = ticdc.relation_of("int_ticdc__runs") if last.at %}
    {% for batch in (ticdc.batches_there(log, "batch_id") | sort(reverse=true))[500:] if log %}
        {% do drops.append([log, "batch_id", batch]) %}
    {% endfor %}
    {% for relation, column, batch in drops %}
        {% do blocks.append({"place": 0, "statements": [
            "alter table " ~ relation ~ " drop if exists partition (" ~ column ~ " = " ~ batch ~ ")"
            if is_parquet else "delete from " ~ relation ~ " where " ~ column ~ " = " ~ batch
        ]}) %}
    {% endfor %}
    {% for storage in last.get("storages", []) if storage not in state.get("storages", []) %}
        {% do blocks.append({"place": 0, "statements": ["drop table if exists " ~ storage]}) %}
    {% endfor %}
    {% do ticdc.tried_statements(blocks) if blocks %}
    {% do state.update({"swept": {"at": now, "batches": kept, "storages": state.get("storages", [])}}) %}
{% endmacro %}

{# Gives the ids of the batches that a table has, whether they count or not. #}
{% macro batches_there(relation, column) %}
    {% if not relation %}{% do return([]) %}{% endif %}
    {% set found, is_parquet = [], config.get("file_format", "parquet") == "parquet" %}
    {% set query = "show partitions " ~ relation if is_parquet else "select distinct " ~ column ~ " from " ~ relation %}
    {% for row in run_query(query).rows %}
        {% do found.append((row[0] | string).split("/")[0].split("=")[-1] | int) %}
    {% endfor %}
    {% do return(found | unique | list) %}
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
    {% do ticdc.save_state("unbuilt") if not is_published %}
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
