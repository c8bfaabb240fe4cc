"""Slow and obvious transcriptions of the source documents, game by game, against which the vectorized systems are held.

Nothing here is shared with the package. A section is `making.Section`; ratings come back by member's name.
"""
