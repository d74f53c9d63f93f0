"""Decoders, a package per protocol: pure functions from the bytes of a message to its events."""
