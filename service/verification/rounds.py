"""Rounds compared with their events: every record that the events lead to, column by column."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, Final
from uuid import UUID

import numpy as np

from evidence import EvidenceError
from evidence.fold import StoredEvent, fold_round
from scoring.round_state import Round
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.recomputations.actions.audit import audit_group
from service.recomputations.packed.queries import RoundSelection
from service.recomputations.packed.queries import Stretch as PackedStretch
from service.recomputations.packed.reading import read_packed
from service.recomputations.packed.rounds import PackedRounds, RoundGroup
from service.rounds.queries.stored_round import dump_state
from service.verification.chains import check_chains
from service.verification.comparing import Expected, Key, Row, check_sums, compare_records
from service.verification.expected_records import InvalidRoundError, expect_records
from service.verification.figures import compare_figures
from service.verification.findings import Finding, FindingKind
from service.verification.queries import audited
from service.verification.queries.audited import LAST, Event, Stretch

State = Mapping[str, Any]
"""The column `state` of a round's head."""
_UNREADABLE: Final = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
"""What records can raise that the service would never store; their rounds are replayed one by one."""


def audit_results(transaction: Transaction, stretch: Stretch, rulesets: Mapping[str, Ruleset]) -> Mapping[UUID, State]:
    """
    Return the rounds whose stored results follow from their stored hands, each with the state of its head.

    Results are all columns that `covers` calls played, of rounds that have ended and were never revised. What the
    audit reads of hands, seats, departures and closings is compared with the events elsewhere. A round that is not
    returned is no damage: the audit cannot replay every round.

    Args:
        transaction: of the club; it reads one moment.
        stretch: some thousand rounds.
        rulesets: those of the club, by name and version, as its events have them.
    """
    if stretch.after == LAST:
        return {}
    in_order = list(rulesets.values())
    known = [(ruleset.name, ruleset.version) for ruleset in in_order]
    rounds = PackedStretch(RoundSelection(), UUID(int=stretch.after.int + 1), stretch.upto)
    states: dict[UUID, State] = {}
    try:
        packed = read_packed(transaction, rounds, known)
        for group in packed.groups():
            states |= _audit_group(packed, group, in_order[group.ruleset - 1])
    except _UNREADABLE:
        return {}
    for round_id in audited.list_revised(transaction, stretch):
        states.pop(round_id, None)
    return states


def _audit_group(packed: PackedRounds, group: RoundGroup, ruleset: Ruleset) -> dict[UUID, State]:
    """Return the proven rounds of a group; those that end alike share the columns of a head, except the stacks."""
    audit = audit_group(ruleset, group)
    is_proven = ~audit.by_itself & ~audit.differs
    is_proven &= ~np.isin(group.places, packed.hands.of_round[~packed.hands.follows])
    settlement, seats = audit.settlement, group.rounds.seats.tolist()
    finals, scope_stacks = settlement.final.tolist(), settlement.opening_stacks.tolist()
    shared: dict[tuple[int, ...], State] = {}
    states: dict[UUID, State] = {}
    for index in np.flatnonzero(is_proven).tolist():
        end = settlement.states[finals[index]]
        if end is None:
            continue
        key = finals[index], *seats[index]
        if key not in shared:
            shared[key] = _dump_end(end, seats[index])
        states[packed.round_id(group.places[index])] = {**shared[key], "scope_stacks": scope_stacks[index]}
    return states


def _dump_end(end: Round, seats: Sequence[int]) -> State:
    """Return the state of a round that has ended, whose seats are numbers of columns."""
    seated = replace(
        end,
        had_button=frozenset(seats[column - 1] for column in end.had_button),
        left=frozenset(seats[column - 1] for column in end.left),
        busted=frozenset(seats[column - 1] for column in end.busted),
        sequence=frozenset(seats[column - 1] for column in end.sequence),
        owed={seats[column - 1]: owed for column, owed in end.owed.items()},
    )
    return {**dump_state(seated), "button": None if end.button is None else seats[end.button - 1]}


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_YEAR: Final = 9998
"""The last year after which a correction window can still end."""


