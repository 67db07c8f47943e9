"""
The rules for millions of hands at once, with NumPy.

The rules are not repeated here: results of rows, boards and pairs of boards are looked up in tables, which are filled
by calling the rules once for each row, result and ruleset.
"""

from importlib.util import find_spec

if find_spec("numpy") is None:
    raise ModuleNotFoundError("scoring.bulk needs NumPy, which `pip install numpy` installs", name="numpy")
