"""The home page of the console: what needs a person today, and what happens now; in a new club, the first steps."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from typing import Any, Final

from schemas.corrections.proposals import ProposalState
from schemas.disputes import DisputeState
from schemas.ledger.claims import ClaimState
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
from service.ledger.actions.claims import list_payment_claims
from service.ledger.queries.claims import ClaimFilter
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
LONG: Final = timedelta(hours=12)
"""How long a round is open until it may have been forgotten."""
_SHOWN: Final = 5
"""How many entries each part shows."""
_MOST_COUNTED: Final = 1000
"""How many rounds are counted that become final soon."""
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
    left_open = overviews.list_left_open(transaction, transaction.now - LONG, limit=_SHOWN)
    proposed = proposals.list_page(transaction, ProposalFilter(ProposalState.WAITING), limit=_SHOWN)
    claims = list_payment_claims(transaction, ClaimFilter(ClaimState.PENDING), limit=_SHOWN)
    claiming = (player for claim in claims.items for player in (claim.event.payer, claim.event.payee) if player)
    listed = (waiting, open_rounds.rounds, left_open.rounds, unsettled.rounds)
    return render(
        "home.html",
        first_steps=_find_first_steps(transaction),
        display_names=list_names(transaction, chain(_players_of(*listed), claiming)),
        now=transaction.now,
        open_rounds=open_rounds,
        left_open=left_open,
        due=overviews.count_due(transaction, transaction.now + SOON, limit=_MOST_COUNTED + 1),
        most_counted=_MOST_COUNTED,
        waiting=waiting,
        claims=claims,
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
    """Return the state of the club's evidence: its tree, checkpoint and witnesses, and how it was last verified."""
    head = trees.get_head(transaction)
    recomputed = list_recomputations(transaction, state=JobState.SUCCEEDED, after=None, limit=1).items
    return {
        "events": head.size,
        "unsigned": head.size - head.signed_size,
        "waiting": trees.count_waiting(transaction),
        "checkpoint": checkpoints.find_newest(transaction),
        "witnesses": checkpoints.list_witnesses(transaction),
        "verification": results.find(transaction),
        "recomputation": recomputed[0] if recomputed else None,
    }
