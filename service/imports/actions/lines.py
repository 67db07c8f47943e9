"""Parse the lines of an import, find those already recorded, and settle their rounds many at once."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from itertools import compress
from math import ceil
from typing import Final
from uuid import UUID

import numpy as np

from schemas.base import WireError
from schemas.documents import RoundDocument, identify, read_document, with_digits
from schemas.money import are_exact
from schemas.strict_json import read_json
from scoring.bulk.round_states import OPEN
from scoring.bulk.rounds import BulkRounds
from scoring.bulk.settle import settle_rounds
from scoring.bulk.transfers import LIMITS
from scoring.deal import find_deal_mistakes
from scoring.round import open_round
from scoring.round_state import Round
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.errors import RulesetUnknown
from service.imports import queries as imports
from service.replays.packed.rounds import Figures, pairs_of
from service.rounds.actions.documents import find_document_mistakes
from service.rounds.models import TRANSFER_FIELDS
from service.rounds.queries import rounds
from service.rounds.queries.stored_round import HandFigures, StoredRound
from service.rulesets import queries as rulesets
from service.rulesets.actions import ruleset_named
from service.tables import queries as tables
from service.tables.queries import StoredTable
from service.units.actions import get_unit

Identity = tuple[str, str | bytes]
"""The identity of a round: its table's name, and its reference or, without one, the digest of its content."""


@dataclass(frozen=True)
class ReadLine:
    """
    A valid line.

    Attributes:
        number: the number of the line.
        received: its bytes.
        document: the document, with the version of its ruleset.
        ruleset: the ruleset.
    """

    number: int
    received: bytes
    document: RoundDocument
    ruleset: Ruleset

    @cached_property
    def digest(self) -> bytes:
        """The digest that identifies the document."""
        return identify(self.document)

    @property
    def identity(self) -> Identity:
        """The identity of the round."""
        return self.document.table, self.document.reference or self.digest


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line that is not a valid document, and the error."""

    number: int
    error: WireError | RulesetUnknown


def read_lines(transaction: Transaction, lines: Iterable[tuple[int, bytes]]) -> Iterator[ReadLine | UnreadLine]:
    """Parse lines, each with its number."""
    # Many lines name few rulesets and units, which do not change. Exceptions are not cached.
    find_ruleset = cache(partial(ruleset_named, transaction))
    find_unit = cache(partial(get_unit, transaction))
    for number, received in lines:
        try:
            document = read_document(received)
            ruleset = find_ruleset(document.ruleset)
            document = with_digits(document, None if document.unit is None else find_unit(document.unit))
        except WireError as error:
            yield UnreadLine(number, _with_more(error, received, find_ruleset))
            continue
        except RulesetUnknown as error:
            yield UnreadLine(number, error)
            continue
        yield ReadLine(number, received, replace(document, ruleset=str(ruleset)), ruleset)


def _with_more(error: WireError, line: bytes, find_ruleset: Callable[[str], Ruleset]) -> WireError:
    """Return the error with the further mistakes of its document; the same error if the line is not JSON."""
    try:
        received = read_json(line)
    except WireError:
        return error
    return error.with_more(find_document_mistakes(find_ruleset, received), received)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded round. One that the same import added (`is_new`) may not be written yet."""

    id: UUID
    digest: bytes
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """
    The club's tables, rounds and rulesets that the lines use; the import adds to them.

    Attributes:
        tables: the tables by name.
        recorded: the rounds that lines may repeat, by identity.
        former: the rounds that lines may repeat at tables that once had the name of the line's table, by identity.
        open_at: the ids of tables that have an open round.
        sequences: the number of the next round at each table; 1 if not listed.
        rulesets: the digest of the rules of each stored name and version.
        in_use: the rulesets that imported rounds use, by name and version.
        new_rulesets: the rulesets in use that may not be written yet.
        new_tables: the tables that are not written yet.
    """

    tables: dict[str, StoredTable]
    recorded: dict[Identity, Recorded]
    former: Mapping[Identity, Sequence[Recorded]]
    open_at: set[UUID]
    sequences: dict[UUID, int]
    rulesets: Mapping[tuple[str, int], bytes]
    in_use: dict[str, Ruleset] = field(default_factory=dict)
    new_rulesets: list[Ruleset] = field(default_factory=list)
    new_tables: list[StoredTable] = field(default_factory=list)

    def add(self, table: StoredTable, identity: Identity, stored: StoredRound) -> None:
        """Add an imported round, its ruleset, and its table if it is new."""
        self.recorded[identity] = Recorded(stored.id, stored.digest, is_new=True)
        ruleset = stored.round.ruleset
        if str(ruleset) not in self.in_use:
            self.in_use[str(ruleset)] = ruleset
            self.new_rulesets.append(ruleset)
        if table.name not in self.tables:
            self.tables[table.name] = table
            self.new_tables.append(table)
        if stored.round.is_open:
            self.open_at.add(table.id)
        self.sequences[table.id] = stored.table_sequence + 1

    def next_sequence(self, table_id: UUID) -> int:
        """Return the number of the next round at a table."""
        return self.sequences.get(table_id, 1)

    def take_unwritten(self) -> tuple[list[Ruleset], list[StoredTable]]:
        """Return the rulesets and tables that must be written before the rounds, and mark them as written."""
        taken = sorted(self.new_rulesets, key=str), list(self.new_tables)
        self.new_rulesets.clear()
        self.new_tables.clear()
        return taken

    def has_other(self, ruleset: Ruleset) -> bool:
        """Return whether the club has stored other rules under the name and version of a ruleset."""
        if self.in_use.get(str(ruleset)) == ruleset:
            return False
        stored = self.rulesets.get((ruleset.name, ruleset.version))
        return stored is not None and stored != rulesets.digest_ruleset(ruleset)


