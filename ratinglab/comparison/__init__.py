"""Systems held against each other on the same games."""
