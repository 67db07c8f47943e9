"""What a round adds to what its players owe, what its corrections changed, and what was paid for it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from schemas.ledger.journal import Amounts, EntryKind, account_of
from schemas.money import Unit
from scoring.settle_up import Payment, find_payments
from service.db import Transaction
from service.ledger.queries import payments
from service.ledger.queries.journal import RoundEntry, list_of_round
from service.ledger.queries.payments import ListedRecord
from service.players.queries.aliases import Aliases, read_aliases


@dataclass(frozen=True, slots=True)
class RoundTotals:
    """
    What a round that has ended adds, and what was paid for it.

    Attributes:
        unit: of all amounts.
        revision: the number of the revision in force.
        totals: what the round adds to each account.
        changes: the adjustments since it ended last, oldest first.
        payments: the payments that name the round and were not taken back, oldest first.
        aliases: the other IDs of players. What was paid under one of them is shown under that of the round.
    """

    unit: Unit
    revision: int
    totals: Amounts
    changes: Sequence[RoundEntry]
    payments: Sequence[ListedRecord]
    aliases: Aliases

    @property
    def paid(self) -> dict[str, int]:
        """What each account paid for the round or, below zero, received."""
        paid: dict[str, int] = {}
        seated = {self.aliases.player_of(account): account for account in self.totals}
        for each in self.payments:
            amount = each.recorded.event.amount
            for account, sign in ((account_of(each.payer), 1), (account_of(each.payee), -1)):
                player = self.aliases.player_of(account)
                own = seated.get(player, player)
                paid[own] = paid.get(own, 0) + sign * amount
        return paid

    @property
    def accounts(self) -> list[str]:
        """The accounts of the players of the round, and of those who paid for it, in the order of their totals."""
        named = {*self.totals, *self.paid}
        return sorted(named, key=lambda account: (-self.totals.get(account, 0), account))

    @property
    def open_payments(self) -> Sequence[Payment]:
        """The payments that settle what is not paid for the round."""
        paid = self.paid
        return find_payments({each: self.totals.get(each, 0) + paid.get(each, 0) for each in self.accounts}).payments

    def list_changes(self, account: str) -> Iterator[tuple[RoundEntry, int]]:
        """Yield the adjustments that changed the total of an account, and by how much."""
        for each in self.changes:
            if amount := each.amounts.get(account, 0):
                yield each, amount


def sum_up_round(transaction: Transaction, round_id: UUID, revision: int) -> RoundTotals | None:
    """
    Sum up the entries of a round; None while it is open.

    Args:
        transaction: of the club, or of a link that shows the round.
        round_id: the round.
        revision: the number of its revision in force.
    """
    entries, paid = list_of_round(transaction, round_id), payments.list_for_round(transaction, round_id)
    starts = [place for place, each in enumerate(entries) if each.kind is EntryKind.SETTLEMENT]
    if not starts or entries[-1].kind is EntryKind.REVERSAL:
        return None
    ended, *changes = entries[starts[-1] :]
    totals = dict(ended.amounts)
    for change in changes:
        for account, amount in change.amounts.items():
            totals[account] = totals.get(account, 0) + amount
    return RoundTotals(ended.unit, revision, totals, changes, paid, read_aliases(transaction))
