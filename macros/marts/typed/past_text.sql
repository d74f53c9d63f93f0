{% macro past_text(column, moment) %}
    {% set texts = ["image." ~ ticdc.identifier(column.name)] %}
    {# a struct has no two fields that differ in case alone #}
    {% for spelling in column.spellings if spelling != column.name %}
        {% do texts.append("try_element_at(from_json(row, 'map<string, string>'), " ~ ticdc.text_literal(spelling) ~ ")") %}
    {% endfor %}
    {% set text = texts[0] if texts | length == 1 else "coalesce(" ~ texts | join(", ") ~ ")" %}
    {% set is_binary = column.type == "binary" %}
    {% set whens = [] %}
    {% for encoding in column.encodings if encoding.is_base64 != is_binary %}
        {% set until = column.encodings[column.encodings.index(encoding) + 1:] | map(attribute="from_ts") | first %}
        {% do whens.append(
            " when " ~ moment ~ " >= " ~ encoding.from_ts ~ (" and " ~ moment ~ " < " ~ until if until else "") ~ " then "
            ~ ("base64(cast(" ~ text ~ " as binary))" if is_binary else "try_validate_utf8(cast(unbase64(" ~ text ~ ") as string))")
        ) %}
    {% endfor %}
    {% do return("case" ~ whens | join ~ " else " ~ text ~ " end" if whens else text) %}
{% endmacro %}
