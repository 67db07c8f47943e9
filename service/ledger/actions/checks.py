"""Checks of payments, charges and claims: what is refused in them, and what may be a mistake."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from difflib import get_close_matches
from typing import Final
from uuid import UUID

from evidence.events import ChargeRecorded, PaymentClaimed, PaymentRecorded
from schemas.base import ComparedMistake, WireError, show
from schemas.ledger.journal import account_of
from schemas.ledger.payments import Recorded, read_amount
from schemas.ledger.settling import worth_of
from schemas.ledger.units import is_unit, points_of, table_of
from schemas.money import Unit, show_decimal
from scoring.errors import Mistake
from scoring.round_state import fold_player
from service.db import Transaction
from service.ledger.queries import claims, payments
from service.ledger.queries.balances import list_net_balances
from service.ledger.queries.payments import PaidRound
from service.players.queries.aliases import Aliases
from service.rounds.queries import rounds
from service.tables import queries as tables
from service.units.actions import find_unit, unknown_unit

_MOST_ALIKE: Final = 3


def lock_reference(transaction: Transaction, reference: str | None, key: str | None) -> str:
    """
    Return what identifies a payment, charge or claim, locked until the transaction ends.

    Raises:
        WireError: the request has neither a reference nor a key.
    """
    identity = reference or key
    if identity is None:
        detail = "is required; expected a reference, or the header Idempotency-Key"
        raise WireError((Mistake("reference-missing", ("reference",), detail),))
    payments.lock(transaction, identity)
    return identity


def refuse_mistakes(*mistakes: Mistake) -> None:
    """
    Refuse a request that has mistakes.

    Raises:
        WireError: it has some.
    """
    if mistakes:
        raise WireError(mistakes)


def find_same_player(aliases: Aliases, payer: str | None, payee: str | None) -> Iterator[Mistake]:
    """Yield the mistake of a payment between two IDs of one player."""
    if payer is not None and payee is not None and aliases.player_of(payer) == aliases.player_of(payee):
        detail = f"is {show(payee)}, which is an ID of the payer {show(payer)} too; expected another player"
        yield Mistake("payee-not-other", ("payee",), detail)


def find_unknown_players(
    transaction: Transaction, aliases: Aliases, players: Mapping[str, str | None]
) -> Iterator[Mistake]:
    """List the players, by the fields that name them, who never sat in a round of the club, with some who did."""
    named = {player: aliases.ids_of(player) for player in players.values() if player is not None}
    sitting = rounds.list_known_players(transaction, {known_as for ids in named.values() for known_as in ids})
    unknown = {player for player, ids in named.items() if sitting.isdisjoint(ids)}
    known = rounds.list_players(transaction) if unknown else []
    for field, player in players.items():
        if player is not None and player in unknown:
            alike = _find_alike(player, known)
            example = f", for example {', '.join(map(repr, alike))}" if alike else ""
            detail = f"is {show(player)}, who never sat in a round; expected a player of the club{example}"
            yield ComparedMistake("player-unknown", (field,), detail, {"received": player})


def _find_alike(player: str, known: list[str]) -> list[str]:
    by_folded = {fold_player(each): each for each in known}
    close = get_close_matches(fold_player(player), by_folded, _MOST_ALIKE)
    return [by_folded[each] for each in close]


def find_amount_unit(transaction: Transaction, code: str) -> Unit | None:
    """
    Find the unit of an amount by its code: a currency, a unit of the club, or the points of a table, if there is one.

    A link does not read the units of the club: it has those of its table, and of the entries that it sees. A personal
    link has those of what the player owes too.
    """
    table_id = table_of(code)
    if table_id is not None:
        return points_of(table_id)
    if transaction.table_id is None:
        return find_unit(transaction, code)
    own = tables.get(transaction, transaction.table_id).unit
    if own is not None and own.code == code:
        return own
    seen = payments.find_unit(transaction, code)
    owed = list_net_balances(transaction) if seen is None and transaction.player is not None else {}
    return seen or next((unit for unit in owed if unit.code == code), None)


def read_form_amount(transaction: Transaction, text: str, code: str) -> int | str:
    """
    Return the amount that a person has typed into a form beside a unit, as `read_amount` does.

    Raises:
        WireError: it is no amount of the unit.
    """
    return read_amount(text, find_amount_unit(transaction, code) if is_unit(code) else None)


def find_unknown_unit(transaction: Transaction, code: str, unit: Unit | None) -> Iterator[Mistake]:
    """
    Yield the mistake of a unit that does not exist, or of points that have a value.

    A link can name the units of its table only: the one of its next round, and those of its journal. A personal link
    sees those of the player's payments too.

    Args:
        transaction: of the club, or of a link.
        code: of the unit, as it was received.
        unit: what `find_amount_unit` finds.
    """
    table_id = table_of(code)
    if transaction.table_id is not None:
        own = tables.get(transaction, transaction.table_id)
        expected = worth_of(own.point_value, own.unit, str(own.id)).amount_unit.code
        if code != expected and payments.find_unit(transaction, code) is None:
            detail = f"is no unit of the table {own.name!r} of the link; expected {expected}"
            yield ComparedMistake("unit-unknown", ("unit",), detail, {"received": code, "expected": expected})
        return
    if table_id is None:
        if unit is None:
            yield unknown_unit(transaction, code)
        return
    table = tables.list_by_id(transaction, [table_id]).get(table_id)
    if table is None:
        yield Mistake("unit-unknown", ("unit",), f"the club has no table {code}")
    elif table.point_value is not None and table.unit and payments.find_unit(transaction, code) is None:
        detail = f"points of the table {table.name!r} have a value; expected {table.unit.code}"
        yield ComparedMistake("unit-unknown", ("unit",), detail, {"received": code, "expected": table.unit.code})


def find_unknown_round(round_id: UUID | None, round_: PaidRound | None) -> Iterator[Mistake]:
    """Yield the mistake of a round that the club does not have, or that is not one of the link."""
    if round_id is not None and round_ is None:
        yield Mistake("round-unknown", ("round",), f"the club has no round {round_id}")


def find_other_unit(unit: str, round_: PaidRound | None) -> Iterator[Mistake]:
    """Yield the mistake of a payment for a round in another unit than that of the round."""
    if round_ is not None and unit != round_.unit.code:
        values = {"received": unit, "expected": round_.unit.code}
        detail = f"is {unit!r}, and the round is settled in another unit; expected {round_.unit.code!r}"
        yield ComparedMistake("unit-unknown", ("unit",), detail, values)


def find_other_table(unit: str, table_id: UUID | None) -> Iterator[Mistake]:
    """Yield the mistake of points of one table that are charged for a round of another."""
    if table_id is not None and table_of(unit) not in (None, table_id):
        detail = f"are points of another table than that of the round; expected {table_id}, or another unit"
        yield Mistake("unit-unknown", ("unit",), detail)


def name_record(recorded: Recorded) -> str:
    """Return whether something is a payment or a charge, for a message."""
    return "payment" if isinstance(recorded.event, PaymentRecorded) else "charge"


def find_equal_payment(
    transaction: Transaction, event: PaymentRecorded | ChargeRecorded, paid_at: datetime | None
) -> Iterator[Mistake]:
    """Yield the warning that the same payment or charge is recorded under another reference."""
    equal = payments.find_equal(transaction, event, paid_at)
    if equal is not None and equal.stored is None:
        detail = "the same payment or charge is recorded, not with a link of this table"
        yield Mistake("equal-payment", ("reference",), detail)
    elif equal is not None and equal.stored is not None:
        recorded = equal.stored.recorded
        named = f"the {name_record(recorded)} {recorded.id} with the reference {recorded.event.reference!r}"
        values = {"recorded": recorded.event.reference, "received": event.reference}
        yield ComparedMistake("equal-payment", ("reference",), f"{named} has the same content", values)


def find_equal_claim(transaction: Transaction, event: PaymentRecorded | PaymentClaimed) -> Iterator[Mistake]:
    """Yield the warning that the payer claims the same payment, and that the claim waits to be confirmed."""
    claim_id = claims.find_equal(transaction, event)
    if claim_id is not None:
        which = f"the payment claim {claim_id}" if transaction.table_id is None else "a payment claim"
        yield Mistake("payment-claimed", ("amount",), f"is that of {which}, which waits to be confirmed")


def find_too_much(
    transaction: Transaction, event: PaymentRecorded | PaymentClaimed, *, pending: int = 0
) -> Iterator[Mistake]:
    """
    Yield the warning that a payment is more than the payer owes in the unit; for a link, not by how much.

    Args:
        transaction: of the club, or of a link. That of the payer can know by how much.
        event: the payment.
        pending: what the payer claims to have paid already, in the unit.
    """
    owed = max(0, -payments.find_balance(transaction, event.unit, account_of(event.payer)) - pending)
    if event.amount > owed:
        payer = "the house" if event.payer is None else repr(event.payer)
        unit, name = Unit(event.unit, event.unit_digits), event.unit if table_of(event.unit) is None else "points"
        amount, due = (f"{show_decimal(each, unit)} {name}" for each in (event.amount, owed))
        if transaction.table_id is not None and transaction.player != event.payer:
            detail = f"is {amount}, which is more than {payer} owes in the club"
            yield Mistake("more-than-owed", ("amount",), detail)
            return
        values = {"received": event.amount, "expected": owed}
        yield ComparedMistake("more-than-owed", ("amount",), f"is {amount}, and {payer} owed {due}", values)
