{# Gives what is known of this run in this process, which all of its nodes see; nothing else remembers anything.
   `begin_run` puts in it: `is_begun`, `unfinished` (models that are still to be built), the `catalogs` of the session
   and its `timestamp_type`, the `lease`, the `state`, and of the publication that the run began from `published` (its
   models, as JSON) and `published_number`. Later come `is_published`, `saved` (what of the state is saved), `saving`
   (the models that save it now) and `met_others` (whether two did at once), `views` (those that may be made unready),
   `typed` (what was decided on typed tables), and `timestamp_users` (a mark for each model that needs instants). #}
{% macro memory() %}
    {# a program may keep the graph for another run #}
    {% if graph.get("ticdc_memory", {}).get("invocation_id") != invocation_id %}
        {% do graph.update({"ticdc_memory": {"invocation_id": invocation_id}}) %}
    {% endif %}
    {% do return(graph["ticdc_memory"]) %}
{% endmacro %}

{# Gives the state of this run, as `begin_run` opened it and models added to it: `models`, by the names of their tables,
   each with its `batches` (id and level), `since` (the batch from which a feed counts), `anew` (the run that last wrote
   all rows), what it has `settled`, and `facts`; what `State` in `runs/opening.py` has; what was `swept`; `storages`;
   `unbuilt`, the tables that were not built since others that they are made of; and `written`, which is not saved:
   models that wrote and are not settled. Without a run it is the saved one. #}
{% macro state() %}
    {% set memory = ticdc.memory() %}
    {% if "state" not in memory %}{% do memory.update({"state": fromjson(ticdc.saved_states()[1])}) %}{% endif %}
    {% do return(memory.state) %}
{% endmacro %}

{# Gives the states of the publication and of the last run, as JSON; those of no run where there are none yet. #}
{% macro saved_states() %}
    {% set publication, run = ticdc.relation_of("int_ticdc__publication"), ticdc.relation_of("int_ticdc__run") %}
    {% if publication and run %}
        {% do return(run_query(
            "select publication.state, run.state from " ~ publication ~ " as publication cross join " ~ run ~ " as run"
        ).rows[0]) %}
    {% endif %}
    {% set nothing = tojson({"number": 0, "run_id": 0, "is_refresh": false, "models": {}}) %}
    {% do return([nothing, nothing]) %}
{% endmacro %}

{# Gives what the state has of a stored table, also where this run wrote it and did not settle it yet. #}
{% macro state_of(relation) %}
    {% set state = ticdc.state() %}
    {% do return(
        state.get("written", {}).get(relation.identifier)
        or state.models.setdefault(relation.identifier, {"batches": [], "since": {}, "settled": none})
    ) %}
{% endmacro %}

{# Gives what a stored table, or the model's own, was made of, as it noted it; nothing where its rows do not count. #}
{% macro settled(relation=none) %}
    {% set nothing = {"run_id": 0, "bounds": {}} %}
    {% if not execute or (relation is none and not ticdc.has_rows()) or ticdc.is_query(relation or this) %}
        {% do return(nothing) %}
    {% endif %}
    {# a copy, as who asks goes on from it #}
    {% do return(fromjson(tojson(ticdc.state_of(relation or this).settled)) or nothing) %}
{% endmacro %}

{# Gives what a model that comes after the asking one settled; nothing where it is made anew. #}
{% macro settled_later(model) %}
    {% set relation = ticdc.relation_of(model) %}
    {% do return(ticdc.settled(relation) if relation and not ticdc.is_refresh() else {"run_id": 0, "bounds": {}}) %}
{% endmacro %}

{# Gives what a node of the plan decided. Raises an error where one of the `tables` that it looks at has newer rows, as
   the run leaves the node out. #}
{% macro planned(relation, tables) %}
    {% if not execute or ticdc.is_query(relation) %}{% do return({}) %}{% endif %}
    {% set plan = ticdc.state_of(relation).settled or {} %}
    {% if ticdc.has_news(tables, plan.get("planned_by", 0)) %}
        {% do exceptions.raise_compiler_error(
            "ticdc: " ~ model.name ~ " follows what " ~ relation.identifier ~ " decides, and this run leaves that out:"
            ~ " select it as well"
        ) %}
    {% endif %}
    {# a copy, as who asks goes on from it #}
    {% do return(fromjson(tojson(plan))) %}
{% endmacro %}

{# Says, in a comment above a model's query, what the model takes: what it settles (its run, where it says nothing),
   whether it has nothing new to write, whether its batch takes the place of all others, and of which feeds it does. #}
{% macro takes(settles=none, is_idle=false, is_rebuild=false, rebuilt=[]) %}
    -- takes {{ tojson({
        "settles": settles, "is_idle": true if is_idle else false, "is_rebuild": true if is_rebuild else false,
        "rebuilt": rebuilt,
    }) }}
{% endmacro %}

{# Gives what `takes` said in a model's SQL, with `query`, the SQL without it. #}
{% macro taken(sql) %}
    {% set found = modules.re.fullmatch("(?s)((?:\\s*--[^\\n]*\\n)*?\\s*)-- takes ([^\\n]*)\\n(.*)", sql) %}
    {% set nothing = {"settles": none, "is_idle": false, "is_rebuild": false, "rebuilt": [], "query": sql} %}
    {% do return(dict(fromjson(found.group(2)), query=found.group(1) ~ found.group(3)) if found else nothing) %}
{% endmacro %}

{# Adds the batch of this run to a stored table; it counts for others from `settle` on. It takes the place of all others
   where it is made anew, and of all others of the feeds that are rebuilt. #}
{% macro add_batch(relation, is_rebuild=false, rebuilt=[]) %}
    {% set model, run_id = fromjson(tojson(ticdc.state_of(relation))), ticdc.run_id() | int %}
    {% if is_rebuild %}{% do model.update({"batches": [], "since": {}, "anew": run_id}) %}{% endif %}
    {% for feed in rebuilt %}{% do model.since.update({feed: run_id}) %}{% endfor %}
    {% do model.batches.append([run_id, 0]) %}
    {# models that run side by side save what the state holds #}
    {% do ticdc.state().setdefault("written", {}).update({relation.identifier: model}) %}
{% endmacro %}

{# Notes what a stored table was made of, with the batch that was written of it, and saves the state where it is another
   one than before; without `saves`, the next model that settles does, or the end of the run. #}
{% macro settle(relation, settled, saves=true) %}
    {% set state = ticdc.state() %}
    {% set written = state.get("written", {}).pop(relation.identifier, none) %}
    {% do state.models.update({relation.identifier: dict(written or ticdc.state_of(relation), settled=settled)}) %}
    {% do ticdc.note_built(relation, has_written=written is not none) %}
    {# a statement may have taken longer than the lease #}
    {% do ticdc.keep_lease() %}
    {% do ticdc.save_state("models") if saves %}
{% endmacro %}

{# Notes that a stored table was built after those that it is made of, and, where rows were written to it, that the
   stored tables that are made of it, through views and tables between, and that a publication shows, are to be built
   after it. #}
{% macro note_built(relation, has_written=false) %}
    {% set unbuilt, models, after, lengths = ticdc.state().setdefault("unbuilt", {}), [], [], [0] %}
    {% do unbuilt.pop(relation.identifier, none) %}
    {% for node in (graph.nodes.values() if has_written else [])
        if node.package_name == "ticdc" and node.resource_type == "model" %}
        {% do models.append(node) %}
        {% do after.append(node.unique_id) if node.alias == relation.identifier %}
    {% endfor %}
    {# until a pass finds no model more #}
    {% for _ in models if after | length > lengths[-1] %}
        {% do lengths.append(after | length) %}
        {% for node in models if node.unique_id not in after and node.depends_on.nodes | select("in", after) | list %}
            {% do after.append(node.unique_id) %}
        {% endfor %}
    {% endfor %}
    {% for id in graph.nodes["model.ticdc.int_ticdc__publication"].depends_on.nodes if id in after[1:] %}
        {% do unbuilt.update({graph.nodes[id].alias: true}) %}
    {% endfor %}
{% endmacro %}

{# Saves the state of the run where a part of it, `models` or `unbuilt`, is another one than is saved, so that a run
   that follows goes on from here. Of models that save side by side an older state may come last: the last of them to
   end saves once more. #}
{% macro save_state(part) %}
    {% set memory, state, mine = ticdc.memory(), ticdc.state(), this | string %}
    {% set saving = memory.setdefault("saving", []) %}
    {% set run = namespace(saves=memory.get("saved", {}).get(part) != tojson(state.get(part, {}))) %}
    {% for _ in range(100) if run.saves %}
        {% do saving.append(mine) %}
        {% do memory.update({"met_others": true}) if saving | length > 1 %}
        {% set saved = {"models": tojson(state.models), "unbuilt": tojson(state.get("unbuilt", {}))} %}
        {% do run_query("alter view " ~ ticdc.relation_of("int_ticdc__run") ~ " as " ~ ticdc.state_view(state)) %}
        {% do memory.update({"saved": saved}) %}
        {% do saving.remove(mine) %}
        {% set run.saves = not saving and memory.get("met_others", false) %}
        {% do memory.update({"met_others": false}) if run.saves %}
    {% endfor %}
{% endmacro %}

{# The query of the two views of the state: the state as JSON, and as literals what other views need of it, which Spark
   puts into the queries of readers, so that they leave out the folders of other batches. #}
{% macro state_view(state) -%}
    {%- set batches, later_batches, since, feed_bounds, split_tables, saved = {}, {}, {}, {}, [], dict(state) -%}
    {%- do saved.pop("written", none) -%}
    {#- a list, as models that run side by side join the state meanwhile -#}
    {%- for name, model in state.models.items() | list -%}
        {#- a stored history that lacks some changes is none -#}
        {%- set rows_of = (model.settled or {}).get("rows_of") -%}
        {%- if not rows_of or rows_of == ticdc.rows_of_histories(state) -%}
            {%- set ids = model.batches | map(attribute=0) | list -%}
            {%- do batches.update({name: ids}) -%}
            {%- if ids[1:] and (rows_of or name == ticdc.relation_name("int_ticdc__latest")) -%}
                {%- do later_batches.update({name: ids[1:]}) -%}
            {%- endif -%}
        {%- endif -%}
        {%- if model.since %}{% do since.update({name: model.since}) %}{% endif -%}
    {%- endfor -%}
    {%- set changes = state.models.get(ticdc.relation_name("int_ticdc__changes"), {}).get("settled") or {} -%}
    {%- for feed, table_id in changes.get("split") or [] -%}
        {%- do split_tables.append({"feed": feed, "table_id": table_id}) -%}
    {%- endfor -%}
    {%- for feed, first_commit_ts in changes.get("first_commits", {}).items() -%}
        {#- a state of a version that did not note them -#}
        {%- do split_tables.append({"feed": feed, "table_id": ""}) if changes.get("split") is none -%}
        {%- do feed_bounds.update({
            feed: {"first_commit_ts": first_commit_ts, "complete_through_ts": changes.bounds.get(feed)},
        }) -%}
    {%- endfor -%}
    {#- texts, as Spark analyses all of this view wherever rows are read by it -#}
    select
        {{ ticdc.text_literal(tojson(saved)) }} as state,
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

{# Asks what the model's config names as `facts` of its table, a query on `{rows}`, once for all rows that count, and
   notes the answer, its columns by name. #}
{% macro note_facts(relation) %}
    {% set model, query, facts = ticdc.state_of(relation), config.get("facts"), {} %}
    {% set of = local_md5(query ~ tojson([model.batches, model.since])) if query %}
    {% if query and model.get("facts", {}).get("of") != of %}
        {# texts of users stand before it #}
        {% set before, _, after = query.rpartition("{rows}") %}
        {% set found = run_query(before ~ ticdc.rows_of(relation) ~ after) %}
        {% for name in found.column_names %}
            {% set value = found.rows[0][name] %}
            {% do facts.update({name: value | int if value is number and value is not boolean else value}) %}
        {% endfor %}
        {% do model.update({"facts": dict(facts, of=of)}) %}
    {% endif %}
{% endmacro %}

{# Gives what is known of the rows of a stored table that count, as `note_facts` noted it; nothing of no rows. #}
{% macro facts(relation) %}
    {% set is_table = execute and not ticdc.is_query(relation) %}
    {% set model = ticdc.state_of(relation) if is_table else {"batches": []} %}
    {% if model.batches and not model.facts %}
        {% do exceptions.raise_compiler_error(
            "ticdc: " ~ relation ~ " was built by another version of the package, which noted less of it: build all"
            ~ " models of the package once"
        ) %}
    {% endif %}
    {% do return(model.get("facts", {})) %}
{% endmacro %}

{# Gives a hash of what the package's views are made of besides tables: its models and the feeds. What was found by them
   is of no use where it is another one. #}
{% macro views_key() %}
    {% if not execute or "nodes" not in graph %}{% do return("") %}{% endif %}
    {% set models = [] %}
    {% for node in graph.nodes.values() if node.package_name == "ticdc" and node.resource_type == "model" %}
        {% do models.append(node.checksum.checksum) %}
    {% endfor %}
    {% do return(local_md5(tojson([models | sort, ticdc.feeds()]))) %}
{% endmacro %}
