{# Gives the configured feeds as mappings with all that models are rendered by: the defaults of what is not given,
   `options`, what decoders are told, as JSON, where the feed `reads` messages (of a `relation`, of `files`, of `kafka`,
   or of the raw copy of it that is `kept`), and the model that is their `reader`. Raises an error where feeds lack what
   models cannot be rendered without while dbt parses, before any UDF can be asked; `check_run` finds all else. #}
{% macro feeds() %}
    {% set given, feeds, told = var("ticdc__feeds", none), [], [
        "binary_encoding_method", "binary_handling_mode", "compression", "delimiter", "encoding", "framing",
        "include_commit_ts", "null", "output_field_header", "output_handle_key", "output_old_value", "quote",
        "terminator", "time_zone",
    ] %}
    {% set protocols = ticdc.protocols() %}
    {% do ticdc.check_feeds(given, protocols) %}
    {% for feed in given %}
        {% set options = feed.get("options") if feed.get("options") is mapping else {} %}
        {% set of_decoder, finished = {"feed": feed["name"]}, feed.get("finished_topics") %}
        {% for option in told if option in options %}{% do of_decoder.update({option: options[option]}) %}{% endfor %}
        {% set partitions, tables = feed.get("partitions"), feed.get("tables") %}
        {% set relations = feed.get("typed_relations") %}
        {% set source = ticdc.feed_source(feed) %}
        {% set is_kept = source.kind == "kafka" and feed.get("keep_messages") is true %}
        {% set takes_schemas = "schemas" in protocols[feed["protocol"]].options %}
        {% do feeds.append({
            "name": feed["name"],
            "protocol": feed["protocol"],
            "source": source,
            "reads": "kept" if is_kept else source.kind,
            "reader": "int_ticdc__kept_messages" if is_kept else "stg_ticdc__" ~ feed["protocol"],
            "topics": feed.get("topics", ["%"]),
            "finished_topics": finished if finished and ticdc.is_list(finished) else [],
            "partitions": partitions if partitions is integer else none,
            "claim_check": options.get("claim_check"),
            "schemas": options.get("schemas") | string if takes_schemas else none,
            "framing": options.get("framing", "confluent"),
            "binary_handling_mode": options.get("binary_handling_mode"),
            "time_zone": options.get("time_zone"),
            "session_time_zone": options.get("session_time_zone"),
            "options": tojson(of_decoder, sort_keys=true),
            "target_schema": feed.get("target_schema", options.get("target_schema", "{schema}")),
            "tables": tables if tables and ticdc.is_list(tables) else [],
            "typed_relations": relations if relations and ticdc.is_list(relations) else ticdc.typed_relations(),
        }) %}
    {% endfor %}
    {% do return(feeds) %}
{% endmacro %}

{# Raises an error where feeds are no list of mappings, each with a name, a protocol and topics. #}
{% macro check_feeds(feeds, protocols) %}
    {% set problems = [] %}
    {% if not ticdc.is_list(feeds) or not feeds %}
        {% do problems.append(
            "ticdc__feeds: got " ~ tojson(feeds) ~ ", expected a list of at least one feed (vars in dbt_project.yml)"
        ) %}
    {% endif %}
    {% for feed in (feeds if not problems else []) %}
        {% set place = "ticdc__feeds[" ~ loop.index0 ~ "]" %}
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
        {% elif not ticdc.is_list(feed.get("topics")) and not feed["protocol"].startswith("storage_") %}
            {% do problems.append(
                place ~ ".topics: got " ~ tojson(feed.get("topics")) ~ ", expected a list of SQL like patterns"
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

{# Gives the feeds whose protocol tells `value` of a member of `protocols`. #}
{% macro feeds_whose_protocol(capability, value) %}
    {% set found, protocols = [], ticdc.protocols() %}
    {% for feed in ticdc.feeds() if protocols[feed.protocol][capability] == value %}
        {% do found.append(feed) %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}

{# Says whether a value of a variable is a list. #}
{% macro is_list(value) %}
    {% do return(value is sequence and value is not string and value is not mapping) %}
{% endmacro %}

{# Gives the kinds of typed relations that a table has where its feed does not choose. #}
{% macro typed_relations() %}
    {% do return(["current", "history", "as_of"]) %}
{% endmacro %}

{# Gives the relation that the option `schemas` of a feed names, as SQL takes it; none where the option is a URL or the
   path of a file, which has a slash or ends with `.json`. #}
{% macro schemas_relation(schemas) %}
    {% if "/" in schemas or schemas.lower().endswith(".json") %}{% do return(none) %}{% endif %}
    {% set parts = [] %}
    {% for part in schemas.split(".") %}{% do parts.append(ticdc.identifier(part)) %}{% endfor %}
    {% do return(parts | join(".")) %}
{% endmacro %}
