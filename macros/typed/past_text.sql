{% macro past_text(column, value, moment) %}
    {% set is_binary = column.type == "binary" %}
    {% set whens = [] %}
    {% for encoding in column.encodings if encoding.is_base64 != is_binary %}
        {% set until = column.encodings[column.encodings.index(encoding) + 1:] | map(attribute="from_ts") | first %}
        {% do whens.append(
            " when " ~ moment ~ " >= " ~ encoding.from_ts ~ (" and " ~ moment ~ " < " ~ until if until else "") ~ " then "
            ~ ("base64(cast(" ~ value ~ " as binary))" if is_binary else "try_validate_utf8(cast(try_to_binary(" ~ value ~ ", 'base64') as string))")
        ) %}
    {% endfor %}
    {% do return("case" ~ whens | join ~ " else " ~ value ~ " end" if whens else value) %}
{% endmacro %}
