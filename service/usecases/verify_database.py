"""A whole database held against its events: page by page, each as it was at one moment."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any, Final
from uuid import UUID

from schemas.evidence import Checkpoint
from service.database import Database, Transaction
from service.repository import audited, audited_trees
from service.repository.audited import FIRST, Stretch
from service.usecases.make_checkpoint import origin_of
from service.usecases.verification import trees
from service.usecases.verification.chains import check_chains
from service.usecases.verification.club_records import club_records, rulesets_of
from service.usecases.verification.comparing import Key, Row, compare_records
from service.usecases.verification.findings import Finding, FindingKind
from service.usecases.verification.round_records import round_records
from service.usecases.verification.sums import check_sums
from service.usecases.verification.told import ToldEvent, UntellableError, UntoldError, follow_round

_EVENTS_AT_ONCE: Final = 10_000
_ROUNDS_AT_ONCE: Final = 100


class Pass(StrEnum):
    """What is gone through of a club, one after the other."""

    CLUB = "club"
    LOOSE_CHAINS = "events of no round"
    CHAINS = "chains"
    ROUNDS = "rounds"
    TREE = "tree"


_PASSES: Final = tuple(Pass)


@dataclass(frozen=True, slots=True)
class Position:
    """How far somebody has come: all before it has been looked at."""

    club_id: UUID
    passing: Pass
    after: UUID = FIRST


@dataclass(frozen=True, slots=True)
class Page:
    """
    What a page came to.

    Attributes:
        position: where the next one begins; None after the last of all.
        events: how many were looked at.
    """

    findings: Sequence[Finding]
    position: Position | None
    events: int


def list_clubs(database: Database) -> list[UUID]:
    """List the clubs that there are, or that there are records of."""
    with database.reading(FIRST) as transaction:
        return audited.list_clubs(transaction)


def count_events(database: Database, clubs: Sequence[UUID]) -> int:
    """Count the events that there are."""
    counted = 0
    for club_id in clubs:
        with database.reading(club_id) as transaction:
            audited.take_time(transaction)
            counted += audited.count_events(transaction)
    return counted


def verify_database(
    database: Database, clubs: Sequence[UUID], kept: Sequence[Checkpoint] = (), start: Position | None = None
) -> Iterator[Page]:
    """
    Look at everything that is kept, and name what is not as it was written.

    Every page is read as it was at one moment, and a round is in one page, so that rounds may go on meanwhile.

    Args:
        database: as the owner of its tables, or a superuser.
        clubs: whose records, in the order of their ids.
        kept: checkpoints that somebody kept elsewhere, of any of the clubs.
        start: where to go on; None for the beginning.
    """
    if not clubs:
        return
    position = start or Position(clubs[0], _PASSES[0])
    while True:
        with database.reading(position.club_id) as transaction:
            page = verify_page(transaction, position, kept)
        after = page.position or _next(clubs, position)
        yield Page(page.findings, after, page.events)
        if after is None:
            return
        position = after


def verify_page(transaction: Transaction, position: Position, kept: Sequence[Checkpoint] = ()) -> Page:
    """Look at one page; its position is None where it is the last of its pass."""
    audited.take_time(transaction)
    if position.passing is Pass.TREE:
        return _verify_tree(transaction, position, kept)
    return _LOOKING[position.passing](transaction, position)


def _next(clubs: Sequence[UUID], position: Position) -> Position | None:
    following = _PASSES.index(position.passing) + 1
    if following < len(_PASSES):
        return Position(position.club_id, _PASSES[following])
    later = [club_id for club_id in clubs if club_id > position.club_id]
    return Position(later[0], _PASSES[0]) if later else None


def _page(position: Position, stretch: Stretch, findings: Sequence[Finding], events: int) -> Page:
    after = None if stretch.is_last else Position(position.club_id, position.passing, stretch.upto)
    return Page(findings, after, events)


def _verify_chains(transaction: Transaction, position: Position) -> Page:
    loose = position.passing is Pass.LOOSE_CHAINS
    stretch = audited.find_stretch(transaction, "loose events" if loose else "events", position.after, _EVENTS_AT_ONCE)
    heads = {} if loose else audited.read_heads(transaction, stretch)
    events = list(audited.read_events(transaction, stretch, loose=loose))
    return _page(position, stretch, list(check_chains(events, heads)), len(events))


def _verify_club(transaction: Transaction, position: Position) -> Page:
    events = list(audited.list_told_outside_rounds(transaction))
    told, findings = club_records(events)
    if not audited.is_there(transaction):
        findings.append(Finding(FindingKind.CLUB_UNKNOWN, "clubs", {"id": transaction.club_id}))
    for table in audited.OF_CLUBS:
        kept = audited.list_of_club(transaction, table)
        findings += compare_records(transaction.club_id, table, kept, told.get(table, {}))
    for table, column, id_ in audited.list_nobodys(transaction):
        findings.append(Finding(FindingKind.RECORD_SURPLUS, table, {"club_id": transaction.club_id, column: id_}))
    return Page(findings, None, len(events))


def _verify_rounds(transaction: Transaction, position: Position) -> Page:
    stretch = audited.find_stretch(transaction, "rounds", position.after, _ROUNDS_AT_ONCE)
    rulesets = rulesets_of(club_records(audited.list_told_outside_rounds(transaction))[0])
    events = audited.list_told(transaction, stretch)
    told: dict[str, dict[Key, Row]] = defaultdict(dict)
    findings, untold = [], set()
    for round_id, of_round in groupby(events, key=lambda event: event.round_id):
        try:
            records = round_records(follow_round(round_id, [_told(event) for event in of_round]), rulesets)
        except UntellableError as error:
            kind = FindingKind.CONTENT_UNTOLD if isinstance(error, UntoldError) else FindingKind.CONTENT_UNPLAYABLE
            key = {"club_id": transaction.club_id, "round_id": round_id}
            findings.append(Finding(kind, "events", key, "content", str(error)))
            untold.add(round_id)
            continue
        for table, rows in records.items():
            told[table].update(rows)
    for table in audited.OF_ROUNDS:
        kept = audited.list_of_rounds(transaction, table, stretch)
        findings += check_sums(table, kept)
        if table == "disputes":
            untold |= {row["id"] for row in kept if row["round_id"] in untold}
        followed = [row for row in kept if _owner(row) not in untold]
        findings += compare_records(transaction.club_id, table, followed, told[table])
    came_in = audited.list_submissions(transaction, [id_ for (id_,) in told["submissions"]])
    findings += compare_records(transaction.club_id, "submissions", came_in, told["submissions"])
    return _page(position, stretch, findings, len(events))


def _owner(row: Row) -> UUID | None:
    """Name the round that a record belongs to, or its dispute where it does not name the round."""
    owner: UUID | None = row.get("round_id") or row.get("dispute_id") or row.get("id")
    return owner


def _told(event: Any) -> ToldEvent:
    """Take an event as it is kept; what somebody emptied tells nothing."""
    return ToldEvent(event.sequence, event.kind, event.at, bytes(event.content or b""), bytes(event.hash or b""))


def _verify_tree(transaction: Transaction, position: Position, kept: Sequence[Checkpoint]) -> Page:
    """Look at some thousand leaves; of this pass, the id that a page begins after is the number of a leaf."""
    mine = [checkpoint for checkpoint in kept if checkpoint.origin == origin_of(transaction.club_id)]
    first = position.after.int
    last = first + trees.LEAVES_AT_ONCE
    findings = list(trees.check_leaves(transaction, first, mine))
    end = audited_trees.read_end(transaction)
    # After a page without a leaf nothing follows but what was put far away, which is named as such.
    if end > last and audited_trees.list_leaves(transaction, last - 1, last):
        return Page(findings, Position(position.club_id, position.passing, UUID(int=last)), last - first)
    findings += trees.check_tree(transaction, mine)
    return Page(findings, None, max(end - first, 0))


_LOOKING: Final[dict[Pass, Callable[[Transaction, Position], Page]]] = {
    Pass.CLUB: _verify_club,
    Pass.LOOSE_CHAINS: _verify_chains,
    Pass.CHAINS: _verify_chains,
    Pass.ROUNDS: _verify_rounds,
}
