"""How messages are packed: compression, claim checks, row checksums, and the bytes of Avro and JSON."""
