"""Who is entered, which rating counts, the order of strength, and the first round that follows from it."""
