{{ ticdc.newest_rows() }}
