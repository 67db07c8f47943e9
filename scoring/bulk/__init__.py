"""
The rules for millions of hands at once, with NumPy.

Nothing is said twice: what a row, a board or a pair of boards comes to is looked up in tables, and those are filled by
asking the rules themselves, once for each row, result and ruleset.
"""
