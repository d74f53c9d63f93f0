"""Where messages come from: what there is to know of each kind of source."""
