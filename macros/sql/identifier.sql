{% macro identifier(name) -%}
    {{ name if modules.re.fullmatch("[a-z_][a-z0-9_]*", name) else "`" ~ name | replace("`", "``") ~ "`" }}
{%- endmacro %}
