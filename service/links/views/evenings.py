"""Evenings on the pages of links: what each player won in all rounds, the rounds, and a text to share."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from zoneinfo import ZoneInfo

from flask import url_for

from schemas.clubs import ClubView
from schemas.ledger.statements import StatementView
from schemas.links import Link
from schemas.rounds import RoundView
from service.db import Transaction
from service.errors import LinkAddressUnknown
from service.http.formats import format_amount, format_clock, format_evening, format_money_won, format_signed, isolate
from service.http.language import gettext
from service.http.public_address import find_public_url
from service.ledger.actions.statements import get_statement
from service.links.actions.pages import number_rounds
from service.players.queries.aliases import Aliases, read_aliases
from service.tables.queries import StoredTable


@dataclass(frozen=True, slots=True)
class Result:
    """What a player won: points, and money in each unit; with what the house charged for it."""

    player: str
    points: int
    money: str = ""
    rounds: int = 0
    charged: str = ""

    @property
    def line(self) -> str:
        """The result in a text to share."""
        return f"{isolate(self.player)} {format_signed(self.points)}" + (f" ({self.money})" if self.money else "")


@dataclass(frozen=True, slots=True)
class ShownRound:
    """A round in a list: `you` is the ID under which the player of a link sits in it."""

    view: RoundView
    title: str
    results: Sequence[Result]
    you: str | None

    @property
    def is_yours(self) -> bool:
        """Whether the player of the link sits in the round."""
        return any(each.player == self.you for each in self.results)


@dataclass(frozen=True, slots=True)
class ShownEvening:
    """The rounds of an evening in a list, and the address of its page."""

    day: str
    address: str
    rounds: Sequence[ShownRound]


@dataclass(frozen=True, slots=True)
class EveningSum:
    """
    What the players won in all rounds of an evening at a table.

    Attributes:
        payments: payer, payee and amount of the payments that settle these rounds alone.
        you: the player of a personal link.
        share: the text to share.
    """

    day: str
    address: str
    rounds: int
    open_rounds: int
    results: Sequence[Result]
    payments: Sequence[tuple[str, str, str]]
    you: str | None
    share: str

    @property
    def has_money(self) -> bool:
        """Whether points of the evening have a value."""
        return any(each.money for each in self.results)

    @property
    def has_charges(self) -> bool:
        """Whether the house has charged a player for the evening."""
        return any(each.charged for each in self.results)


def show_evenings(
    transaction: Transaction, club: ClubView, link: Link, secret: str, listed: Sequence[RoundView]
) -> list[ShownEvening]:
    """Return listed rounds of the table of a link, newest first, by evening."""
    numbers, aliases = number_rounds(transaction, club, listed), read_aliases(transaction)
    zone = ZoneInfo(club.time_zone)
    return [
        ShownEvening(
            format_evening(evening),
            address_of(secret, evening),
            [
                ShownRound(
                    view,
                    name_round(view, numbers[view.id], zone),
                    list_results(view),
                    find_seated(link, aliases, view),
                )
                for view in views
            ],
        )
        for evening, views in groupby(listed, lambda view: club.evening_of(view.opened_at))
    ]


def sum_evening(
    transaction: Transaction, club: ClubView, link: Link, secret: str, evening: date, table: StoredTable
) -> EveningSum:
    """Sum up the rounds of an evening at the table of a link, open ones as they are now."""
    begin, end = club.evening(evening)
    statement = get_statement(transaction, table.id, opened_from=begin, opened_before=end)
    results = [
        Result(
            each.player,
            each.points.net,
            ", ".join(format_money_won(amount, unit) for unit, amount in each.money.items()),
            each.rounds,
            ", ".join(format_amount(amount, unit) for unit, amount in each.charges.items()),
        )
        for each in sorted(statement.players, key=lambda each: (-each.points.net, each.player))
    ]
    day, address = format_evening(evening), address_of(secret, evening)
    payments = list(_list_payments(statement))
    return EveningSum(
        day=day,
        address=address,
        rounds=statement.rounds,
        open_rounds=statement.open_rounds,
        results=results,
        payments=payments,
        you=None if link.player is None else read_aliases(transaction).player_of(link.player),
        share=write_share([f"{table.name}, {day}"], results, payments, None if link.player else address),
    )


def _list_payments(statement: StatementView) -> Iterator[tuple[str, str, str]]:
    """Yield the payments of an evening: in money, and in points where these have no value."""
    settled = statement.settled
    for unit, in_money in settled.in_money.items():
        for payment in in_money.payments:
            yield payment.payer, payment.payee, format_amount(payment.amount, unit)
    for worth, in_points in settled.in_points.items():
        for payment in in_points.payments if worth.point_value is None else ():
            yield payment.payer, payment.payee, format_amount(payment.amount, None)


def list_results(view: RoundView) -> list[Result]:
    """Return what each player of a round has won so far, in the order of seats."""
    played, value, unit = view.round, view.point_value, view.unit
    nets = {
        seat.player: played.stacks[seat.seat] - seat.opening_stack - played.top_ups[seat.seat] for seat in played.seats
    }
    if value is None or unit is None:
        return [Result(player, net) for player, net in nets.items()]
    return [Result(player, net, format_money_won(net * value, unit)) for player, net in nets.items()]


def name_round(view: RoundView, number: int | None, zone: ZoneInfo) -> str:
    """Return the title of a round: its number in the evening, if it is known, and when it was opened."""
    numbered = gettext("Round") if number is None else gettext("Round %(number)s", number=number)
    return f"{numbered}, {format_clock(view.opened_at, zone)}"


def find_seated(link: Link, aliases: Aliases, view: RoundView) -> str | None:
    """Return the ID under which the player of a link sits in a round; if they do not, that of the link."""
    ids = () if link.player is None else aliases.ids_of(link.player)
    return next((seat.player for seat in view.round.seats if seat.player in ids), link.player)


def write_share(
    titles: Sequence[str],
    results: Sequence[Result],
    payments: Sequence[tuple[str, str, str]],
    address: str | None,
) -> str:
    """
    Write the text by which results are shared: what each player won, who pays whom, and the address of the page.

    The address of a personal link is not for others, so their text has none.
    """
    lines = [*titles, *(each.line for each in results)]
    lines += [
        gettext("%(payer)s pays %(payee)s %(amount)s", payer=isolate(payer), payee=isolate(payee), amount=amount)
        for payer, payee, amount in payments
    ]
    if address is not None:
        # The host of a request can be made up by whoever sent it.
        with suppress(LinkAddressUnknown):
            lines.append(find_public_url() + address)
    return "\n".join(lines)


def address_of(secret: str, evening: date) -> str:
    """Return the address of the page of an evening, without the host."""
    return url_for("link_pages.show_evening", secret=secret, evening=evening.isoformat())
