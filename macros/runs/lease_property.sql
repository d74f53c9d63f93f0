{% macro lease_property(lease) -%}
    {#- in hex, as Spark hides a text that holds "url" or "token", which names of users and hosts may -#}
    tblproperties ('ticdc.lease' = '{{ tojson(lease).encode().hex() }}')
{%- endmacro %}
