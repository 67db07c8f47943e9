"""Stored rounds as NumPy arrays, read by COPY, thousands at a time."""
