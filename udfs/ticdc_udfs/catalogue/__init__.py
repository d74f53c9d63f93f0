"""What a feed's DDL texts do to its tables: read (`ddl`), and folded into table versions (`fold`)."""
