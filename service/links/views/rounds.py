"""The page of a round for its players: standings, payments, hands, changes, and what its player can do."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from uuid import UUID

from flask import render_template

from schemas.disputes import DisputeEntry
from schemas.hands import HandView
from schemas.round_settlements import dump_round_settlement, view_round_settlement
from schemas.rounds import RoundView
from schemas.scores import dump_recorded_hand
from scoring.hand import Seat
from scoring.ruleset import Points, Ruleset
from scoring.settle_up import find_payments
from scoring.settlement import LimitedBy
from service.disputes.queries.disputes import StoredDispute
from service.http.formats import (
    format_amount,
    format_cards,
    format_evening,
    format_money,
    format_money_won,
    format_time,
)
from service.http.language import gettext, ngettext
from service.links.actions.pages import RoundPage
from service.links.views.evenings import list_results, name_round, write_share
from service.links.views.money import OwnMoney, ShownTotals
from service.pages.apps import find_built
from service.rounds.views.explanations import STYLE


@dataclass(frozen=True, slots=True)
class Personal:
    """
    What the page of a personal link shows to its player.

    Attributes:
        player: the operator's ID of the player.
        can_dispute: whether the link can be used to open disputes, to reply to the player's own and to withdraw them.
        disputes: the disputes of the round that this player has opened.
        entries: the comments on each dispute and its decision, by its ID.
        message: why what the player has just sent was refused.
        about: the dispute that it was about; None if it was about the round.
        claim: the refused claim, to be changed.
        reply: the refused reply to a dispute, likewise.
    """

    player: str
    can_dispute: bool
    disputes: Sequence[StoredDispute]
    entries: Mapping[UUID, Sequence[DisputeEntry]]
    message: str | None = None
    about: UUID | None = None
    claim: str = ""
    reply: str = ""


def render_round_page(
    page: RoundPage,
    address: str,
    *,
    expires_at: datetime,
    table_address: str | None = None,
    evening_address: str | None = None,
    personal: Personal | None = None,
    money: OwnMoney | None = None,
    totals: ShownTotals | None = None,
) -> str:
    """
    Render the players' page of a round.

    Args:
        page: what to show.
        address: the URL of the page, below which are the explanations of hands.
        expires_at: when the link expires.
        table_address: the URL of the page of the table, if the link shows that too.
        evening_address: the URL of the page of the evening, likewise.
        personal: what only the player of a personal link sees.
        money: what this player owes and is owed.
        totals: what the round adds, if that was corrected or something was paid for it.
    """
    view, settlement = page.round, page.settlement
    names = {seat.seat: seat.player for seat in view.round.seats}
    you = None if personal is None else personal.player
    title, day = name_round(view, page.number, page.zone), format_evening(page.club.evening_of(view.opened_at))
    payments = list(_show_payments(page, names))
    return render_template(
        "linked_round.html",
        title=title,
        table=page.table,
        ruleset=_name_ruleset(view.round.ruleset),
        day=day,
        evening_address=evening_address,
        share=write_share(
            [f"{page.table}, {day}", title],
            sorted(list_results(view), key=lambda each: -each.points),
            payments,
            address if personal is None else None,
        ),
        round=view,
        settlement=dump_round_settlement(view_round_settlement(view, settlement)),
        names=names,
        hands=[_show_hand(hand, names) for hand in page.hands],
        payments=payments,
        changes=page.changes,
        show_cards=format_cards,
        show_amount=partial(_show_amount, view),
        show_time=lambda at: format_time(at, page.zone),
        show_money=lambda minor: format_money_won(minor, view.unit) if view.unit else "",
        show_charge=lambda amount: format_amount(amount, view.unit),
        provisional_until=settlement.provisional_until and format_time(settlement.provisional_until, page.zone),
        expires_at=format_time(expires_at, page.zone),
        address=address,
        table_address=table_address,
        personal=personal,
        money=money,
        totals=totals,
        you=you,
        your_seat=next((seat for seat, name in names.items() if name == you), None),
        style_address=find_built(STYLE, ".css"),
    )


def _show_payments(page: RoundPage, names: Mapping[Seat, str]) -> Iterator[tuple[str, str, str]]:
    """Yield the fewest payments that settle the round: payer, payee and the amount in points or money."""
    view, settlement = page.round, page.settlement
    for payment in find_payments({names[seat]: net for seat, net in settlement.nets.items()}).payments:
        yield payment.payer, payment.payee, _show_amount(view, payment.amount)


def _show_amount(view: RoundView, points: Points) -> str:
    """Return points as money or, if they have no value, as points."""
    if view.point_value is not None and view.unit is not None:
        return format_money(points * view.point_value, view.unit)
    return ngettext("%(count)s point", "%(count)s points", points)


def _name_ruleset(ruleset: Ruleset) -> str:
    if ruleset.version > 1:
        return gettext("%(ruleset)s, version %(version)s", ruleset=ruleset.name, version=ruleset.version)
    return ruleset.name


def _explain_cap(limited_by: LimitedBy, payer: str, payee: str, paid: Points) -> str:
    if limited_by is LimitedBy.PAYER_STACK:
        return gettext("%(payer)s had only %(paid)s left", payer=payer, paid=paid)
    return gettext("%(payee)s could win at most %(paid)s", payee=payee, paid=paid)


def _show_hand(hand: HandView, names: Mapping[Seat, str]) -> dict[str, Any]:
    """Return a hand as the page shows it: boards with cards, what each player won, and its payments that count."""
    won = hand.won
    shown = dump_recorded_hand(hand)
    for player in shown["players"]:
        played = hand.hand.by_seat[player["seat"]]
        player["won"] = won[player["seat"]]
        player["dealt"] = played.fantasyland
        for row, cards in played.board.rows.items():
            player["rows"][row.value]["cards"] = format_cards(cards)
    shown["is_paid_later"] = hand.is_paid_later
    shown["paid"] = [
        (names[transfer.payer], names[transfer.payee], transfer.paid)
        for transfer in hand.transfers
        if hand.is_paid_later
    ]
    shown["caps"] = [
        {
            "payer": names[transfer.payer],
            "payee": names[transfer.payee],
            "paid": transfer.paid,
            "due": transfer.due,
            "because": _explain_cap(transfer.limited_by, names[transfer.payer], names[transfer.payee], transfer.paid),
        }
        for transfer in hand.transfers
        if transfer.limited_by
    ]
    return shown
