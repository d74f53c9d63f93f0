{% macro expects_row() -%}
    {%- set told = ticdc.settled(ref("int_ticdc__changes")).get("updated", []) -%}
    {%- set untold = [] -%}
    {%- for feed in ticdc.feeds_whose_protocol("tells_updates", false) if feed.name not in told -%}
        {%- do untold.append(feed.name) -%}
    {%- endfor -%}
    case
        when array_contains(lossy, '*:no_commit_ts') or array_contains(lossy, '*:soft_delete') then null
        when cause <> 'message' then if(op = 'insert', false, null)
        {%- if untold %}
        -- without old values these write an update as they write an insert
        when op = 'insert' and feed in ({{ ticdc.text_literals(untold) }}) then null
        {%- endif %}
        when op = 'insert' then false
        -- of equal rows that no message told of, any may be the one
        when op in ('update', 'delete') and ({{ ticdc.is_seen_whole() }} or not array_contains(lossy, '*:no_key')) then true
    end
{%- endmacro %}
