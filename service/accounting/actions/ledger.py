"""List the payments of a club."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from schemas.accounting.payment_lines import LEDGER_HEADER, LedgerLine, PaymentPlace, dump_ledger_rows
from schemas.base import WireError
from schemas.pages import NO_CURSOR
from scoring.errors import Mistake
from service.accounting.queries import ledger as queries
from service.db import Transaction
from service.rounds.queries.rounds import RoundFilter, find_place

_ROUNDS: Final = 200
_PAYMENTS: Final = 1000
"""The number of rounds and of payments that are read at once."""


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """A part of the ledger, and the place after which the next page starts; None on the last page."""

    lines: list[LedgerLine]
    next_after: PaymentPlace | None


def list_ledger(transaction: Transaction, wanted: RoundFilter, *, after: PaymentPlace | None, limit: int) -> LedgerPage:
    """
    List payments of the revisions in force: oldest round first, then in the order of payment.

    Raises:
        WireError: the cursor `after` is invalid.
    """
    found = chain.from_iterable(_read(transaction, wanted, after))
    lines = [*islice(found, limit + 1)]
    return LedgerPage(lines[:limit], lines[limit - 1].place if len(lines) > limit else None)


def export_ledger(transaction: Transaction, wanted: RoundFilter, *, after: PaymentPlace | None) -> Iterator[bytes]:
    """
    Yield all payments after a place as blocks of CSV with a header, in constant memory.

    Args:
        transaction: a transaction with a single snapshot, open until the last block is read.
        wanted: the filter.
        after: the place after which to begin.

    Raises:
        WireError: the cursor `after` is invalid.
    """
    yield LEDGER_HEADER
    yield from map(dump_ledger_rows, _read(transaction, wanted, after))


def _read(transaction: Transaction, wanted: RoundFilter, after: PaymentPlace | None) -> Iterator[list[LedgerLine]]:
    """Yield blocks of payments, in order."""
    since = None
    if after is not None:
        since = find_place(transaction, after.round_id)
        if since is None:
            raise WireError((Mistake("not-a-cursor", ("query", "cursor"), NO_CURSOR),))
    last = None
    while rounds := queries.list_rounds(transaction, wanted, since=since, after=last, limit=_ROUNDS):
        if after is not None and rounds[0].id != after.round_id:
            after = None
        remaining = rounds
        while True:
            lines = queries.list_payments(transaction, remaining, after=after, limit=_PAYMENTS)
            yield [line for line in lines if wanted.player in (None, line.payer, line.payee)]
            if len(lines) < _PAYMENTS:
                break
            after = lines[-1].place
            remaining = rounds[[each.id for each in rounds].index(after.round_id) :]
        since, after, last = None, None, queries.place_of(rounds[-1])
