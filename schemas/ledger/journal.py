"""The journal: what each round, payment and charge adds to what players owe each other."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
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


class Counted(NamedTuple):
    """
    What a round adds to accounts: what its players won from each other, and the standing charge of the house.

    Both add up to zero.
    """

    won: Amounts
    charged: Amounts = MappingProxyType({})

    def less(self, other: "Counted") -> "Counted":
        """
        Return the difference to what another round adds, without the accounts for which both add the same.

        >>> Counted({"ann": 2, "bob": -5, "dan": 3}).less(Counted({"ann": 5, "bob": -5, "cyd": 0}))
        Counted(won={'ann': -3, 'dan': 3}, charged={})
        """
        return Counted(*(_subtract(ours, theirs) for ours, theirs in zip(self, other, strict=True)))


def _subtract(ours: Amounts, theirs: Amounts) -> Amounts:
    accounts = sorted({*ours, *theirs})
    differences = {account: ours.get(account, 0) - theirs.get(account, 0) for account in accounts}
    return {account: amount for account, amount in differences.items() if amount}


class Posting(NamedTuple):
    """What an entry adds to accounts, and how much of it is a standing charge."""

    kind: EntryKind
    amounts: Amounts
    charged: Amounts = MappingProxyType({})

    @property
    def columns(self) -> dict[str, list[str] | list[int] | None]:
        """
        The accounts in the order of their names, their amounts, and what of these is a standing charge.

        >>> Posting(EntryKind.SETTLEMENT, {"bob": -5, "ann": 5}).columns
        {'accounts': ['ann', 'bob'], 'amounts': [5, -5], 'charges': None}
        >>> Posting(EntryKind.SETTLEMENT, {"ann": 4, "bob": -5, "": 1}, {"ann": -1, "": 1}).columns
        {'accounts': ['', 'ann', 'bob'], 'amounts': [1, 4, -5], 'charges': [1, -1, 0]}
        """
        accounts = sorted(self.amounts)
        return {
            "accounts": accounts,
            "amounts": [self.amounts[account] for account in accounts],
            "charges": [self.charged.get(account, 0) for account in accounts] if self.charged else None,
        }


def post_change(before: Counted | None, after: Counted | None) -> Posting | None:
    """
    Return what the change of a round adds: a round counts from its end.

    >>> won = Counted({"ann": 5, "bob": -5})
    >>> post_change(None, won).kind.value, post_change(won, None).amounts, post_change(won, won)
    ('settlement', {'ann': -5, 'bob': 5}, None)
    >>> post_change(won, Counted({"ann": 3, "bob": -3}, {"ann": -1, HOUSE: 1})).amounts
    {'': 1, 'ann': -3, 'bob': 2}

    Args:
        before: what the round has added so far; None if it counts nothing.
        after: what it adds in all after the change; None if it is open.
    """
    if before is None:
        return None if after is None else _post(EntryKind.SETTLEMENT, after)
    if after is None:
        return _post(EntryKind.REVERSAL, Counted(*({each: -amounts[each] for each in amounts} for amounts in before)))
    changed = after.less(before)
    return _post(EntryKind.ADJUSTMENT, changed) if any(changed) else None


def _post(kind: EntryKind, counted: Counted) -> Posting:
    won, charged = counted
    amounts = {account: won.get(account, 0) + charged.get(account, 0) for account in sorted({*won, *charged})}
    return Posting(kind, amounts, charged)


def owe(debtor: str, creditor: str, amount: int) -> Amounts:
    """
    Return what it adds that one account owes another an amount; a payment makes its payee owe it to the payer.

    >>> owe("ann", HOUSE, 5)
    {'ann': -5, '': 5}
    """
    return {debtor: -amount, creditor: amount}
