"""Readers of what is outside: a file in, frozen values out. Nothing here writes, and nothing knows of the database."""
