"""What has changed since the page of a form was opened: in the round, and in the disputes of the round."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from schemas.disputes import DisputeState
from service.console.views.corrections.boards import ShownComparison, show_comparison
from service.console.views.corrections.form import EnteredRows, Place, follow, list_rows, read_rows
from service.console.views.session import read_form
from service.corrections.actions.correct import compare_revisions
from service.db import Transaction
from service.disputes.queries import cases
from service.disputes.queries.cases import CaseFilter, CaseOrder, StoredCase
from service.rounds.queries import histories
from service.rounds.queries.histories import StoredHistory
from service.rounds.queries.revisions import MadeRevision, list_made
from service.rounds.queries.stored_round import StoredRound

MOST_SHOWN: Final = 100
"""How many disputes of a round the page shows."""


@dataclass(frozen=True, slots=True)
class RoundDispute:
    """A dispute of the round, and whether it has changed since the page was opened."""

    case: StoredCase
    is_new: bool


@dataclass(frozen=True, slots=True)
class NewRevisions:
    """
    The revisions that were made since a page was opened.

    Attributes:
        read: the revision that the page showed.
        revisions: those made since.
        comparison: what differs between that revision and the one in force.
        rows: the rows that have other cards, with the cards that they had.
    """

    read: int
    revisions: Sequence[MadeRevision]
    comparison: ShownComparison
    rows: Mapping[Place, Sequence[str]]


def find_shown(stored: StoredRound) -> int:
    """Return the revision of the round on which the page of the form was made; without a form, the one in force."""
    text = read_form().get("revision", "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    return number if 1 <= number <= stored.revision else stored.revision


def read_changes(transaction: Transaction, stored: StoredRound, history: StoredHistory) -> EnteredRows:
    """Return the rows of the form as changes of the revision in force, on whatever revision the page was made."""
    shown = find_shown(stored)
    if shown == stored.revision:
        return read_rows(read_form(), history.hands)
    before = histories.get(transaction, stored.id, shown).hands
    return follow(read_rows(read_form(), before), before, history.hands)


def find_new(transaction: Transaction, stored: StoredRound, history: StoredHistory) -> NewRevisions | None:
    """Find the revisions that were made since the page of the form was opened; None if there are none."""
    shown = find_shown(stored)
    if shown == stored.revision:
        return None
    before = list_rows(histories.get(transaction, stored.id, shown).hands)
    now = list_rows(history.hands)
    return NewRevisions(
        read=shown,
        revisions=[revision for revision in list_made(transaction, stored.id) if revision.number > shown],
        comparison=show_comparison(compare_revisions(transaction, stored, shown, stored.revision)),
        rows={
            place: [str(card) for card in before.get(place, ())]
            for place, cards in now.items()
            if set(cards) != set(before.get(place, ()))
        },
    )


def list_disputes_of(transaction: Transaction, round_id: UUID, *, except_for: UUID | None = None) -> list[RoundDispute]:
    """
    List the newest disputes of a round; new ones are those that the page of the form did not show so.

    Args:
        transaction: the club's transaction.
        round_id: the round.
        except_for: the dispute that the page is about.
    """
    filter_ = CaseFilter(tuple(DisputeState), round_id=round_id)
    disputes = cases.list_page(transaction, filter_, CaseOrder.NEWEST, after=None, limit=MOST_SHOWN + 1)
    listed = [each for each in disputes if each.id != except_for][:MOST_SHOWN]
    shown = read_form().get("others")
    known = None if shown is None else set(shown.split())
    return [
        RoundDispute(each, known is not None and show_version(each.id, each.version) not in known) for each in listed
    ]


def show_version(dispute_id: UUID, version: int) -> str:
    """
    Return a dispute and its version as the form has them.

    >>> show_version(UUID(int=1), 2)
    '00000000-0000-0000-0000-000000000001:2'
    """
    return f"{dispute_id}:{version}"
