"""What everyone owes by the events of a club alone, as docs/accounting.md and docs/rules.md say it."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.oracle import PRESETS
from tests.service.any_history.model_round import Happened
from tests.support.sample_rounds import Document

Account = tuple[str, str | None]
"""A unit and a player; None is the house."""


@dataclass
class Folded:
    """A round as its events have it so far."""

    table: str
    document: Document
    ruleset: str
    standing: set[int] = field(default_factory=set)

    def happens(self, kind: str, content: Document) -> None:
        """Change the round as an event says."""
        if kind == "hand.recorded":
            self.document["hands"].append(content["hand"])
            if content.get("irregular"):
                self.standing.add(content["hand"]["number"])
        elif kind == "hand.withdrawn":
            self.document["hands"].pop()
            left = [each for each in self.document["departures"] if each["seat"] not in content["departures"]]
            self.document["departures"] = left
            self.standing = set(content.get("irregular", ()))
        elif kind == "departure.recorded":
            self.document["departures"].append({"seat": content["seat"], "after_hand": content["after_hand"]})
        elif kind == "round.closed":
            self.document["closed"] = {"after_hand": content["after_hand"], "reason": content["reason"]}
        elif kind == "round.corrected":
            self.document = {name: value for name, value in content["document"].items() if value is not None}
            self.ruleset, self.standing = content["ruleset"], set(content.get("irregular", ()))
        elif kind == "round.recomputed":
            self.ruleset = content["ruleset"]

    def count(self) -> dict[Account, int]:
        """Return what the round adds: nothing while it is open."""
        happened = Happened(self.document, PRESETS[self.ruleset.partition("@")[0]], frozenset(self.standing))
        if happened.view["status"] == "open":
            return {}
        value, currency = self.document.get("point_value"), self.document.get("currency")
        unit, worth = (self.table, 1) if value is None or currency is None else (currency, value)
        nets = happened.settlement["net"]
        return {(unit, seat["player"]): nets[str(seat["seat"])] * worth for seat in self.document["seats"]}


def fold_balances(events: Iterable[Document]) -> dict[Account, int]:
    """Return what everyone is owed or, below zero, owes, from the events of a club; who is even is left out."""
    in_rounds: dict[str, list[Document]] = defaultdict(list)
    recorded: dict[str, dict[Account, int]] = {}
    owed: Counter[Account] = Counter()
    aliases: dict[str | None, str] = {}
    for event in sorted(events, key=lambda event: str(event["id"])):
        content = event["content"]
        if event["round"] is not None:
            in_rounds[event["round"]].append(event)
        elif event["kind"] == "payment.recorded":
            unit, amount = content["unit"], content["amount"]
            recorded[event["id"]] = {(unit, content["payer"]): amount, (unit, content["payee"]): -amount}
            owed.update(recorded[event["id"]])
        elif event["kind"] == "charge.recorded":
            unit, amount = content["unit"], content["amount"]
            recorded[event["id"]] = {(unit, content["player"]): -amount, (unit, None): amount}
            owed.update(recorded[event["id"]])
        elif event["kind"] in ("payment.reversed", "charge.reversed"):
            owed.subtract(recorded[content[event["kind"].partition(".")[0]]])
        elif event["kind"] == "player.joined":
            aliases[content["alias"]] = content["player"]
        elif event["kind"] == "player.parted":
            del aliases[content["alias"]]
    for of_round in in_rounds.values():
        opening, *others = sorted(of_round, key=lambda event: int(event["sequence"]))
        content = opening["content"]
        named = ("seats", "point_value", "currency")
        document = {**{name: content[name] for name in named}, "hands": [], "departures": []}
        round_ = Folded(content["table"], document, content["ruleset"])
        for event in others:
            round_.happens(event["kind"], event["content"])
        owed.update(round_.count())
    by_player: Counter[Account] = Counter()
    for (unit, known_as), amount in owed.items():
        by_player[unit, aliases.get(known_as, known_as)] += amount
    return {account: amount for account, amount in by_player.items() if amount}
