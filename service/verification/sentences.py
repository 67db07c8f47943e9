"""Findings in a database as sentences: whose record or figure differs, what is stored, and the correct value."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from schemas.verification.sentences import choose_verb
from service.replays.findings import Finding, FindingKind, dump_value

_LONGEST: Final = 80
"""A longer value is cut in a sentence."""

SENTENCES: Final[Mapping[FindingKind, str]] = {
    FindingKind.EVENT_UNREADABLE: "The bytes of {subject} are not an event. They were changed without the service.",
    FindingKind.EVENT_DIFFERS: "{difference} its signed bytes say {expected}. It was changed without the service.",
    FindingKind.EVENT_HASH: "The hash of {subject} is not that of its bytes. It was changed without the service.",
    FindingKind.EVENT_MISSING: "{subject} is missing. It was removed without the service.",
    FindingKind.EVENT_SURPLUS: "{subject} is one too many. It was added without the service.",
    FindingKind.CHAIN_BROKEN: "The chain of events is broken at {subject}. An event was changed or exchanged without"
    " the service.",
    FindingKind.CONTENT_UNPLAYABLE: "Records cannot be derived from {subject}: {stored}.",
    FindingKind.RECORD_MISSING: "{subject} is missing, and the events lead to it. It was removed without the service.",
    FindingKind.RECORD_SURPLUS: "{subject} is in the database, and no event leads to it. It was added without the"
    " service.",
    FindingKind.RECORD_DIFFERS: "{difference} the events say {expected}. It was changed without the service.",
    FindingKind.FIGURE_DIFFERS: "{difference} the cards say {expected}. It was changed without the service.",
    FindingKind.SUM_BROKEN: "Points do not add up: {difference} the other figures say {expected}. It was changed"
    " without the service.",
    FindingKind.CLUB_UNKNOWN: "There are records of a club that does not exist. It was removed without the service.",
    FindingKind.PAGE_UNREADABLE: "A block of the table {table} on disk is damaged: PostgreSQL cannot read it.",
    FindingKind.RECORD_UNREADABLE: "{subject} could not be verified: a block on disk is damaged.",
    FindingKind.SCHEMA_MISSING: "The database lacks the {table} {name}. It was removed without the service.",
    FindingKind.SCHEMA_DIFFERS: "The {table} {name} is not as this release creates it. It was changed without the"
    " service.",
    FindingKind.SCHEMA_SURPLUS: "This release has no {table} {name}, which can change records or what others see of"
    " them. It was added without the service.",
    FindingKind.SCHEMA_EXTENDED: "This release has no {table} {name}, which does no harm.",
    FindingKind.KEY_UNKNOWN: "The published key {public_key} is not one of the service. It was added without the"
    " service.",
    FindingKind.SIGNATURE_WRONG: "{subject} is not signed by published keys alone. It was changed without the service.",
    FindingKind.ROUND_MAP_WRONG: "The map of rounds in {subject} does not follow from the events before it.",
    FindingKind.CHECKPOINT_BROKEN: "The events contradict a checkpoint that was retained elsewhere: events were cut off"
    " or rewritten.",
    FindingKind.SCORERS_DISAGREE: "The bulk scorer and the plain rules have different results for {round}. The records"
    " follow the plain rules; report it.",
    FindingKind.APPLIED: "There is a new revision of {round}.",
    FindingKind.SKIPPED: "Nothing was changed in {round}: {detail}.",
    FindingKind.DEAD_LETTERED: "Rounds could not be recomputed: {detail}.",
}
"""What is wrong, and what follows from that, for each kind of finding."""

SUBJECTS: Final[Mapping[str, str]] = {
    "clubs": "the club",
    "players": "the named player {player}",
    "aliases": "the other ID {alias}",
    "api_keys": "the key {id}",
    "rulesets": "the ruleset {name}@{version}",
    "units": "the unit {code}",
    "tables": "the table {table}",
    "links": "the link {id}",
    "rounds": "{round}",
    "settlements": "revision {revision} of {round}",
    "round_seats": "seat {seat} of {round}",
    "departures": "departure {position} of {round}",
    "closings": "the closing of {round}",
    "submissions": "the received request {id}",
    "hands": "{hand}",
    "corrections": "the correction that made revision {revision} of {round}",
    "confirmations": "the confirmation of seat {seat} of {round}",
    "hand_scores": "hand {number} of {round}",
    "payouts": "the payments at the end of {round}",
    "adjustments": "payment {position} of the adjustment of {round}",
    "entries": "the entry of the journal {id}",
    "texts": "a text",
    "payment_claims": "the claim of a payment {id}",
    "payment_claim_outcomes": "the outcome of the claim of a payment {claim_id}",
    "disputes": "a dispute of {round}",
    "dispute_entries": "entry {version} of a dispute of {round}",
    "dispute_heads": "the state of a dispute of {round}",
    "proposals": "the proposal {id}",
    "proposal_ends": "the end of the proposal {proposal_id}",
    "round_heads": "{round}",
    "round_statistics": "the sums of {player} in {round}",
    "acknowledged_findings": "the acknowledgement of a finding",
    "events": "{event}",
    "waiting_events": "the event {event_id} that waits to join the tree",
    "tree_nodes": "the hash {level}/{position} of the tree of events",
    "tree_heads": "the tree of events",
    "round_map_tiles": "the part {prefix} of the map of rounds",
    "checkpoints": "the checkpoint of {size} events",
}
"""The records of each table in words."""

HIDDEN: Final = frozenset(
    (table, column)
    for table, columns in (
        ("players", "display_name salt"),
        ("texts", "content salt"),
        ("api_keys", "name name_salt secret_sha256"),
        ("links", "label label_salt secret_sha256"),
    )
    for column in columns.split()
)
"""Columns with texts that can be erased, and with secrets: no sentence has their values."""

_NOUNS: Final[Mapping[str, str]] = {
    "stacks": "stack",
    "stacks_before": "stack before it",
    "opening_stacks": "opening stack",
    "top_ups": "top-ups",
    "due": "points due",
    "paid": "points paid",
    "limited_by": "cap",
    "payer_stack": "stack of the payer",
    "payee_stack": "stack of the payee",
    "earned": "cards earned",
}
"""What columns are called; others are called by their names."""
_BY_SEAT: Final = frozenset({"stacks", "stacks_before", "opening_stacks", "top_ups"})
"""Columns in the order of all seats of the round; other lists are in that of the seats of the hand."""


@dataclass(frozen=True, slots=True)
class RoundPlace:
    """A round in words: its table, its reference, and its players by seat."""

    table: str
    reference: str | None
    players: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Places:
    """
    What the keys of records refer to.

    Attributes:
        rounds: by ID.
        of_records: the round of a record and the number of its hand or event, by the ID of the record.
        dealt: the seats of the hands, by round and number.
        tables: the names of tables, by ID.
    """

    rounds: Mapping[UUID, RoundPlace] = field(default_factory=dict)
    of_records: Mapping[UUID, tuple[UUID | None, int | None]] = field(default_factory=dict)
    dealt: Mapping[tuple[UUID, int], Sequence[int]] = field(default_factory=dict)
    tables: Mapping[UUID, str] = field(default_factory=dict)


NOWHERE: Final = Places()
"""For findings whose keys refer to nothing that can be read."""


def find_round(finding: Finding, places: Places) -> tuple[UUID | None, int | None]:
    """Return the round of a finding, and the number of its hand or event; None where it has none."""
    key = finding.key
    named, number = key.get("round_id"), key.get("number", key.get("sequence"))
    if named is None and finding.table == "rounds":
        named = key.get("id")
    if named is not None:
        return as_id(named), number
    for each in list_ids(finding):
        if each in places.of_records:
            return places.of_records[each]
    return None, number


def list_ids(finding: Finding) -> Iterator[UUID]:
    """Yield the IDs of records that the key of a finding has, except those of the club and of the round."""
    for name in ("id", "dispute_id", "proposal_id", "claim_id", "event_id"):
        if name in finding.key:
            yield as_id(finding.key[name])


def as_id(value: Any) -> UUID:
    """Return an ID, which some checks read as text."""
    return value if isinstance(value, UUID) else UUID(str(value))


def describe_finding(finding: Finding, places: Places = NOWHERE) -> str:
    """
    Return a finding as sentences.

    >>> key = {"round_id": UUID(int=1), "revision": 1, "number": 3}
    >>> round_ = RoundPlace("quick", None, {1: "ann", 2: "ben"})
    >>> places = Places({UUID(int=1): round_}, dealt={(UUID(int=1), 3): (1, 2)})
    >>> finding = Finding(FindingKind.FIGURE_DIFFERS, "hand_scores", key, "points", [7, -6], [6, -6])
    >>> describe_finding(finding, places)
    "ann's points of hand 3 of a round at quick are 7; the cards say 6. It was changed without the service."
    """
    round_id, number = find_round(finding, places)
    words = _words(finding, places, round_id, number)
    subject = SUBJECTS.get(finding.table, "a record of the table " + finding.table).format_map(words)
    difference, expected = _describe_difference(finding, places, subject, words)
    text = SENTENCES[finding.kind].format_map(
        {
            **{name: words[name] for name in ("round", "name", "public_key")},
            "subject": subject,
            "difference": difference,
            "expected": expected,
            "stored": show(finding.stored, longest=300),
            "table": finding.table,
            "detail": finding.detail or "no reason is recorded",
        }
    )
    is_named = difference and text.startswith(difference) and not difference.startswith("the ")
    return text if is_named else text[:1].upper() + text[1:]


class _Words(dict[str, str]):
    """The parts of a key in words; a part that a key does not have is a question mark."""

    def __missing__(self, name: str) -> str:
        return "?"


def _words(finding: Finding, places: Places, round_id: UUID | None, number: int | None) -> _Words:
    words = _Words({name: show(value) for name, value in finding.key.items()})
    place = None if round_id is None else places.rounds.get(round_id)
    if round_id is None:
        words["round"] = "a round"
    elif place is None:
        words["round"] = f"the round {round_id}"
    else:
        which = "a round" if place.reference is None else f"the round {place.reference}"
        words["round"] = f"{which} at {place.table}"
    words["hand"] = f"hand {number} of {words['round']}" if number is not None else f"a hand of {words['round']}"
    words["event"] = f"event {number} of {words['round']}" if round_id is not None else f"the event {words['id']}"
    if finding.table == "tables":
        words["table"] = places.tables.get(as_id(finding.key["id"]), words["id"])
    return words


def _describe_difference(finding: Finding, places: Places, subject: str, words: _Words) -> tuple[str, str]:
    """Return what a column has, up to the semicolon, and the correct value."""
    column = finding.column
    if column is None:
        return f"{subject} differs;", "otherwise"
    if (finding.table, column) in HIDDEN:
        return f"the {_name(column)} of {subject} is another one;", "otherwise"
    changed = _find_changed(finding, places)
    if changed is not None:
        owner, noun, stored, expected = changed
        noun = f"{owner}'s {noun}" if owner else f"the {noun}"
        return f"{noun} of {subject} {choose_verb(noun)} {show(stored)};", show(expected)
    noun = f"the {_name(column)}"
    return f"{noun} of {subject} {choose_verb(noun)} {show(finding.stored)};", show(finding.expected)


def _find_changed(finding: Finding, places: Places) -> tuple[str | None, str, Any, Any] | None:
    """Return the first of several figures that differs: whose it is, what it is called, and both values."""
    stored, expected, column = finding.stored, finding.expected, str(finding.column)
    if not isinstance(stored, list | tuple) or not isinstance(expected, list | tuple) or len(stored) != len(expected):
        return None
    place = next((place for place, pair in enumerate(zip(stored, expected, strict=True)) if pair[0] != pair[1]), None)
    if place is None:
        return None
    was, right = stored[place], expected[place]
    round_id, number = find_round(finding, places)
    players: Mapping[int, str] = {}
    if round_id is not None and round_id in places.rounds:
        players = places.rounds[round_id].players
    if isinstance(was, Mapping) and isinstance(right, Mapping):
        name = next(iter([name for name in right if was.get(name) != right[name]]), column)
        sides = " to ".join(players.get(right.get(side, 0), f"seat {right.get(side)}") for side in ("payer", "payee"))
        return None, f"{_name(name)} of payment {place + 1} ({sides})", was.get(name), right.get(name)
    seats: Sequence[int] = sorted(players)
    if column not in _BY_SEAT and number is not None and round_id is not None:
        seats = places.dealt.get((round_id, number), ())
    if finding.table not in ("hand_scores", "payouts", "round_heads") or len(seats) != len(stored):
        return None
    return players.get(seats[place], f"seat {seats[place]}"), _name(column), was, right


def _name(column: str) -> str:
    return _NOUNS.get(column, column.replace("_", " "))


def show(value: Any, *, longest: int = _LONGEST) -> str:
    """
    Return a value in a sentence; a long one is cut.

    >>> show(None), show(bytes(32)), show([1, 2]), show("Ax")
    ('nothing', '00000000…', '[1, 2]', 'Ax')
    """
    if isinstance(value, (bytes, memoryview)) and len(value) > 8:
        return f"{bytes(value[:4]).hex()}…"
    dumped = dump_value(value)
    text = (
        "nothing" if dumped is None else dumped if isinstance(dumped, str) else json.dumps(dumped, ensure_ascii=False)
    )
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"
