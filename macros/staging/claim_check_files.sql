{% macro claim_check_files() %}
    {% set files = [] %}
    {% set feeds = ticdc.feeds() | selectattr("claim_check") | list %}
    {% set names = {} %}
    {% if feeds %}
        {% set waiting_rows = ticdc.rows_without_content(ticdc.rows_of(this) if ticdc.has_rows() else none) %}
        {% for row in ticdc.rows_if_built(
            ref("int_ticdc__events"), "select distinct feed, claim_check from (" ~ waiting_rows ~ ")"
        ) %}
            {% do names.setdefault(row[0], []).append(row[1]) %}
        {% endfor %}
    {% endif %}
    {% for feed in feeds if feed.name in names %}
        {# A folder that is not there, or that Spark cannot list, holds no file: the rows go on waiting. #}
        {% set found = run_query(
            "begin declare exit handler for sqlexception select '' as file_name where false; "
            ~ "select distinct _metadata.file_name from " ~ ticdc.named_files(feed, names[feed.name]) ~ "; end"
        ) %}
        {% if found.rows %}
            {% do files.append({"feed": feed, "names": found.rows | map(attribute=0) | list}) %}
        {% endif %}
    {% endfor %}
    {% do return(files) %}
{% endmacro %}
