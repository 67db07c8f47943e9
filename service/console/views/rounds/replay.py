"""A round as a replay: its settlement, its hands one by one, and why each point."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID, uuid4

from werkzeug.wrappers import Response as BaseResponse

from schemas.explanations.output import dump_explanation_view, show_names
from schemas.ledger.journal import account_of, player_of
from schemas.money import show_decimal
from schemas.round_settlements import dump_round_settlement
from schemas.settlements import SettlementQuerySchema
from scoring.hand import Seat
from scoring.settle_up import Payment, find_payments
from service.clubs.scopes import KeyScope
from service.console.views.addresses import read_known_query
from service.console.views.exports import send_list, wanted_form, wanted_part
from service.console.views.pages import console, console_page, render
from service.console.views.proposals.shown import show_waiting
from service.console.views.rounds import files
from service.console.views.rounds.reading import (
    COLUMNS,
    ReadRound,
    find_between,
    list_hand_lines,
    list_pair_points,
    list_results,
    read_round,
)
from service.console.views.session import allows
from service.disputes.actions.anomalies import find_unusual
from service.disputes.queries import disputes
from service.disputes.queries.disputes import DisputeFilter
from service.http.authentication import current_transaction
from service.ledger.actions.round_totals import sum_up_round
from service.ledger.queries.journal import list_of_round
from service.players.actions import list_names
from service.rounds.actions.metadata import get_hand_metadata, get_round_metadata
from service.rounds.actions.reading import explain_hand
from service.rounds.actions.settlements import get_round_settlement
from service.rounds.queries.revisions import list_made
from service.rounds.views.explanations import Neighbours, respond_with_page
from service.verification.queries.findings import count_by_round, list_page

_MOST_DISPUTES: Final = 100
_MOST_FINDINGS: Final = 3
"""How many findings the page of a round shows."""


@console.get("/rounds/<uuid:round_id>")
@console_page(KeyScope.READ)
def show_round(round_id: UUID) -> str | BaseResponse:
    """Render a round with its settlement, hands and disputes, or send its hands as a file."""
    transaction = current_transaction()
    read = read_round(round_id, read_known_query(SettlementQuerySchema())["revision"])
    view = get_round_settlement(transaction, round_id, read.revision)
    hands = list_hand_lines(read, view.settlement)
    settlement = dump_round_settlement(view)
    payments = _fewest(read, view.settlement.nets)
    form, part = wanted_form(), wanted_part(*files.ROUND_PARTS)
    if form is not None and part == "hands":
        return send_list(f"round-{round_id}", form, COLUMNS, list_results(read, hands))
    if form is not None:
        columns, rows = {
            "standings": (files.STANDINGS, files.list_standings(read, settlement)),
            "payments": (files.PAYMENTS, files.list_payments(read.stored, payments)),
            "adjustment": (files.PAYMENTS, files.list_adjustment(read.stored, settlement)),
        }[part]
        return send_list(f"round-{round_id}-{part}", form, columns, rows)
    return render(
        "round.html",
        read=read,
        settlement=settlement,
        display_names=list_names(transaction, read.names.values()),
        opened_with={seat.seat: seat.opening_stack for seat in read.happened.seats},
        top_ups=read.top_ups,
        payments=payments,
        hands=hands,
        before=find_between(read, 0),
        unusual=find_unusual(transaction, [round_id])[round_id] if read.is_newest else (),
        disputes=disputes.list_page(transaction, DisputeFilter(round_id=round_id), limit=_MOST_DISPUTES),
        revisions=list_made(transaction, round_id),
        journal=list_of_round(transaction, round_id),
        waiting_proposal=show_waiting(transaction, round_id) if read.is_newest else None,
        totals=sum_up_round(transaction, round_id, read.revision) if read.is_newest else None,
        new_reference=lambda: str(uuid4()),
        player_of=player_of,
        account_of=account_of,
        show_decimal=show_decimal,
        provisional_until=view.settlement.provisional_until,
        finding_count=count_by_round(transaction, [round_id]).get(round_id, 0),
        round_findings=list_page(transaction, round_id=round_id, limit=_MOST_FINDINGS)
        if allows(KeyScope.AUDIT)
        else (),
        metadata=get_round_metadata(transaction, round_id),
    )


def _fewest(read: ReadRound, nets: Mapping[Seat, int]) -> Sequence[Payment]:
    """Return the fewest payments that settle the round."""
    return find_payments({read.names[seat]: net for seat, net in nets.items()}).payments


@console.get("/rounds/<uuid:round_id>/hands/<int:number>")
@console_page(KeyScope.READ)
def show_hand(round_id: UUID, number: int) -> str | BaseResponse:
    """
    Render a hand as it lay on the table, with the payments in order and the reason for each point.

    Or send a part of it as a file.
    """
    read = read_round(round_id, read_known_query(SettlementQuerySchema())["revision"])
    stored = read.find_hand(number)
    explained = dump_explanation_view(explain_hand(current_transaction(), stored.id, read.revision))
    points, names = list_pair_points(explained), show_names(explained)
    form, part = wanted_form(), wanted_part(*files.HAND_PARTS)
    if form is not None:
        columns, rows = {
            "payments": (files.HAND_PAYMENTS, files.list_hand_payments(explained, names)),
            "points": (files.HAND_POINTS, files.list_points(points, names)),
            "stacks": (files.HAND_STACKS, iter(explained["stacks"])),
            "boards": (files.HAND_BOARDS, files.list_boards(explained)),
            "reasons": (files.HAND_REASONS, files.list_reasons(explained, names)),
        }[part]
        return send_list(f"hand-{round_id}-{number}-{part}", form, columns, rows)
    return render(
        "hand.html",
        read=read,
        explanation=explained,
        names=names,
        display_names=list_names(current_transaction(), names.values()),
        stored=stored,
        dealt={seat: player.fantasyland for seat, player in stored.hand.by_seat.items()},
        discards={seat: player.discards for seat, player in stored.hand.by_seat.items() if player.discards},
        points_between=points,
        stacks={stack["seat"]: stack for stack in explained["stacks"]},
        after=find_between(read, number),
        last=len(read.happened.hands),
        metadata=get_hand_metadata(current_transaction(), stored.id, round_id),
    )


@console.get("/rounds/<uuid:round_id>/hands/<int:number>/explanation")
@console_page(KeyScope.READ)
def show_explanation(round_id: UUID, number: int) -> BaseResponse:
    """Send the explanation of a hand as a page to print or to save, as the API does."""
    read = read_round(round_id, read_known_query(SettlementQuerySchema())["revision"])
    explained = explain_hand(current_transaction(), read.find_hand(number).id, read.revision)
    neighbours = None
    if read.is_newest:
        neighbours = Neighbours(read.address("show_round"), number, len(read.happened.hands))
    return respond_with_page(dump_explanation_view(explained), neighbours)
