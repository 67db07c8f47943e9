"""A round as the model has it: what happened, as computed by the oracle alone."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tests.oracle import Refused
from tests.oracle.rounds import Round, play_through, settlement, view
from tests.support.sample_rounds import Document

COMES_TO = ("transfers", "stacks", "net", "standings", "money")
VIEWED = ("status", "hands", "seats", "next")


@dataclass(frozen=True)
class Happened:
    """All that happened in a round, and the hands of it accepted as played."""

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
        """Return whether it can have happened."""
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
        """The results that the service shows."""
        return settlement(self.round, self.document.get("point_value"), self.document.get("unit"))

    def with_hand(self, hand: Document) -> "Happened":
        return self._with(hands=[*self.document["hands"], hand])

    def with_departure(self, seat: int) -> "Happened":
        departure = {"seat": seat, "after_hand": len(self.document["hands"])}
        return self._with(departures=[*self.document["departures"], departure])

    def with_closing(self, reason: str) -> "Happened":
        return self._with(closed={"after_hand": len(self.document["hands"]), "reason": reason})

    def without_last_hand(self) -> "Happened":
        number = len(self.document["hands"])
        document = {**self.document, "hands": self.document["hands"][:-1], "departures": []}
        left = Happened(document, self.ruleset, self.standing - {number})
        for departure in self.document["departures"]:
            with_it = left._with(departures=[*left.document["departures"], departure])
            left = with_it if departure["after_hand"] < number and with_it.plays() else left
        return left

    def _with(self, **changes: Any) -> "Happened":
        return Happened({**self.document, **changes}, self.ruleset, self.standing)


@dataclass
class Modelled:
    """
    A round, and every revision that it had.

    Attributes:
        past: what was shown of each older revision while it was the newest, byte for byte.
        final: the newest revision that was final.
        confirmed: the seats whose players have confirmed this revision.
        disputes: those that have not ended, and the version of each.
    """

    id: str
    table: str
    happened: Happened
    version: int
    is_imported: bool = False
    revision: int = 1
    past: list[dict[str, Any]] = field(default_factory=list)
    final: int | None = None
    confirmed: set[int] = field(default_factory=set)
    disputes: dict[str, int] = field(default_factory=dict)

    @property
    def status(self) -> str:
        return str(self.happened.view["status"])

    @property
    def state(self) -> str:
        """How firm its settlement is."""
        if self.status == "open":
            return "open"
        if self.disputes:
            return "disputed"
        return "final" if self.final == self.revision else "provisional"

    @property
    def had_hands(self) -> bool:
        """Whether a hand of it was ever recorded, withdrawn since or not."""
        documents = [self.happened.document, *(each["document"] for each in self.past)]
        return any(document["hands"] for document in documents)

    def becomes_final(self) -> None:
        self.final = self.revision
        self.version += 1

    @property
    def net_when_final(self) -> dict[str, int] | None:
        """What everyone was settled up by, before the newest revision."""
        if self.final is None or self.final == self.revision:
            return None
        settled: dict[str, int] = self.past[self.final - 1]["settlement"]["net"]
        return settled
