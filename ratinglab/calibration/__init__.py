"""Which parameters predict best, how sure that is, and what the data fix and what the scale fixes."""