def find_known(transaction: Transaction, lines: Sequence[ReadLine]) -> Known:
    """
    Lock the tables of the lines until the transaction ends, and find which rounds and rulesets are stored.

    Imports hold many locks at once. Each takes the lock for new tables first, if it needs it, then those of the names
    and those of its tables, each in one order, so that imports cannot deadlock.
    """
    names = {line.document.table for line in lines}
    if len(tables.list_named(transaction, names)) < len(names):
        tables.lock_making(transaction)
    tables.lock_all(transaction, names)
    tables_by_name = {table.name: table for table in tables.list_named(transaction, names, for_update=True)}
    ids = {name: [table.id] for name, table in tables_by_name.items()}
    table_ids = [table.id for table in tables_by_name.values()]
    return Known(
        tables=tables_by_name,
        recorded={identity: first for identity, [first] in _list_recorded(transaction, ids, lines).items()},
        former=_list_recorded(transaction, tables.list_formerly_named(transaction, names), lines),
        open_at=imports.list_tables_with_open_round(transaction, table_ids),
        sequences=rounds.next_sequences(transaction, table_ids),
        rulesets=rulesets.list_digests(transaction),
    )


def _list_recorded(
    transaction: Transaction, table_ids: Mapping[str, Sequence[UUID]], lines: Iterable[ReadLine]
) -> dict[Identity, list[Recorded]]:
    """List the rounds that lines may repeat, by identity: at most one at each of the tables of a name."""
    if not table_ids:
        return {}
    places = {(each, line.identity): line for line in lines for each in table_ids.get(line.document.table, ())}
    references = [(each, line.document.reference) for (each, _), line in places.items() if line.document.reference]
    digests = [(each, line.digest) for (each, _), line in places.items() if not line.document.reference]
    by_reference = imports.list_rounds_by_reference(transaction, references)
    by_digest = imports.list_rounds_by_digest(transaction, digests)
    recorded: defaultdict[Identity, list[Recorded]] = defaultdict(list)
    for (table_id, identity), line in places.items():
        reference = line.document.reference
        if reference and (table_id, reference) in by_reference:
            recorded[identity].append(Recorded(*by_reference[table_id, reference]))
        elif not reference and (table_id, line.digest) in by_digest:
            recorded[identity].append(Recorded(by_digest[table_id, line.digest], line.digest))
    return dict(recorded)


FEWEST: Final = 8
"""The fewest rounds with the same ruleset and number of seats that are settled faster together than one by one."""
MOST: Final = 150
"""The most rounds settled together. PostgreSQL is idle until the first are settled, and larger groups gain little."""

