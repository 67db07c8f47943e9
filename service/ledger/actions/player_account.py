"""What a player owes and is owed, as the player's own link shows it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from schemas.ledger.claims import ClaimState, PaymentClaim
from schemas.ledger.journal import account_of
from schemas.ledger.units import in_order, table_of
from schemas.money import Unit
from scoring.settle_up import Payment, find_payments
from service.db import Transaction
from service.ledger.queries import claims, payments
from service.ledger.queries.balances import list_net_balances
from service.ledger.queries.claims import ClaimFilter
from service.ledger.queries.journal import RoundEntry, list_adjustments
from service.ledger.queries.payments import ListedRecord
from service.players.queries.aliases import Aliases, read_aliases
from service.tables import queries as tables

_MOST_PENDING: Final = 50
_MOST_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class OwnUnit:
    """
    What a player owes and is owed in one unit, by the payments that settle up the club.

    Attributes:
        table_name: the name of the table whose points are the unit; None for another unit, and for a table that is not
            shown.
        owes: the payments of the player to others.
        owed: the payments of others to the player.
    """

    unit: Unit
    table_name: str | None
    owes: Sequence[Payment]
    owed: Sequence[Payment]


@dataclass(frozen=True, slots=True)
class PlayerAccount:
    """
    What a player owes and is owed, and where it comes from.

    Attributes:
        units: those in which somebody owes something.
        pending: the claims of payments by the player and to the player that wait to be confirmed, newest first.
        declined: the newest claims of the player that were declined.
        payments: the newest payments by and to the player, and charges of the player.
        adjustments: what the newest corrections changed, of the rounds that the link shows.
        player: the ID under which the player is shown.
        aliases: the other IDs of players.
    """

    player: str
    aliases: Aliases
    units: Sequence[OwnUnit]
    pending: Sequence[PaymentClaim]
    declined: Sequence[PaymentClaim]
    payments: Sequence[ListedRecord]
    adjustments: Sequence[RoundEntry]

    @property
    def ids(self) -> Sequence[str]:
        """All IDs of the player."""
        return self.aliases.ids_of(self.player)

    def sum_pending(self, unit: Unit, payee: str) -> int:
        """Return what the player claims to have paid somebody, and nobody has confirmed yet."""
        return sum(
            each.event.amount
            for each in self.pending
            if each.event.payer in self.ids
            and (self.aliases.player_of(account_of(each.event.payee)), each.event.unit) == (payee, unit.code)
        )


def read_player_account(transaction: Transaction) -> PlayerAccount:
    """Read what the player of a personal link owes and is owed in the whole club."""
    assert transaction.player is not None, "the link is personal"
    aliases = read_aliases(transaction)
    player, ids = aliases.player_of(transaction.player), aliases.ids_of(transaction.player)
    nets = list_net_balances(transaction)
    names = tables.list_names(transaction, [table for unit in nets if (table := table_of(unit.code)) is not None])
    units = []
    for unit in sorted(nets, key=in_order):
        settled = find_payments(nets[unit]).payments
        owes = [each for each in settled if each.payer == player]
        owed = [each for each in settled if each.payee == player]
        table = table_of(unit.code)
        if owes or owed:
            units.append(OwnUnit(unit, None if table is None else names.get(table), owes, owed))
    declined = claims.list_page(transaction, ClaimFilter(ClaimState.DECLINED, player), limit=_MOST_LISTED)
    return PlayerAccount(
        player=player,
        aliases=aliases,
        units=units,
        pending=claims.list_page(transaction, ClaimFilter(ClaimState.PENDING, player), limit=_MOST_PENDING),
        declined=[each for each in declined if each.event.payer in ids],
        payments=payments.list_page(transaction, player=player, unit=None, after=None, limit=_MOST_LISTED),
        adjustments=list_adjustments(transaction, ids, _MOST_LISTED),
    )
