{% macro file_contents(read, member) -%}
    {%- for each in read if each[member] is none or each[member] %}
    select
        {{ ticdc.path_in_files(each.feed) }} as path,
        content,
        {{ ticdc.text_literal(each.feed.name) }} as feed
    from {{ ticdc.files_in(each.feed, "/*/*") }}
    -- Spark opens only files that a filter on their metadata leaves
    where
        {% if each[member] is none -%}
        _metadata.file_name like {{ "'schema%'" if member == "schemas" else "'%'" }}
        {%- else -%}
        _metadata.file_path in ({{ ticdc.text_literals(each[member]) }})
        {%- endif %}
    {{ "union all" if not loop.last }}
    {%- else %}
    select
        '' as path,
        cast(null as binary) as content,
        '' as feed
    where false
    {%- endfor %}
{%- endmacro %}
