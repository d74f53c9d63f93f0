{{ config(materialized="ticdc_table_function", arguments="tso bigint") }}
{{ ticdc.rows_as_of("tso") }}
