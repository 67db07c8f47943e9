"""List the journal of a club as lines, each of which says who owes whom an amount."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Final
from uuid import UUID

from schemas.ledger.journal import HOUSE, Counted, EntryKind
from schemas.ledger.ledger_lines import (
    LEDGER_HEADER,
    LEDGER_TYPES,
    LedgerLine,
    dump_ledger_record,
    dump_ledger_rows,
)
from schemas.ledger.ledger_places import LAST_PLACE, LedgerPlace
from schemas.money import Unit
from scoring.settle_up import Payment, find_payments
from service.db import Transaction
from service.db.parquet import spool_parquet, write_rows
from service.ledger.queries import journal as queries
from service.ledger.queries.journal import JournalFilter, StoredEntry
from service.players.queries.aliases import read_aliases

_ENTRIES: Final = 200
_HANDS: Final = 500
_ROWS: Final = 1000
"""How many entries are read at once, of how many hands the transfers, and how many lines are sent at once."""


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """A part of the ledger, whether more follows now, and the place after which what follows starts."""

    lines: list[LedgerLine]
    has_more: bool
    next_after: LedgerPlace


def list_ledger(
    transaction: Transaction,
    filter_: JournalFilter,
    *,
    after: LedgerPlace | None,
    limit: int,
    newest_first: bool = False,
) -> LedgerPage:
    """
    List lines of the ledger in the order in which their entries were written, those without a position last.

    With `newest_first`, the entries are in the opposite order; the lines of an entry always are in that of payment.
    """
    place = after or (LAST_PLACE if newest_first else LedgerPlace())
    read = _read(transaction, filter_, place, entries_at_once=limit + 1, newest_first=newest_first)
    lines = [*islice(read, limit + 1)]
    has_more = len(lines) > limit
    for line in lines[:limit]:
        place = _place_after(place.bookmark if newest_first else place, line)
    return LedgerPage(lines[:limit], has_more, place if has_more else place.bookmark)


def sum_ledger(transaction: Transaction, filter_: JournalFilter) -> dict[Unit, int]:
    """Sum up what the entries of a filter add to the balance of its player, by unit."""
    return queries.sum_amounts(transaction, filter_)


def count_ledger(transaction: Transaction, filter_: JournalFilter, limit: int) -> int:
    """Count the lines of the entries of a filter, up to a limit."""
    ids = None if filter_.player is None else read_aliases(transaction).ids_of(filter_.player)
    countable = queries.list_countable(transaction, filter_, limit)
    # Each has a line at least, so that as many as the limit are enough.
    lines = sum(1 if counted is None else _count_lines(kind, counted, ids) for kind, counted in countable)
    return min(lines, limit)


def _count_lines(kind: EntryKind, counted: Counted, ids: Sequence[str] | None) -> int:
    """Count the lines of an entry that is no settlement: all, or those of the IDs of a player."""
    parties = [(each.payer, each.payee) for each in _find_payments(kind, counted)]
    parties += [(player, HOUSE) for player, _ in _list_charged(counted)]
    return sum(ids is None or not {*pair}.isdisjoint(ids) for pair in parties)


def export_ledger(
    transaction: Transaction, filter_: JournalFilter, *, after: LedgerPlace | None, raw: bool | None = False
) -> Iterator[bytes]:
    """
    Yield all lines after a place as blocks of CSV with a header, in constant memory.

    Args:
        transaction: a transaction with a single snapshot, open until the last block is read.
        filter_: the filter.
        after: the place after which to begin.
        raw: whether texts are as they are stored, also those that a spreadsheet would run as formulas.
    """
    yield LEDGER_HEADER
    lines = _read(transaction, filter_, after or LedgerPlace())
    yield from map(partial(dump_ledger_rows, raw=raw), iter(lambda: [*islice(lines, _ROWS)], []))


def export_ledger_parquet(
    transaction: Transaction, filter_: JournalFilter, *, after: LedgerPlace | None, is_audited: bool
) -> Iterator[bytes]:
    """
    Yield the blocks of a Parquet file of all lines after a place; it is complete before the first block.

    Args:
        transaction: a transaction with a single snapshot.
        filter_: the filter.
        after: the place after which to begin.
        is_audited: whether the lines have who wrote them.

    Raises:
        ImportError: the service is installed without the extra `parquet`.
    """
    lines = _read(transaction, filter_, after or LedgerPlace())
    rows = (dump_ledger_record(line, is_audited=is_audited) for line in lines)
    yield from spool_parquet(partial(write_rows, LEDGER_TYPES, rows))


def _place_after(place: LedgerPlace, line: LedgerLine) -> LedgerPlace:
    """Return the place after a line that follows a place."""
    if line.entry.position is None:
        return replace(place, waiting=line.entry.id, waiting_lines=line.number)
    return replace(place, position=line.entry.position, lines=line.number)


def _read(
    transaction: Transaction,
    filter_: JournalFilter,
    after: LedgerPlace,
    *,
    entries_at_once: int = _ENTRIES,
    newest_first: bool = False,
) -> Iterator[LedgerLine]:
    """Yield the lines after a place, in order."""
    size = min(entries_at_once, _ENTRIES)
    ids = None if filter_.player is None else read_aliases(transaction).ids_of(filter_.player)
    read = _read_newest if newest_first else _read_oldest
    for line in read(transaction, filter_, after, size):
        listed = after.lines if line.entry.position == after.position else 0
        if line.entry.id == after.waiting and line.entry.position is None:
            listed = after.waiting_lines
        if line.number > listed and (ids is None or line.payer in ids or line.payee in ids):
            yield line


def _read_oldest(
    transaction: Transaction, filter_: JournalFilter, after: LedgerPlace, size: int
) -> Iterator[LedgerLine]:
    """Yield the lines of all entries that do not come before a place, in order."""
    first = after.position
    while entries := queries.list_placed(transaction, filter_, first, size):
        yield from _lines_of(transaction, entries)
        first = (entries[-1].entry.position or 0) + 1
        if len(entries) < size:
            break
    waiting = after.waiting
    while entries := queries.list_waiting(transaction, filter_, waiting, size):
        yield from _lines_of(transaction, entries)
        waiting = UUID(int=entries[-1].entry.id.int + 1)
        if len(entries) < size:
            break


def _read_newest(
    transaction: Transaction, filter_: JournalFilter, after: LedgerPlace, size: int
) -> Iterator[LedgerLine]:
    """Yield the lines of all entries that do not come after a place, the newest entries first."""
    waiting = after.waiting
    while entries := queries.list_waiting(transaction, filter_, waiting, size, newest_first=True):
        yield from _lines_of(transaction, entries)
        waiting = UUID(int=entries[-1].entry.id.int - 1)
        if len(entries) < size:
            break
    first = after.position
    while entries := queries.list_placed(transaction, filter_, first, size, newest_first=True):
        yield from _lines_of(transaction, entries)
        first = (entries[-1].entry.position or 0) - 1
        if len(entries) < size:
            break


def _lines_of(transaction: Transaction, entries: Sequence[StoredEntry]) -> Iterator[LedgerLine]:
    """Yield the lines of entries, and read the transfers of some settlements at once."""
    block: list[StoredEntry] = []
    for each in entries:
        block.append(each)
        if sum(entry.hands for entry in block) >= _HANDS:
            yield from _lines_of_block(transaction, block)
            block = []
    yield from _lines_of_block(transaction, block)


def _lines_of_block(transaction: Transaction, block: Sequence[StoredEntry]) -> Iterator[LedgerLine]:
    settlements = [each for each in block if each.entry.kind is EntryKind.SETTLEMENT]
    transfers = iter(queries.list_transfers(transaction, settlements) if settlements else ())
    for each in block:
        lines = next(transfers) if each.entry.kind is EntryKind.SETTLEMENT else [*_settle(each)]
        yield from lines
        yield from _charge(each, len(lines) + 1)


def _settle(stored: StoredEntry) -> Iterator[LedgerLine]:
    """Yield the fewest payments of what players won as lines."""
    for number, paid in enumerate(_find_payments(stored.entry.kind, stored.counted), 1):
        yield LedgerLine(stored.entry, number, paid.payer, paid.payee, paid.amount, stored.entry.played_at)


def _find_payments(kind: EntryKind, counted: Counted) -> Sequence[Payment]:
    """Find the fewest payments of what players won; a payment is made by whom it is owed to then."""
    direction = -1 if kind is EntryKind.PAYMENT else 1
    return find_payments({account: direction * amount for account, amount in counted.won.items()}).payments


def _charge(stored: StoredEntry, first: int) -> Iterator[LedgerLine]:
    """Yield what each player owes the house by a standing charge, or the house owes the player, in numbered lines."""
    for number, (player, amount) in enumerate(_list_charged(stored.counted), first):
        payer, payee = (player, HOUSE) if amount < 0 else (HOUSE, player)
        yield LedgerLine(stored.entry, number, payer, payee, abs(amount), stored.entry.played_at)


def _list_charged(counted: Counted) -> list[tuple[str, int]]:
    """Return the players with a standing charge, and what it adds to their balances."""
    return [each for each in counted.charged.items() if each[0] != HOUSE and each[1]]
