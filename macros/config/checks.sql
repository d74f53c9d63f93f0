{# Gives the package's variables by name; one that is not set has its default. #}
{% macro variables() %}
    {% do return({
        "ticdc__accept_lost_messages": var("ticdc__accept_lost_messages", false),
        "ticdc__dead_letter_payloads": var("ticdc__dead_letter_payloads", "keep"),
        "ticdc__feeds": var("ticdc__feeds", none),
        "ticdc__information_schema": var("ticdc__information_schema", none),
        "ticdc__initial_loads": var("ticdc__initial_loads", none),
        "ticdc__lease_minutes": var("ticdc__lease_minutes", 60),
        "ticdc__messages_per_run": var("ticdc__messages_per_run", none),
        "ticdc__messages_schema": var("ticdc__messages_schema", "ticdc_raw"),
        "ticdc__redecode": var("ticdc__redecode", false),
        "ticdc__redrive": var("ticdc__redrive", false),
        "ticdc__stalled_after_minutes": var("ticdc__stalled_after_minutes", 60),
        "ticdc__stored_from_rows": var("ticdc__stored_from_rows", 100000),
        "ticdc__unit_tests": var("ticdc__unit_tests", false),
        "ticdc__visibility": var("ticdc__visibility", "complete"),
    }) %}
{% endmacro %}

{# Raises one error that names every reason why a run of these models and seeds cannot begin. Collects what dbt and
   Spark know of them, and asks the UDF `ticdc_configuration_problems`, which has all the checks; `settings` are those
   of the session. Seeds alone need no variables. #}
{% macro check_run(nodes, settings) %}
    {% set models, configured, missing_seeds, taken_folders, deferred = [], [], [], [], [] %}
    {% set keys = [
        "materialized", "file_format", "partition_by", "clustered_by", "tblproperties", "delimiter", "column_types",
    ] %}
    {% set tables = ["ticdc_append", "ticdc_log", "seed"] %}
    {% for node in nodes %}
        {% set config, is_model = {}, node.resource_type == "model" %}
        {% for key in keys if key in node.config %}{% do config.update({key: node.config[key]}) %}{% endfor %}
        {% do configured.append({
            "name": node.name, "config": config, "columns": node.columns | list if config.get("column_types") else [],
            "hooks": (node.config.get("pre-hook") or []) | map(attribute="sql") | list if is_model else [],
        }) %}
        {% set root = node.config.get("location_root") if config.materialized in tables %}
        {% if root and not adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias) %}
            {% set folder, table = root ~ "/" ~ node.alias, node.schema ~ "." ~ node.alias %}
            {% set files = "binaryFile.`" ~ folder | replace("`", "``") ~ "` with ('recursiveFileLookup' = 'true')" %}
            {# a folder that is not there is an error of Spark #}
            {% if ticdc.value_or_false("select count(*) > 0 from (select path from " ~ files ~ " limit 1)") %}
                {% do taken_folders.append({"model": node.name, "root": root, "folder": folder, "table": table}) %}
            {% endif %}
        {% endif %}
        {% do models.append(node.name) if is_model %}
        {% for id in (node.depends_on.nodes if is_model else []) if id not in selected_resources %}
            {% set seed = graph.nodes[id] if id.startswith("seed.ticdc.") %}
            {% if seed and not adapter.get_relation(
                database=seed.database, schema=seed.schema, identifier=seed.alias
            ) %}
                {% do missing_seeds.append(seed.name) %}
            {% endif %}
        {% endfor %}
    {% endfor %}
    {% for model in ticdc.stored_models() if invocation_args_dict.get("defer") and model not in models %}
        {% do deferred.append(model) if invocation_args_dict.get("favor_state") or not ticdc.relation_of(model) %}
    {% endfor %}
    {% set request = dict(
        ticdc.sources_of_feeds() if models else {}, variables=ticdc.variables() if models else none, models=models,
        stored=ticdc.stored_models(), is_full_refresh=ticdc.is_refresh(), missing_seeds=missing_seeds,
        taken_folders=taken_folders, deferred=deferred, settings=settings, configured=configured,
    ) %}
    {# in hex, which all settings of a session leave as it is #}
    {% set query %}
    select explode(ticdc_configuration_problems(cast(unhex('{{ tojson(request).encode().hex() }}') as string)))
    {% endset %}
    {% do ticdc.refuse_configuration(run_query(query).rows | map(attribute=0) | list) %}
{% endmacro %}

{# Gives the `relations` that feeds read, once each: its name as it is configured, empty for the source `messages`, its
   layout, and the types of its columns; and whether Spark `lacks_connector` of Kafka where a feed needs it: without it,
   a read fails in the midst of a run. Of feeds that are yet to be refused no more is asked than that they are
   mappings. #}
{% macro sources_of_feeds() %}
    {% set given, schema = var("ticdc__feeds", none), var("ticdc__messages_schema", "ticdc_raw") %}
    {% set relations, kinds = {}, [] %}
    {% for feed in (given if given is iterable else []) if feed is mapping %}
        {% set source, columns = ticdc.feed_source(feed), {} %}
        {% do kinds.append(source.kind) %}
        {% if source.kind == "relation" and (source.relation or (schema is string and schema)) %}
            {% set relation = ticdc.source_relation({"source": source}) %}
            {% for column in adapter.get_columns_in_relation(relation) %}
                {% do columns.update({column.name | lower: column.dtype | lower}) %}
            {% endfor %}
            {% do relations.update({tojson(source, sort_keys=true): [source.relation or "", source.layout, columns]}) %}
        {% endif %}
    {% endfor %}
    {# a class that is not there is an error, as Spark analyses the query #}
    {% set class = "'org.apache.spark.sql.kafka010.KafkaSourceProvider'" %}
    {% set probe = "select try_reflect(" ~ class ~ ", 'TOPIC_OPTION_KEY') is not null" %}
    {% do return({
        "relations": relations.values() | list,
        "lacks_connector": "kafka" in kinds and not ticdc.value_or_false(probe),
    }) %}
{% endmacro %}

{# Runs statements, the last of which selects a value, and gives it; false where Spark refuses one of them. #}
{% macro value_or_false(statements) %}
    {% set script = "begin declare exit handler for sqlexception select false; " ~ statements ~ "; end" %}
    {% do return(run_query(script).rows[0][0]) %}
{% endmacro %}
