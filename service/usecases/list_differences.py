from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Final
from uuid import UUID

from schemas.recomputations import LONGEST_DETAIL, DifferenceView
from service.database import Transaction
from service.repository import jobs, recomputations
from service.repository.recomputations import StoredDifference
from service.usecases.pages import Page, cut_page
from service.usecases.read_recomputation import KIND

_AT_A_TIME: Final = 1000


def list_differences(
    transaction: Transaction, recomputation_id: UUID, *, after: UUID | None, limit: int
) -> Page[DifferenceView]:
    """
    List what a recomputation has found so far, in the order of rounds.

    Raises:
        NotFound: the club has none with this id.
    """
    job = jobs.get(transaction, recomputation_id, KIND)
    return cut_page(_list(transaction, job.id, after, limit + 1), limit, lambda view: view)


def read_differences(
    read: Callable[[], AbstractContextManager[Transaction]], recomputation_id: UUID, *, after: UUID | None
) -> Iterator[DifferenceView]:
    """Give all that a recomputation has found so far, read in parts: who takes it slowly keeps no transaction open."""
    while True:
        with read() as transaction:
            found = _list(transaction, recomputation_id, after, _AT_A_TIME)
        yield from found
        if len(found) < _AT_A_TIME:
            return
        after = found[-1].id


def _list(transaction: Transaction, job_id: UUID, after: UUID | None, limit: int) -> list[DifferenceView]:
    number = None if after is None else min(after.int, 2**63 - 1)
    found = recomputations.list_differences(transaction, job_id, after=number, limit=limit)
    return [_view(each) for each in found]


def _view(stored: StoredDifference) -> DifferenceView:
    found = stored.difference
    return DifferenceView(
        UUID(int=stored.number),
        found.round_id,
        found.hand,
        found.what,
        found.stored,
        found.computed,
        found.detail and found.detail[:LONGEST_DETAIL],
    )
