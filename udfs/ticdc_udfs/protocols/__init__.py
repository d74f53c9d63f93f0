"""Decoders, one module per protocol: pure functions from the bytes of a message to its events."""
