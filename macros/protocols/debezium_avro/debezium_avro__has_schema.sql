{% macro debezium_avro__has_schema(event) -%}
    {#- Only the export tells the defaults that the encoder writes in place of NULL. -#}
    {{ event ~ ".kind <> 'row'" if var("ticdc__information_schema", none) else ticdc.has_schema(event) }}
{%- endmacro %}
