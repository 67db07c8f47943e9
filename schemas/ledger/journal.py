"""The journal: what each round, payment and charge adds to what players owe each other."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, NamedTuple

Amounts = Mapping[str, int]
"""What is owed to each account or, below zero, by it. Amounts add up to zero."""

HOUSE: Final = ""
"""The account of the house, which is no player's: the ID of a player is never empty."""


def player_of(account: str) -> str | None:
    """Return the player of an account; None for the house."""
    return None if account == HOUSE else account


def account_of(player: str | None) -> str:
    """Return the account of a player, or of the house."""
    return HOUSE if player is None else player


class EntryKind(StrEnum):
    """What an entry of the journal is."""

    SETTLEMENT = "settlement"
    """A round has ended: what it added."""
    ADJUSTMENT = "adjustment"
    """An ended round has another revision: what that changed."""
    REVERSAL = "reversal"
    """An ended round is open again, or a payment or charge was taken back."""
    PAYMENT = "payment"
    CHARGE = "charge"
    """The house is owed an amount."""


class Posting(NamedTuple):
    """What an entry adds to accounts."""

    kind: EntryKind
    amounts: Amounts

    @property
    def columns(self) -> dict[str, list[str] | list[int]]:
        """
        The accounts in the order of their names, and their amounts.

        >>> Posting(EntryKind.SETTLEMENT, {"bob": -5, "ann": 5}).columns
        {'accounts': ['ann', 'bob'], 'amounts': [5, -5]}
        """
        accounts = sorted(self.amounts)
        return {"accounts": accounts, "amounts": [self.amounts[account] for account in accounts]}


def post_change(before: Amounts | None, after: Amounts | None) -> Posting | None:
    """
    Return what the change of a round adds: a round counts from its end.

    >>> post_change(None, {"ann": 5, "bob": -5})
    Posting(kind=<EntryKind.SETTLEMENT: 'settlement'>, amounts={'ann': 5, 'bob': -5})
    >>> post_change({"ann": 5, "bob": -5, "cyd": 0}, {"ann": 2, "bob": -5, "dan": 3}).amounts
    {'ann': -3, 'dan': 3}
    >>> post_change({"ann": 5, "bob": -5}, None).amounts
    {'ann': -5, 'bob': 5}
    >>> post_change({"ann": 5, "bob": -5}, {"ann": 5, "bob": -5}) is None
    True

    Args:
        before: what the round has added so far; None if it counts nothing.
        after: what it adds in all after the change; None if it is open.
    """
    if before is None:
        return None if after is None else Posting(EntryKind.SETTLEMENT, after)
    if after is None:
        return Posting(EntryKind.REVERSAL, {account: -amount for account, amount in before.items()})
    changed = {account: after.get(account, 0) - before.get(account, 0) for account in sorted({*before, *after})}
    differing = {account: amount for account, amount in changed.items() if amount}
    return Posting(EntryKind.ADJUSTMENT, differing) if differing else None


def owe(debtor: str, creditor: str, amount: int) -> Amounts:
    """
    Return what it adds that one account owes another an amount; a payment makes its payee owe it to the payer.

    >>> owe("ann", HOUSE, 5)
    {'ann': -5, '': 5}
    """
    return {debtor: -amount, creditor: amount}
