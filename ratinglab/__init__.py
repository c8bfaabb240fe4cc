"""ratinglab: a workbench for ratings committees."""
