{% macro typed_rows(table, rows, generations, carried, moment=none) %}
    {%- set fields, cells, unfit = [], [], [] -%}
    {%- for column in table.columns -%}
        {%- set value = ticdc.past_value(column) -%}
        {%- do fields.append(ticdc.identifier(column.name) ~ ": string") -%}
        {%- set cell = dict(column, value=value, text=ticdc.past_text(column, value, moment)) -%}
        {%- do cells.append(cell) -%}
        {%- if cell.type not in ["string", "array<string>"] or cell.text != value -%}
            {%- do unfit.append(dict(cell, is_unfit="(" ~ value ~ " is not null and " ~ cell.stored_as ~ " is null)")) -%}
        {%- endif -%}
    {%- endfor -%}
    select
        {% for cell in cells %}{{ cell.stored_as }}, {% endfor %}
        {{ carried | join(", ") }},
        {{ "row_commit_ts as commit_ts" if generations else "commit_ts" }},
        {% if unfit %}
        {#- few rows have such a cell, and to make the list takes longer than to tell that it is empty #}
        if(
            {{ unfit | map(attribute="is_unfit") | join("\n            or ") }},
            lossy || array_remove(
                array(
                    {%- for cell in unfit %}
                    if({{ cell.is_unfit }}, {{ ticdc.text_literal(cell.name ~ ":out_of_range") }}, '')
                    {{- "," if not loop.last }}
                    {%- endfor %}
                ),
                ''
            ),
            lossy
        ) as lossy
        {%- else -%}
        lossy
        {%- endif %}
    from (
        select
            *,
            {% for cell in cells -%}
            {{ ticdc.typed_expression(cell.text, cell.type, moment is not none) }} as {{ cell.stored_as }}
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
                {#- a row without a moment tells that no version of it is left #}
                and (table_incarnation <> {{ left.incarnation }} or coalesce({{ moment }} < {{ left.at_ts }}, true))
                {%- endfor %}
                {% if generations %}and generation in ({{ generations | join(", ") }}){% endif %}
        )
    )
{% endmacro %}
