"""List disputes for those who decide them, and take the next one into review."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from schemas.base import load
from schemas.disputes import DisputeReviewRequestSchema, RoundAnomaly
from schemas.pages import cursor_error
from service.clubs.queries.keys import StoredKey
from service.db import Transaction
from service.db.pages import Page
from service.disputes.actions.anomalies import find_unusual
from service.disputes.actions.deciders import list_own_ids
from service.disputes.actions.disputes import review_dispute
from service.disputes.queries import cases, disputes
from service.disputes.queries.cases import CaseFilter, CaseOrder, StoredCase
from service.errors import NotFound


@dataclass(frozen=True, slots=True)
class CaseView:
    """A dispute of a list, with the anomalies of its round."""

    case: StoredCase
    unusual: Sequence[RoundAnomaly]

    @property
    def id(self) -> UUID:
        """The ID of the dispute."""
        return self.case.id


def get_case(transaction: Transaction, dispute_id: UUID) -> CaseView:
    """
    Return a dispute as lists show it.

    Raises:
        NotFound: the dispute does not exist.
    """
    case = cases.find(transaction, dispute_id)
    if case is None:
        raise NotFound(f"there is no dispute {dispute_id}")
    [view] = _view(transaction, [case])
    return view


def list_cases(
    transaction: Transaction, filter_: CaseFilter, order: CaseOrder, *, after: UUID | None, limit: int
) -> Page[CaseView]:
    """
    List the club's disputes in an order, each with the anomalies of its round.

    Raises:
        WireError: the cursor is invalid.
    """
    last = None if after is None else cases.find(transaction, after)
    if after is not None and last is None:
        raise cursor_error(after)
    records = cases.list_page(transaction, filter_, order, after=last, limit=limit + 1)
    views = _view(transaction, records[:limit])
    return Page(views, views[-1].id if len(records) > limit else None)


def count_cases(transaction: Transaction, filter_: CaseFilter, limit: int) -> int:
    """Count the club's disputes of a filter, up to a limit."""
    return cases.count(transaction, filter_, limit)


def take_next_dispute(transaction: Transaction, key: StoredKey) -> UUID | None:
    """
    Start the review of the oldest open dispute, and return its ID; None if no dispute is open.

    A dispute that another transaction is taking is skipped: of two auditors who ask at once, each gets another one. So
    are disputes of rounds that the player of the auditor's key sat in.
    """
    dispute_id = cases.lock_oldest_open(transaction, without=list_own_ids(transaction, key))
    if dispute_id is None:
        return None
    version = disputes.get(transaction, dispute_id).version
    request = load(DisputeReviewRequestSchema(), {"version": version, "by": key.name})
    review_dispute(transaction, dispute_id, request, key)
    return dispute_id


def _view(transaction: Transaction, records: Sequence[StoredCase]) -> list[CaseView]:
    unusual = find_unusual(transaction, [case.round_id for case in records])
    return [CaseView(case, unusual[case.round_id]) for case in records]
