"""One past event: what was expected of it, and what happened."""
