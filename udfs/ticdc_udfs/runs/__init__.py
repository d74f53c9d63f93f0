"""What a run takes, and what it notes for the next one; see `macros/runs/` and `macros/changes/`."""
