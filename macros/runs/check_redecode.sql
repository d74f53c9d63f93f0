{% macro check_redecode() %}
    {% set lost = [] %}
    {% for protocol in (ticdc.protocols() if var("ticdc__redecode", false) else []) %}
        {% set staged = load_cached_relation(ticdc.staged_relation(protocol)) %}
        {% set of_files = ticdc.feeds_of_kind("files", ticdc.feeds()) | selectattr("protocol", "equalto", protocol) | list %}
        {% set queries = ticdc.lost_files(staged, of_files) if staged and of_files else [ticdc.lost_messages(staged)] if staged else [] %}
        {% for query in queries %}{% do lost.extend(run_query(query).rows | map(attribute=0)) %}{% endfor %}
    {% endfor %}
    {% if lost %}
        {% do exceptions.raise_compiler_error(
            "ticdc: ticdc__redecode would lose messages that are decoded and that nothing can decode again:\n  - " ~ lost | join("\n  - ")
            ~ "\nBuild with --full-refresh alone, which keeps what is decoded, or put these messages back"
        ) %}
    {% endif %}
{% endmacro %}
