{{ ticdc.newest_plans(ref("int_ticdc__typed_plans")) }}
