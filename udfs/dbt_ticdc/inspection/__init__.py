"""One message looked at: its bytes, its envelope, what the decoder makes of it, and what became of it."""
