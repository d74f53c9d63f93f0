{# Gives the configured feeds as mappings with all that models are rendered by: what `protocols` tells of the protocol,
   the defaults of what is not given, `options`, what decoders are told, as JSON, where the feed `reads` messages (of a
   `relation`, of `files`, of `kafka`, or of the raw copy of it that is `kept`), and the model that is their `reader`.
   Raises an error where feeds lack what models cannot be rendered without while dbt parses, before any UDF can be
   asked; `check_run` finds all else. #}
{% macro feeds() %}
    {% set given, feeds, protocols, told = var("ticdc__feeds", none), [], ticdc.protocols(), [
        "binary_encoding_method", "binary_handling_mode", "compression", "delimiter", "encoding", "framing",
        "include_commit_ts", "null", "output_field_header", "output_handle_key", "output_old_value", "quote",
        "terminator", "time_zone",
    ] %}
    {% do ticdc.check_feeds(given, protocols) %}
    {% for feed in given %}
        {% set options = feed.get("options") if feed.get("options") is mapping else {} %}
        {% set of_decoder, lists, partitions = {"feed": feed["name"]}, {}, feed.get("partitions") %}
        {% for option in told if option in options %}{% do of_decoder.update({option: options[option]}) %}{% endfor %}
        {% for member in ["finished_topics", "tables", "typed_relations"] %}
            {% set value = feed.get(member) %}
            {% set is_list = value is sequence and value is not string and value is not mapping %}
            {% do lists.update({member: value if is_list else []}) %}
        {% endfor %}
        {% set source, of_protocol = ticdc.feed_source(feed), protocols[feed["protocol"]] %}
        {% set is_kept = source.kind == "kafka" and feed.get("keep_messages") is true %}
        {% do feeds.append(dict(of_protocol, **{
            "name": feed["name"],
            "protocol": feed["protocol"],
            "source": source,
            "reads": "kept" if is_kept else source.kind,
            "reader": "int_ticdc__kept_messages" if is_kept else "stg_ticdc__" ~ feed["protocol"],
            "topics": feed.get("topics", ["%"]),
            "finished_topics": lists.finished_topics,
            "partitions": partitions if partitions is integer else none,
            "claim_check": options.get("claim_check"),
            "schemas": options.get("schemas") | string if of_protocol.has_writer_schemas else none,
            "framing": options.get("framing", "confluent"),
            "binary_handling_mode": options.get("binary_handling_mode"),
            "time_zone": options.get("time_zone"),
            "session_time_zone": options.get("session_time_zone"),
            "options": tojson(of_decoder, sort_keys=true),
            "target_schema": feed.get("target_schema", options.get("target_schema", "{schema}")),
            "tables": lists.tables,
            "typed_relations": lists.typed_relations or ["current", "history", "as_of"],
        })) %}
    {% endfor %}
    {% do return(feeds) %}
{% endmacro %}

{# Raises an error where feeds are no list of mappings, each with a name, a protocol and topics. #}
{% macro check_feeds(feeds, protocols) %}
    {% set problems = [] %}
    {% if feeds is not sequence or feeds is string or feeds is mapping or not feeds %}
        {% do problems.append(
            "ticdc__feeds: got " ~ tojson(feeds) ~ ", expected a list of at least one feed (vars in dbt_project.yml)"
        ) %}
    {% endif %}
    {% for feed in (feeds if not problems else []) %}
        {% set place = "ticdc__feeds[" ~ loop.index0 ~ "]" %}
        {% set topics = feed.get("topics") if feed is mapping %}
        {% if feed is not mapping %}
            {% do problems.append(
                place ~ ": got " ~ tojson(feed) ~ ", expected a mapping with name, protocol and topics"
            ) %}
        {% elif feed.get("name") is not string %}
            {% do problems.append(
                place ~ ".name: got " ~ tojson(feed.get("name")) ~ ", expected letters, digits and _"
            ) %}
        {% elif feed.get("protocol") is not string or feed["protocol"] not in protocols %}
            {% do problems.append(
                place ~ ".protocol: got " ~ tojson(feed.get("protocol")) ~ ", allowed: " ~ protocols | join(", ")
            ) %}
        {% elif (topics is not sequence or topics is string or topics is mapping)
            and not feed["protocol"].startswith("storage_") %}
            {% do problems.append(
                place ~ ".topics: got " ~ tojson(topics) ~ ", expected a list of SQL like patterns"
            ) %}
        {% endif %}
    {% endfor %}
    {% do ticdc.refuse_configuration(problems) %}
{% endmacro %}

{# Raises one error that lists the problems, where there are any. #}
{% macro refuse_configuration(problems) %}
    {% if problems %}
        {% do exceptions.raise_compiler_error(
            "ticdc: the configuration has " ~ problems | length ~ " problem(s):\n  - " ~ problems | join("\n  - ")
        ) %}
    {% endif %}
{% endmacro %}

{# Gives where the messages of a feed are: a mapping with `kind`, which is `relation`, `kafka` or `files`, and the
   members of that kind, absent ones with their defaults. A wrong value stands for its default until `check_run`
   refuses the run. #}
{% macro feed_source(feed) %}
    {% set source = feed.get("source") if feed.get("source") is mapping else {} %}
    {% if source.get("kafka") is mapping %}
        {% set kafka = source["kafka"] %}
        {% do return({
            "kind": "kafka", "bootstrap_servers": kafka.get("bootstrap_servers"),
            "isolation_level": kafka.get("isolation_level", "read_committed"), "options": kafka.get("options") or {},
        }) %}
    {% elif source.get("files") is string %}
        {% do return({"kind": "files", "files": source["files"]}) %}
    {% endif %}
    {% set relation, layout = source.get("relation"), source.get("layout", "kafka") %}
    {% do return({
        "kind": "relation", "relation": relation if relation is string else none,
        "layout": layout if layout is string else "kafka",
    }) %}
{% endmacro %}

{# Gives the relation that the option `schemas` of a feed names, as SQL takes it; none where the option is a URL or the
   path of a file, which has a slash or ends with `.json`. #}
{% macro schemas_relation(schemas) %}
    {% if "/" in schemas or schemas.lower().endswith(".json") %}{% do return(none) %}{% endif %}
    {% set parts = [] %}
    {% for part in schemas.split(".") %}{% do parts.append(ticdc.identifier(part)) %}{% endfor %}
    {% do return(parts | join(".")) %}
{% endmacro %}