_LISTS: Final = HandFigures._fields[:-2]
_OF_PLAYERS: Final = _LISTS.index("exchanges")
"""The number of these lists that have a value for every player dealt in; those of pairs come next."""
_OF_PAIRS: Final = slice(_OF_PLAYERS, _LISTS.index("top_ups"))
_DUE: Final = TRANSFER_FIELDS.index("due")


@dataclass(frozen=True, slots=True)
class SettledRound:
    """A round before its first hand, the figures of its hands, and the round after them."""

    opened: Round
    hands: Sequence[HandFigures]
    after: Round


class SettledLines:
    """
    Bulk settlements of the usual rounds among the lines; a group is settled when one of its rounds is needed.

    Rounds with departures, a closing or irregular hands, open rounds and invalid rounds are not included: they are
    replayed one by one, which explains the errors.
    """

    def __init__(self, lines: Iterable[ReadLine]) -> None:
        groups: defaultdict[tuple[str, int], list[ReadLine]] = defaultdict(list)
        for line in lines:
            if _may_be_usual(line.document):
                groups[line.document.ruleset, len(line.document.seats)].append(line)
        self._settled: dict[int, SettledRound] = {}
        self._waiting = {
            line.number: part
            for group in groups.values()
            if len(group) >= FEWEST
            for part in _cut(group)
            for line in part
        }

    def find(self, number: int) -> SettledRound | None:
        """Find the settlement of a line's round, by the line's number."""
        part = self._waiting.get(number, ())
        for line in part:
            del self._waiting[line.number]
        self._settled.update(_settle([line for line in part if _is_usual(line)]))
        return self._settled.pop(number, None)


def _may_be_usual(document: RoundDocument) -> bool:
    return not (document.departures or document.closed or document.irregular or document.expected is not None)


def _cut(lines: Sequence[ReadLine]) -> Iterator[Sequence[ReadLine]]:
    """Split lines into parts of similar size."""
    size = ceil(len(lines) / ceil(len(lines) / MOST))
    return (lines[start : start + size] for start in range(0, len(lines), size))


def _is_usual(line: ReadLine) -> bool:
    """Return whether the discards and streets have no mistakes; the bulk settlement does not check them."""
    hands = [submitted.hand for submitted in line.document.hands]
    return not any(hand.knows_more and find_deal_mistakes(hand.players, line.ruleset) for hand in hands)


def _settle(lines: Sequence[ReadLine]) -> Iterator[tuple[int, SettledRound]]:
    """Settle rounds with the same ruleset and number of seats together."""
    if not lines:
        return
    ruleset = lines[0].ruleset
    rounds = BulkRounds.of([line.document.history(ruleset) for line in lines])
    settlement = settle_rounds(ruleset, rounds)
    hands = _hand_figures(rounds, Figures.of(rounds, settlement))
    status = settlement.expected.status[settlement.final]
    starts = rounds.starts.tolist()
    for place in np.flatnonzero(~settlement.refused & (status != OPEN)).tolist():
        line = lines[place]
        opened = open_round(ruleset, line.document.seats)
        played = hands[starts[place] : starts[place] + len(line.document.hands)]
        after = settlement.end_of(place, opened)
        if are_exact(after, line.document.point_value):
            yield line.number, SettledRound(opened, played, after)


def _hand_figures(rounds: BulkRounds, figures: Figures) -> list[HandFigures]:
    """Convert the arrays to figures of single hands, without the players who were not dealt in."""
    columns = [getattr(figures, name).tolist() for name in _LISTS]
    hands = []
    for dealt, paid, *lists in zip(rounds.dealt.tolist(), figures.transfers.tolist(), *columns, strict=True):
        if not all(dealt):
            lists[:_OF_PLAYERS] = [list(compress(each, dealt)) for each in lists[:_OF_PLAYERS]]
            lists[_OF_PAIRS] = [each[: pairs_of(sum(dealt))] for each in lists[_OF_PAIRS]]
        transfers = [dict(zip(TRANSFER_FIELDS, row, strict=True)) for row in paid if row[_DUE]]
        for transfer in transfers:
            transfer["limited_by"] = LIMITS[transfer["limited_by"]]
        hands.append(HandFigures._make([*lists, transfers, None]))
    return hands
