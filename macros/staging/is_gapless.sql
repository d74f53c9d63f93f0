{% macro is_gapless() -%}
{#- a count takes a message that came twice for one that is missing; residues are small enough to be added -#}
{%- set cycle = 65536 -%}
{%- set cycles = "(shiftright(last_offset, 16) - shiftright(first_offset, 16))" -%}
{%- set first, last = "(first_offset & 65535)", "(last_offset & 65535)" -%}
coalesce(
    if(
        last_offset - first_offset = messages - 1,
        residues = {{ cycles }} * {{ cycle * (cycle - 1) // 2 }}
        + {{ last }} * ({{ last }} + 1) div 2
        - {{ first }} * ({{ first }} - 1) div 2
        and squares = {{ cycles }} * {{ cycle * (cycle - 1) * (2 * cycle - 1) // 6 }}
        + {{ last }} * ({{ last }} + 1) * (2 * {{ last }} + 1) div 6
        - {{ first }} * ({{ first }} - 1) * (2 * {{ first }} - 1) div 6,
        false
    ),
    false
)
{%- endmacro %}
