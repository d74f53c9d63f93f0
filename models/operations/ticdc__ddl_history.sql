select * except (batch_id) from {{ ticdc.published_rows(ref("int_ticdc__ddl_statements")) }} as ddl_statements
