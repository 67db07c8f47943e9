"""The fold: from the events of a round to its revisions. Everything that reads rounds from events uses it."""

from evidence.fold.rounds import LONGEST_WINDOW, StoredEvent, fold_round
from evidence.fold.tables import find_table
from evidence.fold.values import (
    DisputeEntry,
    FoldedClosing,
    FoldedDeparture,
    FoldedDispute,
    FoldedHand,
    FoldedRound,
    FoldedSubmission,
    RecordedStacks,
    Revision,
)

__all__ = [
    "LONGEST_WINDOW",
    "DisputeEntry",
    "FoldedClosing",
    "FoldedDeparture",
    "FoldedDispute",
    "FoldedHand",
    "FoldedRound",
    "FoldedSubmission",
    "RecordedStacks",
    "Revision",
    "StoredEvent",
    "find_table",
    "fold_round",
]
