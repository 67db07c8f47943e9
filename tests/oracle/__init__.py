"""
The rules once more, slowly and without tables, to check the scorer against.

Written from the rules' page alone: it shares no code and no table with the packages it checks, counts ranks where they
look up, and compares lists. Plain JSON shapes of the API go in and come out.
"""

from tests.oracle.generate import random_document, random_ruleset
from tests.oracle.presets import PRESETS
from tests.oracle.refused import Refused
from tests.oracle.rounds import play
from tests.oracle.rows import strength3, strength5, top_beats
from tests.oracle.scores import score

__all__ = [
    "PRESETS",
    "Refused",
    "play",
    "random_document",
    "random_ruleset",
    "score",
    "strength3",
    "strength5",
    "top_beats",
]
