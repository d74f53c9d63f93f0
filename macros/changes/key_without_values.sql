{% macro key_without_values(row_key) -%}
    case
        -- where a quote may be one of a value, all of it stays
        when contains({{ row_key }}, '\\') then {{ row_key }}
        when contains({{ row_key }}, ',"') then regexp_replace({{ row_key }}, '":"[^"]*+"', '":')
        -- one column: the regular expression took as long as all else
        else substring_index({{ row_key }}, '":', 1) || '":'
    end
{%- endmacro %}
