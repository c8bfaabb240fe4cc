"""What changed between two rating lists, or two runs, and why: for a re-publication that says so."""
