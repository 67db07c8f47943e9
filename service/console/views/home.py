"""The home page of the console: what happens now, what waits, and what is unusual; in a new club, the first steps."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from typing import Any, Final

from schemas.corrections.proposals import ProposalState
from schemas.disputes import DisputeState
from schemas.tables import TableView
from service.audit_trail.queries import checkpoints, trees
from service.clubs.scopes import KeyScope
from service.console.views.pages import console, console_page, render
from service.console.views.session import allows
from service.db import Transaction
from service.disputes.actions.anomalies import find_unusual
from service.disputes.queries import cases
from service.disputes.queries.cases import CaseFilter, CaseOrder, StoredCase
from service.http.authentication import current_transaction
from service.jobs.queries import jobs
from service.jobs.queries.jobs import JobState
from service.players.actions import list_names
from service.proposals import queries as proposals
from service.proposals.queries import ProposalFilter
from service.recomputations.actions.recomputations import list_recomputations
from service.rounds.actions.reading import list_rounds
from service.rounds.queries import overviews
from service.rounds.queries.overviews import RoundOverview
from service.rounds.queries.round_filter import RoundFilter
from service.tables import queries as tables
from service.tables.actions import list_tables
from service.verification.queries import results

SOON: Final = timedelta(hours=1)
_SHOWN: Final = 8
"""How many entries each part shows."""
_COMPARED: Final = 20
"""The number of rounds in which anomalies are searched for."""


@console.get("/")
@console_page(KeyScope.READ)
def show_home() -> str:
    """Render the home page."""
    transaction = current_transaction()
    oldest = CaseFilter((DisputeState.OPEN,))
    unsettled = overviews.list_unsettled(transaction, limit=_COMPARED)
    unusual = find_unusual(transaction, [each.id for each in unsettled.rounds])
    waiting = cases.list_page(transaction, oldest, CaseOrder.OLDEST, after=None, limit=_SHOWN)
    open_rounds = overviews.list_open(transaction, limit=_SHOWN)
    due = overviews.list_due(transaction, transaction.now + SOON, limit=_SHOWN)
    proposed = proposals.list_page(transaction, ProposalFilter(ProposalState.WAITING), limit=_SHOWN)
    listed = (waiting, open_rounds.rounds, due.rounds, unsettled.rounds)
    return render(
        "home.html",
        first_steps=_find_first_steps(transaction),
        display_names=list_names(transaction, _players_of(*listed)),
        now=transaction.now,
        open_rounds=open_rounds,
        due=due,
        waiting=waiting,
        counted={
            state.value: count
            for state, count in cases.count_by_state(
                transaction, (DisputeState.OPEN, DisputeState.UNDER_REVIEW)
            ).items()
        },
        proposed=proposed,
        proposed_count=proposals.count_waiting(transaction),
        table_names=tables.list_names(transaction, {each.table for each in proposed if each.table is not None}),
        jobs=jobs.list_under_way(transaction, limit=_SHOWN + 1),
        shown=_SHOWN,
        evidence=_read_evidence(transaction) if allows(KeyScope.AUDIT) else None,
        compared=len(unsettled.rounds),
        unusual=[(each, unusual[each.id]) for each in unsettled.rounds if unusual[each.id]][:_SHOWN],
    )


@dataclass(frozen=True, slots=True)
class FirstSteps:
    """What a club without rounds does first; `table` is its newest table, None before it has one."""

    table: TableView | None


def _find_first_steps(transaction: Transaction) -> FirstSteps | None:
    """Return what the club does first; None if it has rounds."""
    if list_rounds(transaction, RoundFilter(), after=None, limit=1).items:
        return None
    return FirstSteps(next(iter(list_tables(transaction, limit=1).items), None))


def _players_of(*lists: Iterable[StoredCase | RoundOverview]) -> Iterator[str]:
    for each in chain(*lists):
        yield from each.players.values()


def _read_evidence(transaction: Transaction) -> Mapping[str, Any]:
    """Return the state of the club's evidence: its tree, its newest checkpoint, and how it was last verified."""
    head = trees.get_head(transaction)
    recomputed = list_recomputations(transaction, state=JobState.SUCCEEDED, after=None, limit=1).items
    return {
        "events": head.size,
        "unsigned": head.size - head.signed_size,
        "waiting": trees.count_waiting(transaction),
        "checkpoint": checkpoints.find_newest(transaction),
        "verification": results.find(transaction),
        "recomputation": recomputed[0] if recomputed else None,
    }
