"""What decoders and SQL agree on: events and their Arrow form, options, table schemas, canonical text."""
