{{ ticdc.row_history(ref("int_ticdc__row_changes")) }}
