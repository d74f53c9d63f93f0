{% macro check_redecode() %}
    {% set lost = [] %}
    {% for protocol in (ticdc.protocols() if var("ticdc__redecode", false) else []) %}
        {% set staged = load_cached_relation(ticdc.staged_relation(protocol)) %}
        {% do lost.extend(run_query(ticdc.lost_messages(staged)).rows | map(attribute=0) if staged else []) %}
    {% endfor %}
    {% if lost %}
        {% do exceptions.raise_compiler_error(
            "ticdc: ticdc__redecode would lose messages that are decoded and that nothing can decode again:\n  - " ~ lost | join("\n  - ")
            ~ "\nBuild with --full-refresh alone, which keeps what is decoded, or put these messages back"
        ) %}
    {% endif %}
{% endmacro %}
