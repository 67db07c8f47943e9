"""A whole database held against its events: page by page, each as it was at one moment."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final
from uuid import UUID

import psycopg
from sqlalchemy.exc import DBAPIError

from evidence import Checkpoint
from scoring.ruleset import Ruleset
from service.db import Database, Transaction
from service.ledger.actions import origin_of
from service.ledger.queries.events import EventKind
from service.verification import trees
from service.verification.at_once import look_at_once
from service.verification.chains import check_chains
from service.verification.closely import look_closely
from service.verification.club_records import club_records, rulesets_of
from service.verification.comparing import compare_records
from service.verification.damage import find_damage, name_damage, read_by_index, suppress_damage
from service.verification.findings import Finding, FindingKind
from service.verification.queries import audited
from service.verification.queries import trees as audited_trees
from service.verification.queries.audited import FIRST, LAST, Stretch
from service.verification.round_maps import check_round_map

_ROUNDS_BY_THEMSELVES: Final = 100


class Pass(StrEnum):
    """What is gone through of a club, one after the other."""

    CLUB = "club"
    LOOSE_CHAINS = "events of no round"
    ROUNDS = "rounds"
    TREE = "tree"
    ROUND_MAP = "map of rounds"


_PASSES: Final = tuple(Pass)
_STRETCHES: Final = {
    Pass.LOOSE_CHAINS: ("loose events", 10_000),
    Pass.ROUNDS: ("rounds", 1000),
}
"""Of what, and of how many, a page of a pass is."""


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
        events: how many were looked at, each in its chain or in the tree.
    """

    findings: Sequence[Finding]
    position: Position | None
    events: int


def list_clubs(database: Database) -> list[UUID]:
    """List the clubs that there are, or that there are records of, as far as these can be read."""
    with suppress_damage(), database.reading(FIRST) as transaction:
        return audited.list_clubs(transaction)
    clubs: set[UUID] = set()
    for table in audited.NAMING_CLUBS:
        with suppress_damage(), database.reading(FIRST) as transaction:
            clubs.update(audited.list_clubs(transaction, [table]))
    return sorted(clubs)


def count_events(database: Database, clubs: Sequence[UUID]) -> int:
    """Count the events that there are and that can be read."""
    counted = 0
    for club_id in clubs:
        with suppress_damage(), database.reading(club_id) as transaction:
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
    position = begin(clubs, start)
    while position is not None:
        page = look(database, position, kept)
        position = after_page(clubs, position, page.position)
        yield Page(page.findings, position, page.events)


def begin(clubs: Sequence[UUID], start: Position | None) -> Position | None:
    """Say where to begin; None where there is nothing to look at."""
    return (start or Position(clubs[0], _PASSES[0])) if clubs else None


def look(database: Database, position: Position, kept: Sequence[Checkpoint] = ()) -> Page:
    """Look at one page; where PostgreSQL cannot read all of it, name the damaged block and look at the rest."""
    try:
        with database.reading(position.club_id) as transaction:
            return verify_page(transaction, position, kept)
    except (DBAPIError, psycopg.Error) as error:
        message = find_damage(error)
        if message is None:
            raise
    return _look_around_damage(database, position, message)


def _look_around_damage(database: Database, position: Position, message: str) -> Page:
    """Name the damaged block of a page and, of a page of rounds, look at every round that can be read."""
    findings = [_named(database, position.club_id, message)]
    if position.passing is not Pass.ROUNDS:
        return Page(findings, foresee_page(database, position), 0)
    stretch = _find_rounds(database, position.club_id, position.after, _STRETCHES[Pass.ROUNDS][1])
    events, after = 0, position.after
    while after < stretch.upto:
        one = _find_rounds(database, position.club_id, after, 1)
        found, told = _look_at_round(database, position.club_id, one)
        findings += [finding for finding in found if finding not in findings]
        events += told
        after = one.upto
    return _page(position, stretch, findings, events)


def _look_at_round(database: Database, club_id: UUID, one: Stretch) -> tuple[Sequence[Finding], int]:
    """Look at a round, or report that it cannot be read; return what was found, and how many events it has."""
    try:
        with database.reading(club_id) as transaction:
            audited.take_time(transaction)
            audited.read_any_time(transaction)
            read_by_index(transaction)
            return _verify_closely(transaction, one, _rulesets(transaction))
    except (DBAPIError, psycopg.Error) as error:
        message = find_damage(error)
        if message is None:
            raise
    unread = Finding(FindingKind.RECORD_UNREADABLE, "rounds", {"club_id": club_id, "id": one.upto})
    return [_named(database, club_id, message), *([] if one.is_last else [unread])], 0


def _find_rounds(database: Database, club_id: UUID, after: UUID, most: int) -> Stretch:
    """Find some rounds by whichever table can be read that has one record for each."""
    for what in ("rounds", "round heads"):
        with suppress_damage(), database.reading(club_id) as transaction:
            audited.take_time(transaction)
            read_by_index(transaction)
            return audited.find_stretch(transaction, what, after, most)
    return Stretch(after, LAST)


def _named(database: Database, club_id: UUID, message: str) -> Finding:
    with database.reading(club_id) as transaction:
        return name_damage(transaction, message)


