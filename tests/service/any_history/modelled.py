"""A round as the model has it: what happened, said by nothing but the oracle."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tests.oracle import Refused
from tests.oracle.rounds import Round, play_through, settlement, view
from tests.service.rounds_to_play import Document

COMES_TO = ("transfers", "stacks", "net", "standings", "money")
VIEWED = ("status", "hands", "seats", "next")


@dataclass(frozen=True)
class Happened:
    """All that happened in a round, and the hands of it that stand though they could not have followed."""

    document: Document
    ruleset: Document
    standing: frozenset[int] = frozenset()

    @cached_property
    def round(self) -> Round:
        """
        Where it leads, played from its first hand.

        Raises:
            Refused: it cannot have happened.
        """
        return play_through(self.document, self.ruleset, self.standing)[0]

    def plays(self) -> bool:
        """Say whether it can have happened."""
        try:
            _ = self.round
        except Refused:
            return False
        return True

    @property
    def view(self) -> Document:
        """What the service shows of the round."""
        shown = view(self.round)
        for seat in shown["seats"]:
            seat["top_ups"] = self.round.top_ups[seat["seat"]]
        return shown

    @property
    def settlement(self) -> Document:
        """What the service says it comes to."""
        return settlement(self.round, self.document.get("point_value"), self.document.get("currency"))

    def with_hand(self, hand: Document) -> "Happened":
        return self._with(hands=[*self.document["hands"], hand])

    def with_departure(self, seat: int) -> "Happened":
        departure = {"seat": seat, "after_hand": len(self.document["hands"])}
        return self._with(departures=[*self.document["departures"], departure])

    def with_closing(self, reason: str) -> "Happened":
        return self._with(closed={"after_hand": len(self.document["hands"]), "reason": reason})

    def without_last_hand(self) -> "Happened":
        number = len(self.document["hands"])
        left = [each for each in self.document["departures"] if each["after_hand"] < number]
        fewer = self._with(hands=self.document["hands"][:-1], departures=left)
        return Happened(fewer.document, self.ruleset, self.standing - {number})

    def _with(self, **changes: Any) -> "Happened":
        return Happened({**self.document, **changes}, self.ruleset, self.standing)


@dataclass
class Modelled:
    """
    A round, and every revision that it had.

    Attributes:
        past: what was shown of each older revision while it was the newest, byte for byte.
    """

    id: str
    table: str
    happened: Happened
    version: int
    revision: int = 1
    past: list[dict[str, Any]] = field(default_factory=list)

    @property
    def status(self) -> str:
        return str(self.happened.view["status"])
