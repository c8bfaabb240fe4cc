"""Simulated tournaments: models of games, fields, what is fair about a pairing system, and what tricks gain."""
