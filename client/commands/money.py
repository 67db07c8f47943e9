"""The commands about money that is owed: one row for each, over the operations of the contract."""

from collections.abc import Mapping
from typing import Final

import click

from client.commands.base import Group
from client.commands.verbs import Verb, add_commands, make_command
from client.render.ledger import (
    CLAIMS,
    LINES,
    UNITS,
    show_balances,
    show_charge,
    show_claim,
    show_payment,
    show_reversal,
    show_unit,
)

EXAMPLE_ENTRY: Final = "01a1fb02-3c18-7e04-9d5f-6a0b8c2e4f71"
_DEFINED: Final = "chips --name 'Chips of the club' --digits 0"
_PAID: Final = "bob ann --unit EUR --amount 800"
_OF_PAYMENT: Final = {"unit": "UNIT|TABLE-ID", "paid_at": "TIME", "round": "ID"}
_CHARGED: Final = "ann --unit EUR --amount 200 --reason 'room'"

VERBS: Final[Mapping[str, Verb]] = {
    "ledger": Verb(
        operation="list_ledger",
        help="""List the journal of the club: who owes whom, and who has paid.

        The oldest entry is first. A round is in it from its end, with what was due and what was paid after caps in each
        hand. Later corrections and undos add what they changed.""",
        examples=[
            "ofc ledger --from today",
            "ofc ledger --table kitchen --player ann",
            "ofc ledger --kind payment --unit EUR",
            "ofc ledger --posted-from 2026-11-01T00:00:00Z --csv -o since-november.csv",
            "ofc ledger --format parquet -o ledger.parquet",
        ],
        metavars={"round": "ROUND", "posted_from": "TIME", "posted_before": "TIME"},
        columns=LINES,
        items="lines",
        limit=100,
        has_csv=True,
        has_parquet=True,
    ),
    "balances": Verb(
        operation="get_balances",
        help="""Show what everyone is owed or owes now, and who pays whom.

        Rounds count from their end; so do payments and charges. Amounts of different units are not added up.""",
        examples=["ofc balances", "ofc balances --player bob", "ofc balances --unit EUR --json"],
        metavars={"unit": "UNIT|TABLE-ID", "as_of": "TIME"},
        show=show_balances,
    ),
    "units": Verb(
        operation="list_units",
        help="List the units of amounts: those of the club, and the currencies that it uses.",
        examples=["ofc units", "ofc units --json"],
        columns=UNITS,
        items="units",
    ),
    "unit define": Verb(
        operation="define_unit",
        help="""Define a unit of the club, which tables, payments and charges can then use. It never changes.

        CODE has 2 to 12 letters and digits. Amounts are integers of the last digit after the decimal point. Currencies
        need no definition.""",
        examples=[f"ofc unit define {_DEFINED}", "ofc unit define mBTC --name Millibitcoin --digits 5"],
        arguments=("code",),
        show=show_unit,
    ),
    "payment record": Verb(
        operation="record_payment",
        help="""Record that PAYER has paid PAYEE.

        The amount is in minor units: 800 is 8.00 EUR. With a reference, the same payment sent again is recorded
        once.""",
        examples=[f"ofc payment record {_PAID}", f"ofc payment record {_PAID} --reference cash-17 --note cash"],
        arguments=("payer", "payee"),
        metavars=_OF_PAYMENT,
        show=show_payment,
    ),
    "payment claim": Verb(
        operation="claim_payment",
        help="""Record that PAYER claims to have paid PAYEE.

        It counts when the payee or the club confirms it. The amount is in minor units: 800 is 8.00 EUR.""",
        examples=[f"ofc payment claim {_PAID}", f"ofc payment claim {_PAID} --reference tap-17"],
        arguments=("payer", "payee"),
        metavars=_OF_PAYMENT,
        show=show_claim,
    ),
    "payment claims": Verb(
        operation="list_payment_claims",
        help="""List payments that players claim to have made, newest first.

        Those in the state `pending` wait to be confirmed, and count nothing yet.""",
        examples=["ofc payment claims --state pending", "ofc payment claims --player bob --json"],
        columns=CLAIMS,
        items="claims",
        limit=100,
    ),
    "payment confirm": Verb(
        operation="confirm_payment_claim",
        help="Confirm a claim: the payment is recorded. ID is that of the claim, which `ofc payment claims` lists.",
        examples=[f"ofc payment confirm {EXAMPLE_ENTRY}"],
        show=show_payment,
    ),
    "payment decline": Verb(
        operation="decline_payment_claim",
        help="Decline a claim, because the payment was not received. ID is that of the claim.",
        examples=[f"ofc payment decline {EXAMPLE_ENTRY} --reason 'not received'"],
        show=show_claim,
    ),
    "payment withdraw": Verb(
        operation="withdraw_payment_claim",
        help="Withdraw a claim for its payer. ID is that of the claim.",
        examples=[f"ofc payment withdraw {EXAMPLE_ENTRY}"],
        show=show_claim,
    ),
    "payment reverse": Verb(
        operation="reverse_payment",
        help="Take back a payment. ID is that of the payment, which `ofc ledger --kind payment --json` lists.",
        examples=[f"ofc payment reverse {EXAMPLE_ENTRY} --reason 'paid to the wrong player'"],
        show=show_reversal,
    ),
    "charge record": Verb(
        operation="record_charge",
        help="""Record that PLAYER owes the house an amount.

        The amount is in minor units: 200 is 2.00 EUR. With a reference, the same charge sent again is recorded
        once.""",
        examples=[f"ofc charge record {_CHARGED}", f"ofc charge record {_CHARGED} --reference fee-17"],
        arguments=("player",),
        metavars={"unit": "UNIT|TABLE-ID", "round": "ID"},
        show=show_charge,
    ),
    "charge reverse": Verb(
        operation="reverse_charge",
        help="Take back a charge. ID is that of the charge, which `ofc ledger --kind charge --json` lists.",
        examples=[f"ofc charge reverse {EXAMPLE_ENTRY} --reason 'the evening was free'"],
        show=show_reversal,
    ),
}
"""The rows, by the names of their commands."""


@click.group(name="unit", cls=Group, examples=[f"ofc unit define {_DEFINED}", "ofc units"])
def unit() -> None:
    """
    Define units of amounts, for example chips.

    `ofc units` lists them.
    """


@click.group(name="payment", cls=Group, examples=[f"ofc payment record {_PAID}", "ofc ledger --kind payment"])
def payments() -> None:
    """
    Record payments between players, confirm those that they claim, and take them back.

    `ofc balances` shows who pays whom, `ofc ledger --kind payment` lists what was paid, and `ofc payment claims` what
    players claim to have paid.
    """


@click.group(name="charge", cls=Group, examples=[f"ofc charge record {_CHARGED}", "ofc ledger --kind charge"])
def charges() -> None:
    """
    Record what players owe the house, and take it back.

    `ofc ledger --kind charge` lists what was charged.
    """


add_commands(unit, VERBS)
add_commands(payments, VERBS)
add_commands(charges, VERBS)
balances = make_command("balances", VERBS["balances"])
ledger = make_command("ledger", VERBS["ledger"])
units = make_command("units", VERBS["units"])
