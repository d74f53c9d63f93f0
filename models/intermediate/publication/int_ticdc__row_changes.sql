{{ ticdc.row_changes(ref("int_ticdc__carried_rows"), of_publication=true) }}
