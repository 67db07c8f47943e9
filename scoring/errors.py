"""
Errors of cards, boards, hands, rounds, stakes and rulesets.

    ScoringError
    ├── CardError       not a card
    ├── BoardError      a row with too many or too few cards
    ├── HandError       an impossible deal, or a hand that cannot follow the hands before it
    ├── RoundError      an invalid round, departure or closing
    ├── StakesError     invalid stacks
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
    A mistake: where it is, what was received and what is accepted.

    `path` is relative to the checked value: `("players", 0, "top", 2)`.
    """

    code: str
    path: Path
    detail: str

    def under(self, *prefix: str | int) -> "Mistake":
        """
        Return the mistake with a prefix before its path.

        >>> Mistake("card-twice", ("players", 0), "…").under("hands", 4).path
        ('hands', 4, 'players', 0)
        """
        return replace(self, path=(*prefix, *self.path))


class ScoringError(Exception):
    """An error with all mistakes of one value."""

    code: ClassVar[str] = "invalid"

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("; ".join(mistake.detail for mistake in self.mistakes))

    def under(self, *prefix: str | int) -> "ScoringError":
        """Return the error with a prefix before the path of every mistake."""
        return type(self)(mistake.under(*prefix) for mistake in self.mistakes)


class CardError(ScoringError):
    """The card does not exist."""

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
