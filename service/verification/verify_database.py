"""A whole database compared with its events, page by page; each page is read in one snapshot."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final
from uuid import UUID

import psycopg
from sqlalchemy.exc import DBAPIError

from evidence import Checkpoint
from scoring.ruleset import Ruleset
from service.audit_trail.actions import origin_of
from service.audit_trail.queries.events import EventKind
from service.db import Database, Transaction
from service.memory import no_garbage_collection
from service.replays.comparing import compare_records
from service.replays.findings import Finding, FindingKind
from service.replays.stretches import FIRST, LOOSE_EVENTS, ROUND_HEADS, ROUNDS, Stretch, find_stretch
from service.verification import trees
from service.verification.chains import check_chains
from service.verification.club_records import expect_club_records, rulesets_of
from service.verification.damage import find_damage, name_damage, read_by_index, suppress_damage
from service.verification.queries import audited
from service.verification.queries import trees as audited_trees
from service.verification.round_maps import check_round_map
from service.verification.rounds import verify_rounds


class Pass(StrEnum):
    """What is verified of a club, in this order."""

    CLUB = "club"
    LOOSE_CHAINS = "events of no round"
    ROUNDS = "rounds"
    TREE = "tree"
    ROUND_MAP = "map of rounds"


_PASSES: Final = tuple(Pass)
_STRETCHES: Final = {
    Pass.LOOSE_CHAINS: (LOOSE_EVENTS, 10_000),
    Pass.ROUNDS: (ROUNDS, 1000),
}
"""What a page of a pass consists of, and of how many."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far verification has come: all before it is verified."""

    club_id: UUID
    passing: Pass
    after: UUID = FIRST


@dataclass(frozen=True, slots=True)
class Page:
    """
    The result of a page.

    Attributes:
        position: where the next page begins; None after the last.
        events: the number of events verified, each in its chain or in the tree.
    """

    findings: Sequence[Finding]
    position: Position | None
    events: int


def list_clubs(database: Database) -> list[UUID]:
    """List the clubs that exist or have records, as far as these can be read."""
    with suppress_damage(), database.reading(FIRST) as transaction:
        return audited.list_clubs(transaction)
    clubs: set[UUID] = set()
    for table in audited.NAMING_CLUBS:
        with suppress_damage(), database.reading(FIRST) as transaction:
            clubs.update(audited.list_clubs(transaction, [table]))
    return sorted(clubs)


def count_events(database: Database, clubs: Sequence[UUID]) -> int:
    """Count the events that can be read."""
    counted = 0
    for club_id in clubs:
        with suppress_damage(), database.reading(club_id) as transaction:
            audited.remove_time_limits(transaction)
            counted += audited.count_events(transaction)
    return counted


def verify_database(
    database: Database, clubs: Sequence[UUID], retained: Sequence[Checkpoint] = (), start: Position | None = None
) -> Iterator[Page]:
    """
    Verify all records of some clubs, and yield the result of each page.

    A page is read in one snapshot, and a round is within one page, so that rounds may go on meanwhile.

    Args:
        database: as the owner of its tables, or a superuser.
        clubs: in the order of their ids.
        retained: checkpoints that were retained elsewhere, of any of the clubs.
        start: where to go on; None for the beginning.
    """
    position = begin(clubs, start)
    while position is not None:
        page = verify_position(database, position, retained)
        position = after_page(clubs, position, page.position)
        yield Page(page.findings, position, page.events)


def begin(clubs: Sequence[UUID], start: Position | None) -> Position | None:
    """Return where to begin; None where there is nothing to verify."""
    return (start or Position(clubs[0], _PASSES[0])) if clubs else None


def verify_position(database: Database, position: Position, retained: Sequence[Checkpoint] = ()) -> Page:
    """Verify one page; where PostgreSQL cannot read all of it, report the damaged block and verify the rest."""
    try:
        with database.reading(position.club_id) as transaction:
            return verify_page(transaction, position, retained)
    except (DBAPIError, psycopg.Error) as error:
        message = find_damage(error)
        if message is None:
            raise
    return _verify_around_damage(database, position, message)


def _verify_around_damage(database: Database, position: Position, message: str) -> Page:
    """Report the damaged block of a page and, in a page of rounds, verify every round that can be read."""
    findings = [_named(database, position.club_id, message)]
    if position.passing is not Pass.ROUNDS:
        return Page(findings, foresee_page(database, position), 0)
    stretch = _find_rounds(database, position.club_id, position.after, _STRETCHES[Pass.ROUNDS][1])
    events, after = 0, position.after
    while after < stretch.upto:
        one = _find_rounds(database, position.club_id, after, 1)
        round_findings, count = _verify_round(database, position.club_id, one)
        findings += [finding for finding in round_findings if finding not in findings]
        events += count
        after = one.upto
    return _page(position, stretch, findings, events)


def _verify_round(database: Database, club_id: UUID, one: Stretch) -> tuple[Sequence[Finding], int]:
    """Verify a round, or report that it cannot be read; return the findings and the number of its events."""
    try:
        with database.reading(club_id) as transaction:
            audited.remove_time_limits(transaction)
            audited.set_loaders(transaction)
            read_by_index(transaction)
            return verify_rounds(transaction, one, _rulesets(transaction))
    except (DBAPIError, psycopg.Error) as error:
        message = find_damage(error)
        if message is None:
            raise
    unread = Finding(FindingKind.RECORD_UNREADABLE, "rounds", {"club_id": club_id, "id": one.upto})
    return [_named(database, club_id, message), *([] if one.is_last else [unread])], 0


