{% macro past_text(column, value, moment) %}
    {% set whens = [] %}
    {% for recoding in column.recodings %}
        {% do whens.append(
            " when " ~ moment ~ " >= " ~ recoding.from_ts ~ (" and " ~ moment ~ " < " ~ recoding.to_ts if recoding.to_ts is not none else "") ~ " then "
            ~ (
                "base64(cast(" ~ value ~ " as binary))" if column.type == "binary"
                else "try_validate_utf8(cast(try_to_binary(" ~ value ~ ", 'base64') as string))"
            )
        ) %}
    {% endfor %}
    {% do return("case" ~ whens | join ~ " else " ~ value ~ " end" if whens else value) %}
{% endmacro %}
