"""The entries of the journal that a round must have, from its events and from what each of its revisions adds."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from evidence.charges import charge_of
from evidence.fold import FoldedRound
from schemas.ledger.journal import Counted, post_change
from schemas.money import load_unit
from service.replays.comparing import Key
from service.rounds.queries.journal import PLAYING, REVISING, RoundAccount


class Happened(NamedTuple):
    """An event of a round: its ID, as text, its kind and its time."""

    id: bytes
    kind: str
    at: datetime


def round_account_of(folded: FoldedRound) -> RoundAccount:
    """Return what all entries of a round have in common."""
    opening = folded.opening
    unit = load_unit(opening.unit, opening.unit_digits)
    charge = charge_of(opening.charge_per, opening.charge_amount)
    return RoundAccount(opening.round, opening.table, opening.opened_at, opening.point_value, unit, charge)


def expect_entries(
    account: RoundAccount, events: Sequence[Happened], counted: Sequence[Counted | None]
) -> dict[Key, dict[str, Any]]:
    """
    Return the entries of a round, by their IDs.

    A revision that ends the round when it is made is not played further. So what each revision adds at its end says
    what it added when it was made, too.

    Args:
        account: what all of them have in common.
        events: those of the round, in order.
        counted: what each revision adds in the end, in order; None for one that is open.
    """
    entries = {}
    so_far = None
    for revision, event, amounts in _list_steps(events, counted):
        posting = post_change(so_far, amounts)
        so_far = amounts
        if posting is not None:
            entries[(_read_id(event.id),)] = {"posted_at": event.at, **account.entry(posting, revision)}
    return entries


def _list_steps(
    events: Sequence[Happened], counted: Sequence[Counted | None]
) -> Iterator[tuple[int, Happened, Counted | None]]:
    """Yield each event that can change what the round adds: the revision, the event, and what it adds then."""
    revised, played = None, None
    revision = 1
    for event in events:
        if event.kind in REVISING:
            yield from _steps_of(revision, revised, played, counted)
            revised, played = event, None
            revision += 1
        elif event.kind in PLAYING:
            played = event
    yield from _steps_of(revision, revised, played, counted)


def _steps_of(
    revision: int, revised: Happened | None, played: Happened | None, counted: Sequence[Counted | None]
) -> Iterator[tuple[int, Happened, Counted | None]]:
    """Yield the steps of a revision, from the event that made it, if any, and the last one that went on with it."""
    end = counted[revision - 1]
    if revised is not None:
        yield revision, revised, end if played is None else None
    if played is not None:
        yield revision, played, end


def _read_id(written: bytes) -> UUID | None:
    """Return the ID of an event; one that was emptied is a finding of its event."""
    return UUID(written.decode()) if written else None