def _find_rounds(database: Database, club_id: UUID, after: UUID, most: int) -> Stretch:
    """Return the next rounds, from whichever table can be read that has one record for each."""
    for what in (ROUNDS, ROUND_HEADS):
        with suppress_damage(), database.reading(club_id) as transaction:
            audited.remove_time_limits(transaction)
            read_by_index(transaction)
            return find_stretch(transaction, what, after, most)
    return Stretch(after)


def _named(database: Database, club_id: UUID, message: str) -> Finding:
    with database.reading(club_id) as transaction:
        return name_damage(transaction, message)


@no_garbage_collection()
def verify_page(transaction: Transaction, position: Position, retained: Sequence[Checkpoint] = ()) -> Page:
    """Verify one page; its position is None where it is the last of its pass."""
    audited.remove_time_limits(transaction)
    audited.set_loaders(transaction)
    if position.passing is Pass.TREE:
        return _verify_tree(transaction, position, retained)
    if position.passing is Pass.ROUND_MAP:
        return Page(list(check_round_map(transaction)), None, 0)
    return _VERIFY[position.passing](transaction, position)


def foresee_page(database: Database, position: Position) -> Position | None:
    """
    Return where the page ends that begins here, without verifying it.

    None where it is the last of its pass, or where damage hides the end.
    """
    if position.passing in (Pass.CLUB, Pass.ROUND_MAP):
        return None
    with suppress_damage(), database.reading(position.club_id) as transaction:
        audited.remove_time_limits(transaction)
        if position.passing is Pass.TREE:
            last = position.after.int + trees.LEAVES_PER_PAGE
            return replace(position, after=UUID(int=last)) if audited_trees.read_end(transaction) > last else None
        stretch = _stretch(transaction, position)
        return None if stretch.is_last else replace(position, after=stretch.upto)
    return None


def after_page(clubs: Sequence[UUID], position: Position, end: Position | None) -> Position | None:
    """Return the position after a page: its end, the next pass or the next club; None after the last."""
    if end is not None:
        return end
    following = _PASSES.index(position.passing) + 1
    if following < len(_PASSES):
        return Position(position.club_id, _PASSES[following])
    later = [club_id for club_id in clubs if club_id > position.club_id]
    return Position(later[0], _PASSES[0]) if later else None


def _stretch(transaction: Transaction, position: Position) -> Stretch:
    what, most = _STRETCHES[position.passing]
    return find_stretch(transaction, what, position.after, most)


def _page(position: Position, stretch: Stretch, findings: Sequence[Finding], events: int) -> Page:
    after = None if stretch.is_last else Position(position.club_id, position.passing, stretch.upto)
    return Page(findings, after, events)


def _verify_loose_chains(transaction: Transaction, position: Position) -> Page:
    stretch = _stretch(transaction, position)
    events = list(audited.read_events(transaction, stretch, loose=True))
    return _page(position, stretch, list(check_chains(events, {})), len(events))


def _verify_club(transaction: Transaction, position: Position) -> Page:
    expected, findings = expect_club_records(audited.list_loose_events(transaction))
    if not audited.club_exists(transaction):
        findings.append(Finding(FindingKind.CLUB_UNKNOWN, "clubs", {"id": transaction.club_id}))
    for table in audited.OF_CLUBS:
        stored = audited.list_of_club(transaction, table)
        findings += compare_records(transaction.club_id, table, stored, expected.get(table, {}))
    texts = audited.list_texts_of_club(transaction, audited.list_erased(transaction))
    findings += compare_records(transaction.club_id, "texts", texts, expected["texts"])
    for table, column, id_ in audited.list_orphans(transaction):
        findings.append(Finding(FindingKind.RECORD_SURPLUS, table, {"club_id": transaction.club_id, column: id_}))
    return Page(findings, None, 0)


def _verify_rounds(transaction: Transaction, position: Position) -> Page:
    stretch = _stretch(transaction, position)
    findings, events = verify_rounds(transaction, stretch, _rulesets(transaction))
    return _page(position, stretch, findings, events)


def _rulesets(transaction: Transaction) -> Mapping[str, Ruleset]:
    """Return the club's rulesets by name and version, from its events."""
    added = audited.list_loose_events(transaction, EventKind.RULESET_ADDED)
    return rulesets_of(expect_club_records(added)[0])


def _verify_tree(transaction: Transaction, position: Position, retained: Sequence[Checkpoint]) -> Page:
    """Verify some thousand leaves; in this pass the id of a position is the number of a leaf."""
    of_club = _of_club(transaction, retained)
    first = position.after.int
    last = first + trees.LEAVES_PER_PAGE
    findings = list(trees.check_leaves(transaction, first, of_club, origin_of(transaction.club_id)))
    end = audited_trees.read_end(transaction)
    # After a page without a leaf follow only leaves that the check of the whole tree reports.
    if end > last and audited_trees.read_nodes(transaction, [(0, last - 1)]):
        return Page(findings, Position(position.club_id, position.passing, UUID(int=last)), last - first)
    findings += trees.check_tree(transaction, of_club)
    return Page(findings, None, max(end - first, 0))


def _of_club(transaction: Transaction, retained: Sequence[Checkpoint]) -> list[Checkpoint]:
    origin = origin_of(transaction.club_id)
    return [checkpoint for checkpoint in retained if checkpoint.origin == origin]


_VERIFY: Final[dict[Pass, Callable[[Transaction, Position], Page]]] = {
    Pass.CLUB: _verify_club,
    Pass.LOOSE_CHAINS: _verify_loose_chains,
    Pass.ROUNDS: _verify_rounds,
}
