"""A whole database held against its events: page by page, each as it was at one moment."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final
from uuid import UUID

from schemas.evidence import Checkpoint
from service.audit import EventKind
from service.database import Database, Transaction
from service.repository import audited, audited_trees
from service.repository.audited import FIRST, Stretch
from service.usecases.make_checkpoint import origin_of
from service.usecases.verification import trees
from service.usecases.verification.at_once import look_at_once
from service.usecases.verification.chains import check_chains
from service.usecases.verification.closely import look_closely
from service.usecases.verification.club_records import club_records, rulesets_of
from service.usecases.verification.comparing import compare_records
from service.usecases.verification.findings import Finding, FindingKind

_ROUNDS_BY_THEMSELVES: Final = 100


class Pass(StrEnum):
    """What is gone through of a club, one after the other."""

    CLUB = "club"
    LOOSE_CHAINS = "events of no round"
    ROUNDS = "rounds"
    TREE = "tree"


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
    position = begin(clubs, start)
    while position is not None:
        with database.reading(position.club_id) as transaction:
            page = verify_page(transaction, position, kept)
        position = after_page(clubs, position, page.position)
        yield Page(page.findings, position, page.events)


def begin(clubs: Sequence[UUID], start: Position | None) -> Position | None:
    """Say where to begin; None where there is nothing to look at."""
    return (start or Position(clubs[0], _PASSES[0])) if clubs else None


def verify_page(transaction: Transaction, position: Position, kept: Sequence[Checkpoint] = ()) -> Page:
    """Look at one page; its position is None where it is the last of its pass."""
    audited.take_time(transaction)
    audited.read_any_time(transaction)
    if position.passing is Pass.TREE:
        return _verify_tree(transaction, position, kept)
    return _LOOKING[position.passing](transaction, position)


def foresee_page(database: Database, position: Position) -> Position | None:
    """Say where the page ends that begins here, without looking at it; None where it is the last of its pass."""
    if position.passing is Pass.CLUB:
        return None
    with database.reading(position.club_id) as transaction:
        audited.take_time(transaction)
        if position.passing is Pass.TREE:
            last = position.after.int + trees.LEAVES_AT_ONCE
            return replace(position, after=UUID(int=last)) if audited_trees.read_end(transaction) > last else None
        stretch = _stretch(transaction, position)
    return None if stretch.is_last else replace(position, after=stretch.upto)


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
    added = audited.list_told_outside_rounds(transaction, EventKind.RULESET_ADDED)
    rulesets = rulesets_of(club_records(added)[0])
    looked = look_at_once(transaction, stretch, rulesets.values())
    if looked is None:
        parts = _parts_of(transaction, stretch)
    else:
        some = _ROUNDS_BY_THEMSELVES
        parts = (Stretch.of(looked.odd[first : first + some]) for first in range(0, len(looked.odd), some))
    findings: list[Finding] = []
    events = 0
    for part in parts:
        told_in_rounds = audited.read_events(transaction, part, loose=False)
        findings += check_chains(told_in_rounds, audited.read_heads(transaction, part))
        found, told = look_closely(transaction, part, rulesets)
        findings += found
        events += told
    return _page(position, stretch, findings, looked.events if looked else events)


def _parts_of(transaction: Transaction, stretch: Stretch) -> Iterator[Stretch]:
    """Cut a stretch into parts that can be looked at by themselves."""
    after = stretch.after
    while after < stretch.upto:
        part = audited.find_stretch(transaction, "rounds", after, _ROUNDS_BY_THEMSELVES)
        after = min(part.upto, stretch.upto)
        yield Stretch(part.after, after)


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
    Pass.LOOSE_CHAINS: _verify_loose_chains,
    Pass.ROUNDS: _verify_rounds,
}
