"""Typed tables: the part of them that SQL cannot do."""
