"""Decisions: what to store, what to return, what to ask. No SQL here, and nothing of IPython."""
