"""A proposed system against the current one, over the whole history."""