def verify_rounds(
    transaction: Transaction, stretch: Stretch, rulesets: Mapping[str, Ruleset]
) -> tuple[list[Finding], int]:
    """
    Return what is not as the events of some rounds say, and the number of the events.

    The results of most rounds are proven by the audit in bulk. Where anything is found, all rounds are replayed from
    their events, so that every column that differs is named.

    Args:
        transaction: of the club; it reads one moment.
        stretch: some thousand rounds.
        rulesets: those of the club, by name and version, as its events have them.
    """
    events = list(audited.read_events(transaction, stretch, loose=False))
    findings = list(check_chains(events, audited.read_heads(transaction, stretch)))
    proven = audit_results(transaction, stretch, rulesets)
    differences = compare_rounds(transaction, stretch, events, rulesets, proven)
    if differences and proven:
        differences = compare_rounds(transaction, stretch, events, rulesets, {})
    return [*findings, *differences, *compare_figures(transaction, stretch)], len(events)


def compare_rounds(
    transaction: Transaction,
    stretch: Stretch,
    events: Sequence[Event],
    rulesets: Mapping[str, Ruleset],
    proven: Mapping[UUID, State],
) -> list[Finding]:
    """
    Compare the records of some rounds with those that their events lead to.

    Args:
        transaction: of the club; it reads one moment.
        stretch: the rounds.
        events: of these rounds, in order.
        rulesets: those of the club, by name and version.
        proven: the rounds whose results need no replay, as `audit_results` returns them.
    """
    expected: dict[str, dict[Key, Row]] = defaultdict(dict)
    findings, unexpected = [], set()
    skipped = set(proven)
    for name, of_round in groupby(events, key=lambda event: event.round_id):
        round_id = UUID(name.decode())
        try:
            records, is_replayed = _expect(round_id, list(of_round), rulesets, proven.get(round_id))
        except (EvidenceError, InvalidRoundError) as error:
            key = {"club_id": transaction.club_id, "round_id": round_id}
            findings.append(Finding(FindingKind.CONTENT_UNPLAYABLE, "events", key, "content", str(error)))
            unexpected.add(round_id)
            skipped.discard(round_id)
            continue
        if is_replayed:
            skipped.discard(round_id)
        for table, rows in records.items():
            expected[table].update(rows)
    for table in audited.OF_ROUNDS:
        stored = audited.list_of_rounds(transaction, table, stretch, skipped)
        findings += check_sums(table, stored)
        if table == "hand_scores":
            stored += audited.list_scored_hands(transaction, skipped)
        if table == "disputes":
            unexpected |= {row["id"] for row in stored if row["round_id"] in unexpected}
        compared = [row for row in stored if _owner(row) not in unexpected] if unexpected else stored
        findings += compare_records(transaction.club_id, table, compared, expected[table])
    received = audited.list_submissions(transaction, [id_ for (id_,) in expected["submissions"]])
    findings += compare_records(transaction.club_id, "submissions", received, expected["submissions"])
    return findings


def _owner(row: Row) -> UUID | None:
    """Return the round that a record belongs to, or its dispute where it does not name the round."""
    owner: UUID | None = row.get("round_id") or row.get("dispute_id") or row.get("id")
    return owner


def _expect(
    round_id: UUID, events: Sequence[Event], rulesets: Mapping[str, Ruleset], state: State | None
) -> tuple[Expected, bool]:
    """Return the records that events lead to, and whether the round was replayed for that."""
    folded = fold_round(round_id, [_stored(event) for event in events])
    for index in folded.unknown:
        event = events[index]
        detail = f"this release does not know the kind {event.kind.decode()!r}"
        raise InvalidRoundError(f"event {event.sequence.decode()}: {detail}")
    last = events[-1]
    if len(folded.revisions) > 1:
        state = None
    return expect_records(folded, int(last.sequence or 0), last.hash, rulesets, state), state is None


def _stored(event: Event) -> StoredEvent:
    return StoredEvent(int(event.sequence or 0), event.kind.decode(), _read_time(event.at), event.content)


def _read_time(written: bytes) -> datetime:
    """Parse a time; one outside of Python's calendar is a finding of its event, and another one is used here."""
    try:
        at = datetime.fromisoformat(written.decode())
    except ValueError:
        return _EPOCH
    return at if at.year <= _LAST_YEAR else _EPOCH
