"""
The rules for millions of hands at once, with NumPy.

The rules are not repeated here: results of rows, boards and pairs of boards are looked up in tables, which are filled
by calling the rules once for each row, result and ruleset.
"""
