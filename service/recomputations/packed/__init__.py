"""Rounds read as arrays, thousands at a time: from their packed boards, and without an object for each value."""
