"""Frozen values and ports. Nothing here opens a file, reads a clock or knows how anything is stored."""
