"""Findings as sentences: whose figure differs, what the file has, the correct value, and what follows from that."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from schemas.verification.findings import Finding, FindingCode
from scoring.board import Row
from scoring.cards import Card
from scoring.errors import Path
from scoring.explanation.wording import show_suits

_CHANGED: Final = "The file was changed after it was issued."
_NOT_ISSUED: Final = "The service did not issue the file like this."
_LEFT_OUT: Final = "The file is not complete."
SENTENCES: Final[Mapping[FindingCode, tuple[str, str]]] = {
    FindingCode.CHAIN_BROKEN: ("{place} does not follow the event before it: {detail}", _CHANGED),
    FindingCode.CHECKPOINT_DIFFERS: (
        "the checkpoint of the file is not yours, and both are of the same number of events",
        "Events were rewritten.",
    ),
    FindingCode.EVENT_IMPOSSIBLE: ("{detail}", _NOT_ISSUED),
    FindingCode.EVENTS_OMITTED: ("{detail}", _LEFT_OUT),
    FindingCode.FIGURE_DIFFERS: ("{difference}", _CHANGED),
    FindingCode.NEWEST_EVENT_DIFFERS: ("{detail}", _CHANGED),
    FindingCode.NEWEST_EVENT_UNPROVED: ("{detail}", _CHANGED),
    FindingCode.ORIGIN_DIFFERS: ("{detail}", "The checkpoint does not belong to this file."),
    FindingCode.QUORUM_MISSING: ("{detail}", "Too few of the witnesses that you trust have seen this history."),
    FindingCode.REVISIONS_COUNT: ("{detail}", _CHANGED),
    FindingCode.RULESET_DIFFERS: ("{difference}", "The rules are not those that the round was played under."),
    FindingCode.SEAL_DIFFERS: ("{place} is another one: {detail}", _CHANGED),
    FindingCode.TABLE_MISSING: ("{detail}", _LEFT_OUT),
    FindingCode.TEXT_UNKNOWN: ("a reason in the file belongs to no event", _CHANGED),
}
"""What is wrong, and what follows from that, for each kind of finding."""
_OF_MISTAKES: Final = ("{place}: {detail}", _CHANGED)

_PLACES: Final[Mapping[str, str]] = {
    "events": "event {number} of the round",
    "related": "event {number} of the table and its rules",
    "revisions": "revision {number}",
    "rulesets": "ruleset {number} of the file",
    "texts": "text {number} of the file",
    "keys": "key {number} of the file",
    "checkpoint": "the checkpoint",
    "sealed": "the last event of the checkpoint",
    "newest": "the proof of the newest event",
    "consistency": "the proof that the checkpoint is consistent with yours",
    "retained": "your checkpoint",
}
"""The parts of a file in words."""
_NOUNS: Final[Mapping[str, str]] = {
    "net": "net",
    "stacks": "stack",
    "confirmed": "confirmations",
    "provisional_until": "end of the correction window",
    "state": "state",
    "due": "points due",
    "paid": "points paid",
    "limited_by": "cap",
    "payer_stack": "stack of the payer",
    "payee_stack": "stack of the payee",
    "foul_reason": "reason of the foul",
    "fantasyland": "Fantasyland",
    "bonus": "bonus",
    "played_at": "time",
    "recorded_at": "time of the record",
    "opened_at": "time of the opening",
    "opening_stack": "opening stack",
    "point_value": "value of a point",
    "in_force": "validity",
    "top_ups": "top-ups",
    "id": "ID",
    "player": "ID",
    "after_hand": "last hand",
    "closed": "closing",
    "irregular": "irregularities",
    "unit_digits": "digits of the unit",
}
"""What fields are called; others are called by their names."""
_PLURAL: Final = re.compile(
    r"\b(?:points|royalties|hands|seats|departures|confirmations|irregularities|players|exchanges|discards|transfers"
    r"|fouls|scoops|stays|top-ups|bonuses|accounts|amounts|charges|scopes|boards)\b"
)
_AFTER: Final = frozenset({"stacks", "payer_stack", "payee_stack"})
"""Figures after a hand or a round, and not of it."""
_OF_CARDS: Final = frozenset(
    """
    net stacks points royalties rows foul foul_reason fantasyland exchanges row_points bonus due paid limited_by payer
    payee payer_stack payee_stack order transfers standings place category description royalty
    """.split()  # noqa: SIM905 - as a list it has a line for each
)
"""What follows from the cards; all else follows from other contents of the signed events."""
_ROWS: Final = frozenset(row.value for row in Row)
_CARD: Final = re.compile(r"'([2-9TJQKA][cdhs])'")
_ITEMS: Final = re.compile(r"\d+ items")
_HASH: Final = re.compile(r"\b([0-9a-f]{8})[0-9a-f]{24,}\b")
_WORDS: Final = {"null": "nothing", "an array": "a list", "an object": "a record"}
_BY_SEAT: Final = frozenset({"net", "stacks", "points"})
"""Figures by seat."""


def describe_finding(finding: Finding) -> str:
    """
    Return a finding as sentences: what is wrong, and what follows from that.

    >>> from dataclasses import replace
    >>> path = ("revisions", 0, "settlement", "net", "1")
    >>> finding = Finding.of_difference(FindingCode.FIGURE_DIFFERS, path, "33", "32")
    >>> describe_finding(replace(finding, subject="ann's net of the round"))
    "ann's net of the round is 33; the cards say 32. The file was changed after it was issued."
    """
    known = isinstance(finding.code, FindingCode)
    pattern, conclusion = SENTENCES[FindingCode(finding.code)] if known else _OF_MISTAKES
    detail = _HASH.sub(r"\1…", finding.detail.replace("`", ""))
    difference = _describe_difference(finding) or f"{name_place(finding.path)}: {detail}"
    text = pattern.format(place=name_place(finding.path), detail=detail, difference=difference)
    # A subject can begin with a name, which stays as its player writes it.
    is_named = finding.subject is not None and text.startswith(finding.subject)
    return f"{text if is_named else text[:1].upper() + text[1:]}. {conclusion}"


def name_place(path: Path) -> str:
    """
    Return the part of the file at a place in words.

    >>> name_place(("events", 2, "event", "sequence")), name_place(("format",))
    ('event 3 of the round', 'the file')
    """
    part, *rest = map(str, path or ("",))
    number = int(rest[0]) + 1 if rest and rest[0].isdigit() else ""
    return _PLACES.get(part, "the file").format(number=number)


def _describe_difference(finding: Finding) -> str | None:
    """Return what the file has, and the correct value; None where the value has no name."""
    subject = finding.subject
    if subject is None or finding.value is None or finding.expected is None:
        return None
    verb = choose_verb(subject)
    if _ITEMS.fullmatch(finding.value):
        verb = "have" if verb == "are" else "has"
    value = "missing" if finding.value == "nothing" else _show(finding.value)
    return f"{subject} {verb} {value}; {_find_authority(finding.path)} {_show(finding.expected)}"


def choose_verb(subject: str) -> str:
    """
    Return the verb of a figure with its owner.

    >>> choose_verb("ann's points of hand 3"), choose_verb("The state of the players")
    ('are', 'is')
    """
    noun = subject.partition(" of ")[0].rpartition("'s ")[2]
    return "are" if _PLURAL.search(noun) and not noun.startswith("The rule ") else "is"


def _show(value: str) -> str:
    """Return a value for people: cards with their suits."""
    return _CARD.sub(lambda card: show_suits((Card.parse(card[1]),)), _WORDS.get(value, value))


def _find_authority(path: Path) -> str:
    if path[0] == "rulesets":
        return "the signed rules say"
    is_result = path[0] == "events" or (len(path) > 2 and path[2] in ("settlement", "hands"))
    names = [step for step in path[3:] if isinstance(step, str) and not step.isdigit()]
    return "the cards say" if is_result and _OF_CARDS.issuperset(names[-1:]) else "the signed events say"


@dataclass(slots=True)
class _Subject:
    """What is known of a place in a document of figures, from the steps that lead to it."""

    names: Mapping[int, str]
    fields: list[str] = field(default_factory=list)
    owner: str | None = None
    of: list[str] = field(default_factory=list)

    def name(self, seat: object) -> str:
        return self.names.get(int(str(seat)), f"seat {seat}") if str(seat).isdigit() else f"seat {seat}"

    def enter(self, part: Mapping[str, Any], kind: str) -> None:
        """Note what the item of a list is about."""
        if kind == "hands" and "number" in part:
            self.of.insert(0, f"hand {part['number']}")
        elif {"name", "version"} <= part.keys():
            self.of.insert(0, f"the ruleset {part['name']}@{part['version']}")
        elif "order" in part:
            self.of.insert(0, f"payment {part['order']} ({self.name(part['payer'])} to {self.name(part['payee'])})")
        elif "seats" in part and isinstance(part["seats"], Sequence):
            self.owner = " against ".join(map(self.name, part["seats"]))
        elif "seat" in part:
            self.owner = self.name(part["seat"])


def name_subject(path: Path, right: object, names: Mapping[int, str]) -> str | None:
    """
    Return what is at a place of a document in words, from the document as it should be.

    >>> right = {"hands": [{"number": 4, "players": [{"seat": 1, "points": 6}]}]}
    >>> name_subject(("hands", 0, "players", 0, "points"), right, {1: "ann"})
    "ann's points of hand 4"
    >>> name_subject(("settlement", "stacks", "1"), {"settlement": {"stacks": {"1": 9}}}, {1: "ann"})
    "ann's stack after the round"
    """
    subject, node, part = _Subject(names), right, ""
    for step in path:
        node = _step(node, step)
        if isinstance(step, int):
            if isinstance(node, Mapping):
                subject.enter(node, part)
            elif part in _ROWS:
                subject.fields[-1] = f"card {step + 1} of the {part} row"
        elif step.isdigit() and part in _BY_SEAT:
            subject.owner = subject.name(step)
        else:
            part = step
            subject.fields.append(step)
    return _compose(subject)


def _step(node: object, step: str | int) -> object:
    """Return a part of a document; None where it has none."""
    if isinstance(node, Mapping):
        return node.get(step)
    if isinstance(node, list) and isinstance(step, int) and step < len(node):
        return node[step]
    return None


def _compose(subject: _Subject) -> str | None:
    if not subject.fields:
        return None
    of = " of ".join(subject.of) or "the round"
    *before, last = subject.fields
    if of.startswith("the ruleset "):
        return f"The rule “{', '.join(subject.fields).replace('_', ' ')}” of {of}"
    noun = _NOUNS.get(last, f"{last} row" if last in _ROWS else last.replace("_", " "))
    if last in _ROWS and "exchanges" in before:
        noun = f"points of the {noun}"
    row = next((each for each in reversed(before) if each in _ROWS), None)
    if row is not None:
        noun = f"{noun} of the {row} row"
    if "money" in before and last == "net":
        noun = "net in money"
    of = f"{'after' if last in _AFTER else 'of'} {of}"
    if subject.owner is None:
        return f"The {noun} {of}"
    return f"The {noun} of {subject.owner} {of}" if " against " in subject.owner else f"{subject.owner}'s {noun} {of}"