def verify_page(transaction: Transaction, position: Position, kept: Sequence[Checkpoint] = ()) -> Page:
    """Look at one page; its position is None where it is the last of its pass."""
    audited.take_time(transaction)
    audited.read_any_time(transaction)
    if position.passing is Pass.TREE:
        return _verify_tree(transaction, position, kept)
    if position.passing is Pass.ROUND_MAP:
        return Page(list(check_round_map(transaction, _kept_of(transaction, kept))), None, 0)
    return _LOOKING[position.passing](transaction, position)


def foresee_page(database: Database, position: Position) -> Position | None:
    """
    Say where the page ends that begins here, without looking at it.

    None where it is the last of its pass, or where nobody can say for damage.
    """
    if position.passing in (Pass.CLUB, Pass.ROUND_MAP):
        return None
    with suppress_damage(), database.reading(position.club_id) as transaction:
        audited.take_time(transaction)
        if position.passing is Pass.TREE:
            last = position.after.int + trees.LEAVES_AT_ONCE
            return replace(position, after=UUID(int=last)) if audited_trees.read_end(transaction) > last else None
        stretch = _stretch(transaction, position)
        return None if stretch.is_last else replace(position, after=stretch.upto)
    return None


def after_page(clubs: Sequence[UUID], position: Position, end: Position | None) -> Position | None:
    """Say where to go on after a page: where it ends, or with the next pass, or the next club; None at the very end."""
    if end is not None:
        return end
    following = _PASSES.index(position.passing) + 1
    if following < len(_PASSES):
        return Position(position.club_id, _PASSES[following])
    later = [club_id for club_id in clubs if club_id > position.club_id]
    return Position(later[0], _PASSES[0]) if later else None


def _stretch(transaction: Transaction, position: Position) -> Stretch:
    what, most = _STRETCHES[position.passing]
    return audited.find_stretch(transaction, what, position.after, most)


def _page(position: Position, stretch: Stretch, findings: Sequence[Finding], events: int) -> Page:
    after = None if stretch.is_last else Position(position.club_id, position.passing, stretch.upto)
    return Page(findings, after, events)


def _verify_loose_chains(transaction: Transaction, position: Position) -> Page:
    stretch = _stretch(transaction, position)
    events = list(audited.read_events(transaction, stretch, loose=True))
    return _page(position, stretch, list(check_chains(events, {})), len(events))


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
    return Page(findings, None, 0)


def _verify_rounds(transaction: Transaction, position: Position) -> Page:
    """Look at some thousand rounds with their events at once, and at those not plainly right again, by themselves."""
    stretch = _stretch(transaction, position)
    rulesets = _rulesets(transaction)
    looked = look_at_once(transaction, stretch, rulesets.values())
    if looked is None:
        parts = _parts_of(transaction, stretch)
    else:
        some = _ROUNDS_BY_THEMSELVES
        parts = (Stretch.of(looked.odd[first : first + some]) for first in range(0, len(looked.odd), some))
    findings: list[Finding] = []
    events = 0
    for part in parts:
        found, told = _verify_closely(transaction, part, rulesets)
        findings += found
        events += told
    return _page(position, stretch, findings, looked.events if looked else events)


def _verify_closely(
    transaction: Transaction, part: Stretch, rulesets: Mapping[str, Ruleset]
) -> tuple[list[Finding], int]:
    """Look at some rounds by themselves; return what was found, and how many events they have."""
    told_in_rounds = audited.read_events(transaction, part, loose=False)
    chained = list(check_chains(told_in_rounds, audited.read_heads(transaction, part)))
    found, told = look_closely(transaction, part, rulesets)
    return chained + found, told


def _rulesets(transaction: Transaction) -> Mapping[str, Ruleset]:
    """Return the club's rulesets by name and version, as its events say them."""
    added = audited.list_told_outside_rounds(transaction, EventKind.RULESET_ADDED)
    return rulesets_of(club_records(added)[0])


def _parts_of(transaction: Transaction, stretch: Stretch) -> Iterator[Stretch]:
    """Cut a stretch into parts that can be looked at by themselves."""
    after = stretch.after
    while after < stretch.upto:
        part = audited.find_stretch(transaction, "rounds", after, _ROUNDS_BY_THEMSELVES)
        after = min(part.upto, stretch.upto)
        yield Stretch(part.after, after)


def _verify_tree(transaction: Transaction, position: Position, kept: Sequence[Checkpoint]) -> Page:
    """Look at some thousand leaves; of this pass, the id that a page begins after is the number of a leaf."""
    mine = _kept_of(transaction, kept)
    first = position.after.int
    last = first + trees.LEAVES_AT_ONCE
    findings = list(trees.check_leaves(transaction, first, mine))
    end = audited_trees.read_end(transaction)
    # After a page without a leaf nothing follows but what was put far away, which is named as such.
    if end > last and audited_trees.list_leaves(transaction, last - 1, last):
        return Page(findings, Position(position.club_id, position.passing, UUID(int=last)), last - first)
    findings += trees.check_tree(transaction, mine)
    return Page(findings, None, max(end - first, 0))


def _kept_of(transaction: Transaction, kept: Sequence[Checkpoint]) -> list[Checkpoint]:
    return [checkpoint for checkpoint in kept if checkpoint.origin == origin_of(transaction.club_id)]


_LOOKING: Final[dict[Pass, Callable[[Transaction, Position], Page]]] = {
    Pass.CLUB: _verify_club,
    Pass.LOOSE_CHAINS: _verify_loose_chains,
    Pass.ROUNDS: _verify_rounds,
}
