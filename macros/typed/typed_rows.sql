{% macro typed_rows(table, rows, generations, carried, moment=none) %}
    {%- set fields = [] -%}
    {%- for column in table.columns -%}{%- do fields.append(ticdc.identifier(column.name) ~ ": string") -%}{%- endfor -%}
    select
        {% for column in table.typed_columns %}{{ column.stored_as }}, {% endfor %}
        {{ carried | join(", ") }},
        {{ "row_commit_ts as commit_ts" if generations else "commit_ts" }},
        lossy || filter(
            array(
                {%- for column in table.typed_columns if column.type not in ["string", "array<string>"] or column.text != column.value %}
                if(
                    {{ column.value or "image." ~ ticdc.identifier(column.name) }} is not null and {{ column.stored_as }} is null,
                    {{ ticdc.text_literal(column.name ~ ":out_of_range") }},
                    null
                ),
                {%- endfor %}
                null
            ),
            flag -> flag is not null
        ) as lossy
    from (
        select
            *,
            {% for column in table.typed_columns -%}
            {{ ticdc.typed_expression(column.text or "image." ~ ticdc.identifier(column.name), column.type) }} as {{ column.stored_as }}
            {{- "," if not loop.last }}
            {% endfor %}
        from (
            select
                *,
                {{ ticdc.image_of("struct<" ~ fields | join(", ") ~ ">") }} as image
            from {{ rows }}
            where
                feed = {{ ticdc.text_literal(table.feed) }}
                and table_id = {{ ticdc.text_literal(table.table_id) }}
                and table_incarnation {{ "<=" if moment else "=" }} {{ table.table_incarnation }}
                {%- for left in table.left_behind if moment %}
                and (table_incarnation <> {{ left.incarnation }} or {{ moment }} < {{ left.at_ts }})
                {%- endfor %}
                {% if generations %}and generation in ({{ generations | join(", ") }}){% endif %}
        )
    )
{% endmacro %}
