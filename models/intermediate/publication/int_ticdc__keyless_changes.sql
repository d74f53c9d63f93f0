{{ ticdc.live_changes(ref("int_ticdc__row_changes")) }}
