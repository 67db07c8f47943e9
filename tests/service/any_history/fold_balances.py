"""What everyone owes and was charged by the events of a club alone, as docs/accounting.md and docs/rules.md say it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
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
            self.standing = set(content.get("irregular", self.standing - {content["number"]}))
        elif kind == "departure.recorded":
            self.document["departures"].append({"seat": content["seat"], "after_hand": content["after_hand"]})
        elif kind == "round.closed":
            self.document["closed"] = {"after_hand": content["after_hand"], "reason": content["reason"]}
        elif kind == "round.corrected":
            self.document = {name: value for name, value in content["document"].items() if value is not None}
            self.ruleset, self.standing = content["ruleset"], set(content.get("irregular", ()))
        elif kind == "round.recomputed":
            self.ruleset = content["ruleset"]

    def count(self) -> tuple[dict[Account, int], dict[Account, int]]:
        """Return what the round adds, and what the standing charge does: nothing while it is open."""
        happened = Happened(self.document, PRESETS[self.ruleset.partition("@")[0]], frozenset(self.standing))
        if happened.view["status"] == "open":
            return {}, {}
        value, unit = self.document.get("point_value"), self.document.get("unit")
        unit, worth = (self.table, 1) if value is None or unit is None else (unit, value)
        nets = happened.settlement["net"]
        players = {seat["seat"]: seat["player"] for seat in self.document["seats"]}
        won = {(unit, player): nets[str(seat)] * worth for seat, player in players.items()}
        return won, self._charge(unit, players)

    def _charge(self, unit: str, players: dict[int, str]) -> dict[Account, int]:
        """Return the standing charge: an amount for each hand of a player, or for a player of any hand."""
        owed: dict[Account, int] = {}
        for seat, player in players.items():
            hands = sum(seat in {each["seat"] for each in hand["players"]} for hand in self.document["hands"])
            times = {"hand": hands, "round": min(hands, 1)}.get(self.document.get("charge_per") or "", 0)
            owed[unit, player] = -times * int(self.document.get("charge_amount") or 0)
        return {**owed, (unit, None): -sum(owed.values())}


def fold_balances(events: Iterable[Document]) -> tuple[dict[Account, int], dict[Account, int]]:
    """
    Return what everyone is owed or, below zero, owes, from the events of a club, and how much of it was charged.

    Who is even is left out.
    """
    in_rounds: dict[str, list[Document]] = defaultdict(list)
    recorded: dict[str, dict[Account, int]] = {}
    owed: Counter[Account] = Counter()
    charged: Counter[Account] = Counter()
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
            charged.update(recorded[event["id"]])
        elif event["kind"] == "payment.reversed":
            owed.subtract(recorded[content["payment"]])
        elif event["kind"] == "charge.reversed":
            charged.subtract(recorded[content["charge"]])
        elif event["kind"] == "player.joined":
            aliases[content["alias"]] = content["player"]
        elif event["kind"] == "player.parted":
            del aliases[content["alias"]]
    for of_round in in_rounds.values():
        opening, *others = sorted(of_round, key=lambda event: int(event["sequence"]))
        content = opening["content"]
        named = ("seats", "point_value", "unit", "charge_per", "charge_amount")
        document = {**{name: content.get(name) for name in named}, "hands": [], "departures": []}
        round_ = Folded(content["table"], document, content["ruleset"])
        for event in others:
            round_.happens(event["kind"], event["content"])
        won, of_table = round_.count()
        owed.update(won)
        charged.update(of_table)
    owed.update(charged)
    return _by_player(owed, aliases), _by_player(charged, aliases)


def _by_player(sums: Counter[Account], aliases: Mapping[str | None, str]) -> dict[Account, int]:
    by_player: Counter[Account] = Counter()
    for (unit, known_as), amount in sums.items():
        by_player[unit, aliases.get(known_as, known_as)] += amount
    return {account: amount for account, amount in by_player.items() if amount}
