{% macro offset_residue() %}(`offset` & 65535){% endmacro %}
