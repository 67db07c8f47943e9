"""
What can be wrong with what was recorded.

    ScoringError
    ├── CardError       no such card
    ├── BoardError      a row with too many or too few cards
    ├── HandError       a hand that cannot have been dealt, or cannot follow
    ├── RoundError      a round, departure or closing that cannot be
    ├── StakesError     stacks that cannot be settled
    └── RulesetError    rules that contradict each other

A foul and a payment cut off by table stakes are results, not errors.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Mistake:
    """
    One thing that is wrong: where it is, what was found and what would be right.

    `path` leads to it from the thing that was checked: `("players", 0, "top", 2)`.
    """

    code: str
    path: Path
    detail: str

    def under(self, *prefix: str | int) -> "Mistake":
        """
        Say the same from further out.

        >>> Mistake("card-twice", ("players", 0), "…").under("hands", 4).path
        ('hands', 4, 'players', 0)
        """
        return replace(self, path=(*prefix, *self.path))


class ScoringError(Exception):
    """Everything that is wrong with one thing, at once."""

    code: ClassVar[str] = "invalid"

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("; ".join(mistake.detail for mistake in self.mistakes))

    def under(self, *prefix: str | int) -> "ScoringError":
        """Say the same from further out, as `Mistake.under` does."""
        return type(self)(mistake.under(*prefix) for mistake in self.mistakes)


class CardError(ScoringError):
    """There is no such card."""

    code = "card-invalid"


class BoardError(ScoringError):
    """A row has too many or too few cards."""

    code = "board-invalid"


class HandError(ScoringError):
    """The hand cannot have been dealt like this, or cannot follow the hands before it."""

    code = "hand-invalid"


class RoundError(ScoringError):
    """The round cannot be opened, left or closed like this."""

    code = "round-invalid"


class StakesError(ScoringError):
    """These stacks cannot be settled."""

    code = "stakes-invalid"


class RulesetError(ScoringError):
    """The rules contradict each other or the deck."""

    code = "ruleset-invalid"
