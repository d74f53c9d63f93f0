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

{# Raises one error that names every reason why a run of these models cannot begin. Asks the UDF
   `ticdc_configuration_problems`, which has all the checks; `settings` are those of the session. #}
{% macro check_run(models, settings) %}
    {% set missing_seeds, deferred, of_hooks, args = [], [], {}, invocation_args_dict %}
    {% set setting = "(?i)\\bset\\s+(spark[.]sql[.][\\w.]+)\\s*=\\s*([^\\s;]+)" %}
    {% for model in models %}
        {% set node = graph.nodes["model.ticdc." ~ model] %}
        {% for id in node.depends_on.nodes if id.startswith("seed.ticdc.") and id not in selected_resources %}
            {% set seed = graph.nodes[id] %}
            {% if not adapter.get_relation(database=seed.database, schema=seed.schema, identifier=seed.alias) %}
                {% do missing_seeds.append(seed.name) %}
            {% endif %}
        {% endfor %}
        {% for hook in node.config.get("pre-hook") or [] %}
            {% for name, value in modules.re.findall(setting, hook.sql) %}
                {% set place = "in a pre_hook of " ~ model %}
                {% do of_hooks.setdefault(name ~ "=" ~ value, {"name": name, "value": value, "place": place}) %}
            {% endfor %}
        {% endfor %}
    {% endfor %}
    {% for model in ticdc.stored_models() if args.get("defer") and model not in models %}
        {% do deferred.append(model) if args.get("favor_state") or not ticdc.relation_of(model) %}
    {% endfor %}
    {# the relations that feeds read, once each: its name as it is configured, empty for the source `messages`, its
       layout, and the types of its columns. Of what is yet to be refused no more is asked than that it is a mapping #}
    {% set relations, feeds, schema = {}, var("ticdc__feeds", none), ticdc.variables().ticdc__messages_schema %}
    {% for feed in (feeds if feeds is iterable else []) if feed is mapping %}
        {% set source, columns = ticdc.feed_source(feed), {} %}
        {% if source.kind == "relation" and (source.relation or (schema is string and schema)) %}
            {% set relation = ticdc.source_relation({"source": source}).replace(limit=none) %}
            {% for column in adapter.get_columns_in_relation(relation) %}
                {% do columns.update({column.name | lower: column.dtype | lower}) %}
            {% endfor %}
            {% do relations.update({tojson(source, sort_keys=true): [source.relation or "", source.layout, columns]}) %}
        {% endif %}
    {% endfor %}
    {% do ticdc.check_request({
        "variables": ticdc.variables(), "relations": relations.values() | list,
        "models": models,
        "stored": ticdc.stored_models(), "missing_seeds": missing_seeds, "is_full_refresh": ticdc.is_refresh(),
        "deferred": deferred, "settings": settings + of_hooks.values() | list,
        "configured": ticdc.configured_nodes("model") + ticdc.configured_nodes("seed"),
    }) %}
    {% do ticdc.check_connector() if "kafka" in ticdc.feeds() | map(attribute="reads") %}
{% endmacro %}

{# Raises an error where Spark lacks its Kafka connector: without it, a read fails in the midst of a run. #}
{% macro check_connector() %}
    {# a class that is not there is an error, as Spark analyses the query #}
    {% set query %}
    begin
        declare exit handler for sqlexception select false as is_there;
        select
            try_reflect('org.apache.spark.sql.kafka010.KafkaSourceProvider', 'TOPIC_OPTION_KEY') is not null
            as is_there;
    end
    {% endset %}
    {% if not run_query(query).rows[0][0] %}
        {% do exceptions.raise_compiler_error(
            "ticdc: ticdc__feeds: a feed reads Kafka, and this Spark lacks the connector spark-sql-kafka-0-10_2.13. Put"
            ~ " it on the class path of Spark's driver and executors when Spark starts, with the jars that it needs;"
            ~ " docs/configuration.md, Messages in Kafka, has a command"
        ) %}
    {% endif %}
{% endmacro %}

{# Raises one error with all that `ticdc_configuration_problems` finds in a request. #}
{% macro check_request(request) %}
    {# in hex, which all settings of a session leave as it is #}
    {% set query %}
    select explode(found)
    from (
        select ticdc_configuration_problems(cast(unhex('{{ tojson(request).encode().hex() }}') as string)) as found
    )
    {% endset %}
    {% do ticdc.refuse_configuration(run_query(query).rows | map(attribute=0) | list) %}
{% endmacro %}

{# Gives what models or seeds of the package that are selected are configured with, of what matters, once for all that
   are configured the same: mappings with `names` and `config`. #}
{% macro configured_nodes(kind) %}
    {% set found, keys = {}, [
        "materialized", "file_format", "partition_by", "clustered_by", "tblproperties", "delimiter", "column_types",
    ] %}
    {% for id in selected_resources if id.startswith(kind ~ ".ticdc.") %}
        {% set node, config = graph.nodes[id], {} %}
        {% for key in keys if key in node.config %}{% do config.update({key: node.config[key]}) %}{% endfor %}
        {# a project may configure types for columns of all seeds, by their names #}
        {% for column in (config.get("column_types") or {}) | list if column not in node.columns %}
            {% do config.update({"column_types": dict(config.column_types)}) %}
            {% do config.column_types.pop(column) %}
        {% endfor %}
        {% set alike = found.setdefault(tojson(config, sort_keys=true), {"names": [], "config": config}) %}
        {% do alike.names.append(node.name) %}
    {% endfor %}
    {% do return(found.values() | list) %}
{% endmacro %}

{# Raises an error where a run would make a table in a folder that `location_root` names, and files are there
   already. #}
{% macro check_locations() %}
    {% set tables = ["ticdc_append", "ticdc_carried_rows", "ticdc_log", "seed"] %}
    {% for id in selected_resources if ".ticdc." in id and id in graph.nodes %}
        {% set node = graph.nodes[id] %}
        {% set root = node.config.get("location_root") if node.config.materialized in tables else none %}
        {% if root and not adapter.get_relation(database=node.database, schema=node.schema, identifier=node.alias) %}
            {% set location = root ~ "/" ~ node.alias %}
            {# a folder that is not there is an error of Spark #}
            {% set is_taken = run_query(
                "begin declare exit handler for sqlexception select false as is_taken; select count(*) > 0 as is_taken"
                ~ " from (select path from binaryFile.`" ~ location | replace("`", "``")
                ~ "` with ('recursiveFileLookup' = 'true') limit 1); end"
            ).rows[0][0] %}
            {% if is_taken %}
                {% do exceptions.raise_compiler_error(
                    "ticdc: +location_root of " ~ node.name ~ ": got " ~ root ~ ", and " ~ location
                    ~ " holds files already, while there is no table " ~ node.schema ~ "." ~ node.alias
                    ~ ": they may be another target's. Give each target a folder of its own, such as " ~ root
                    ~ "/{{ target.name }}, or remove the files if nothing needs them"
                ) %}
            {% endif %}
        {% endif %}
    {% endfor %}
{% endmacro %}
