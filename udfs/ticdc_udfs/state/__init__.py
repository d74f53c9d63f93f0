"""The state of a target as numbers, and as a page: what `ticdc status`, `ticdc report` and `ticdc_report` show."""
