{% macro feeds_built_again(settled, progress) %}
    {% if not execute %}{% do return([]) %}{% endif %}
    {% if ticdc.is_refresh() %}{% do return(ticdc.feeds() | map(attribute="name") | list if load_cached_relation(this) else []) %}{% endif %}
    {% do return(ticdc.redriven_feeds(settled, progress)) %}
{% endmacro %}
