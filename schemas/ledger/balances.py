"""Balances: what everyone is owed or owes by the journal, unit by unit, and the payments that settle it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from schemas.base import Dumped, WireSchema
from schemas.fields import Choice, Inner, Integer, Listing, Time, UuidField, show_time
from schemas.game_fields import AliasesField, PlayerField, TableNameField, UnitDigitsField, dump_aliases
from schemas.ledger.journal import player_of
from schemas.ledger.statements import MOST_LISTED, PaymentsAre
from schemas.ledger.units import UnitField
from schemas.money import Unit, dump_unit
from schemas.pages import QuerySchema
from scoring.settle_up import Payment, SettleUp


class BalancesQuerySchema(QuerySchema):
    """Whose balances, and which entries count."""

    player = PlayerField(
        description="Only the balances of this player, and of what settles all balances only their payments."
    )
    unit = UnitField(
        description="Only the balances in this unit: a currency, as an ISO 4217 code; a unit of the club, by its code;"
        " or the ID of a table whose points have no value."
    )
    table_id = UuidField(
        data_key="table",
        description="Only entries of this table: those of its rounds, of payments and charges for them, and of payments"
        " of its points or by its links. Other payments of money belong to no table.",
    )
    as_of = Time(description="Only entries written at or before this time. All entries if omitted.")


class SettledBalanceSchema(WireSchema):
    """What rounds add to a balance, by the state of their settlements now."""

    final = Integer(required=True, description="From rounds whose settlements are final.")
    provisional = Integer(required=True, description="From rounds whose settlements are provisional.")
    disputed = Integer(required=True, description="From rounds whose settlements are disputed.")


class BalanceSchema(WireSchema):
    """
    What a player is owed or, below zero, owes.

    The balance is the sum of its parts: settled rounds, payments, and charges.
    """

    player = PlayerField(
        required=True, allow_none=True, description="The operator's ID of the player. Null for the house."
    )
    balance = Integer(required=True, description="What the player is owed or, below zero, owes.")
    settled = Inner(SettledBalanceSchema, required=True, description="What ended rounds add. Open rounds add nothing.")
    payments = Integer(required=True, description="What the player paid, less what they received.")
    charges = Integer(required=True, description="Charges, below zero for a player and above zero for the house.")


class SettlingPaymentSchema(WireSchema):
    """A payment that settles balances."""

    payer = PlayerField(required=True, allow_none=True, description="The player who pays. Null for the house.")
    payee = PlayerField(required=True, allow_none=True, description="The player who is paid. Null for the house.")
    amount = Integer(least=1, required=True, description="Amount to pay, in the unit.")


class UnitBalancesSchema(WireSchema):
    """The balances in one unit."""

    unit = UnitField(required=True)
    unit_digits = UnitDigitsField(required=True, allow_none=False)
    table_name = TableNameField(
        required=True, allow_none=True, description="Name of the table. Null if the unit is none."
    )
    players = Listing(Inner(BalanceSchema), most=MOST_LISTED, required=True, description="The balances, highest first.")
    settle_up = Listing(
        Inner(SettlingPaymentSchema),
        most=MOST_LISTED,
        required=True,
        description="Payments that bring every balance to zero. None in money with `table` or for a link: most payments"
        " of money belong to no table, so that what is still to be paid is not known for one.",
    )
    payments_are = Choice(
        {few.value: few for few in PaymentsAre},
        required=True,
        description="`fewest` if no fewer payments are possible, `few` if that is not certain.",
    )


class BalancesSchema(WireSchema):
    """What everyone in a club is owed or owes, unit by unit."""

    as_of = Time(
        required=True, allow_none=True, description="The balances are those after this time. Null if they are of now."
    )
    open_rounds = Integer(
        least=0, required=True, description="Number of rounds that are open now. They add nothing until they end."
    )
    units = Listing(
        Inner(UnitBalancesSchema),
        most=MOST_LISTED,
        required=True,
        description="Tables come last.",
    )
    aliases = AliasesField()


class Balance(NamedTuple):
    """What an account is owed or, below zero, owes, by what it comes from."""

    account: str
    final: int = 0
    provisional: int = 0
    disputed: int = 0
    payments: int = 0
    charges: int = 0

    @property
    def total(self) -> int:
        """
        The sum of all parts.

        >>> Balance("ann", final=50, provisional=-20, disputed=0, payments=5, charges=-3).total
        32
        """
        return self.final + self.provisional + self.disputed + self.payments + self.charges

    @classmethod
    def sum(cls, account: str, balances: Iterable["Balance"]) -> "Balance":
        """
        Return the sum of balances as that of one account.

        >>> Balance.sum("bob", [Balance("bob", 5, 0, 0, 0, -3), Balance("bobby", 2, 1, 0, 4, 0)])
        Balance(account='bob', final=7, provisional=1, disputed=0, payments=4, charges=-3)
        """
        _accounts, *parts = zip(*balances, strict=True)
        return cls(account, *map(sum, parts))


@dataclass(frozen=True, slots=True)
class UnitBalances:
    """The balances in one unit, and the payments that settle them."""

    unit: Unit
    table_name: str | None
    balances: Sequence[Balance]
    settled: SettleUp

    def of(self, player: str) -> "UnitBalances":
        """Return only the balance of a player, and only their payments of those that settle all balances."""
        return UnitBalances(
            self.unit,
            self.table_name,
            [each for each in self.balances if each.account == player],
            SettleUp(
                tuple(each for each in self.settled.payments if player in (each.payer, each.payee)),
                self.settled.is_fewest,
            ),
        )


@dataclass(frozen=True, slots=True)
class BalancesView:
    """What everyone is owed or owes, unit by unit."""

    as_of: datetime | None
    open_rounds: int
    units: Sequence[UnitBalances]
    aliases: Mapping[str, str] = field(default_factory=dict)


def dump_balances(view: BalancesView) -> Dumped:
    """Encode balances, the highest of each unit first."""
    return {
        "as_of": show_time(view.as_of),
        "open_rounds": view.open_rounds,
        "units": [_dump_unit(each) for each in view.units],
        **dump_aliases(view.aliases),
    }


def _dump_unit(unit: UnitBalances) -> Dumped:
    return {
        **dump_unit(unit.unit),
        "table_name": unit.table_name,
        "players": [_dump_balance(each) for each in unit.balances],
        "settle_up": [_dump_payment(each) for each in unit.settled.payments],
        "payments_are": (PaymentsAre.FEWEST if unit.settled.is_fewest else PaymentsAre.FEW).value,
    }


def _dump_balance(balance: Balance) -> Dumped:
    return {
        "player": player_of(balance.account),
        "balance": balance.total,
        "settled": {"final": balance.final, "provisional": balance.provisional, "disputed": balance.disputed},
        "payments": balance.payments,
        "charges": balance.charges,
    }


def _dump_payment(payment: Payment) -> Mapping[str, object]:
    payer, payee = player_of(payment.payer), player_of(payment.payee)
    return {"payer": payer, "payee": payee, "amount": payment.amount}
