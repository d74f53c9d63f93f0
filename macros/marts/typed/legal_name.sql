{% macro legal_name(name) %}
    {% set lower = name | lower %}
    {% set folded = modules.re.sub("[^a-z0-9_]", "_", lower) %}
    {% do return(lower if folded == lower and lower != "global_temp" else folded ~ "_" ~ local_md5(lower)[:6]) %}
{% endmacro %}
