{% macro seed_checksums(seeds) %}
    {% set checksums = [] %}
    {% for seed in seeds if execute and "nodes" in graph %}
        {% do checksums.append(graph.nodes["seed.ticdc." ~ seed].checksum.checksum) %}
    {% endfor %}
    {% do return(checksums | join(" ")) %}
{% endmacro %}
