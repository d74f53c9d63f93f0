{% macro found_files(feeds, ledger) %}
    {% set found = [] %}
    {% if not execute or invocation_args_dict.get("empty") %}{% do return(found) %}{% endif %}
    {% for feed in feeds %}
        {# the checkpoint first: all that it covers is there when files are listed #}
        {% set checkpoint = ticdc.checkpoint_of_files(feed) %}
        {% set candidates = ([checkpoint] if checkpoint else []) + [ticdc.listed_files(feed)] %}
        {% for files in candidates %}
            {% set unnoted = ticdc.unnoted_files(files, ledger) %}
            {# a folder that is not there yet holds no file; what else keeps Spark from listing it fails the run #}
            {% if run_query(
                "begin declare exit handler for PATH_NOT_FOUND select '' as path where false; select path from (" ~ unnoted ~ ") limit 1; end"
            ).rows | length %}{% do found.append(unnoted) %}{% endif %}
        {% endfor %}
    {% endfor %}
    {% do return(found) %}
{% endmacro %}
