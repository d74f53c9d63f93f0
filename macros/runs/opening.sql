{# Opens the state of this run: from the last publication, or from where the last run stopped, as the UDF
   `ticdc_opened_state` decides, or refuses the run for what it says. Makes the views of the state where they are not
   there, and gives those of an older version the columns that this one asks for. #}
{% macro open_state(models) %}
    {% set memory, stored, views, missing, built = ticdc.memory(), ticdc.stored_models(), {}, [], [] %}
    {% set feeds, staged = {}, {} %}
    {% for view in ["int_ticdc__publication", "int_ticdc__run"] %}
        {% do views.update({view: ticdc.relation_of(view)}) %}
        {% do missing.append(view) if not views[view] %}
    {% endfor %}
    {% for model in (stored if missing else []) if ticdc.relation_of(model) %}
        {% do built.append(ticdc.relation_of(model) | string) %}
    {% endfor %}
    {% for feed in ticdc.feeds() %}
        {% set node = graph.nodes["model.ticdc.stg_ticdc__" ~ feed.protocol] %}
        {% do feeds.update({feed.name: feed.protocol}) %}
        {% do staged.update({feed.protocol: [node.schema, node.alias]}) %}
    {% endfor %}
    {% set facts = {
        "run_id": ticdc.run_id() | int, "started_at": run_started_at | string, "is_refresh": ticdc.is_refresh(),
        "is_part": stored | reject("in", models) | list | length > 0, "is_redecode": var("ticdc__redecode", false),
        "feeds": feeds, "staged": staged, "missing": missing, "built": built,
    } %}
    {% set saved = "values ('{}', '{}') as saved (published, working)" if missing else (
        "(select published.state as published, working.state as working from " ~ views.int_ticdc__publication
        ~ " as published cross join " ~ views.int_ticdc__run ~ " as working)"
    ) %}
    {% set opened = fromjson(run_query(
        "select ticdc_opened_state(published, working, " ~ ticdc.text_literal(tojson(facts)) ~ ") from " ~ saved
    ).rows[0][0]) %}
    {% if opened.refusal %}
        {# `end_run`, which releases it too, does not follow an error of `begin_run` #}
        {% do run_query("drop table if exists " ~ memory.pop("lease").relation) %}
        {% do exceptions.raise_compiler_error("ticdc: " ~ opened.refusal) %}
    {% endif %}
    {% do memory.update({
        "state": opened.state, "published": tojson(opened.published), "published_number": opened.state.number - 1,
        "saved": {"models": tojson(opened.saved), "unbuilt": tojson(opened.saved_unbuilt)},
    }) %}
    {% for view, relation in views.items() %}
        {% set node = graph.nodes["model.ticdc." ~ view] %}
        {% if view in missing %}
            {% set relation = api.Relation.create(schema=node.schema, identifier=node.alias, type="view") %}
            {% set empty = ticdc.state_view({"number": 0, "run_id": 0, "is_refresh": false, "models": {}}) %}
            {% do run_query("create view " ~ relation ~ " tblproperties ('ticdc.package' = 'ticdc') as " ~ empty) %}
            {% do adapter.cache_added(relation) %}
        {% elif ticdc.missing_columns(relation, node.columns) %}
            {% set found = fromjson(ticdc.saved_states()[loop.index0]) %}
            {% do run_query("alter view " ~ relation ~ " as " ~ ticdc.state_view(found)) %}
        {% endif %}
    {% endfor %}
    {% set log = ticdc.relation_of("int_ticdc__runs") %}
    {% if log and ticdc.missing_columns(log, ["plan"]) %}
        {% do run_query("alter table " ~ log ~ " add columns (plan string)") %}
    {% endif %}
{% endmacro %}
