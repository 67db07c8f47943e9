"""What a club has already of what an import brings."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from scoring.ruleset import Ruleset
from service.database import Transaction
from service.repository import known_rounds, rulesets, tables
from service.repository.stored_round import StoredRound
from service.repository.tables import StoredTable
from service.usecases.read_lines import Identity, ReadLine


@dataclass(frozen=True, slots=True)
class Recorded:
    """A round that is recorded; a new one by the same import, and it may not be written yet."""

    id: UUID
    digest: bytes
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """
    What there is, by name or identity; the import adds to it as it goes on.

    Attributes:
        tables: by name.
        recorded: rounds that lines may repeat.
        open_at: the tables that have an open round.
        rulesets: the digest of the rules under each name and version.
        in_use: rulesets by name and version.
        new_rulesets: those of them that may not be written yet.
        new_tables: those that are not written yet.
    """

    tables: dict[str, StoredTable]
    recorded: dict[Identity, Recorded]
    open_at: set[UUID]
    rulesets: Mapping[tuple[str, int], bytes]
    in_use: dict[str, Ruleset] = field(default_factory=dict)
    new_rulesets: list[Ruleset] = field(default_factory=list)
    new_tables: list[StoredTable] = field(default_factory=list)

    def add(self, table: StoredTable, identity: Identity, stored: StoredRound) -> None:
        """Add a round that was played, and its table where it is the first there."""
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

    def take_unwritten(self) -> tuple[list[Ruleset], list[StoredTable]]:
        """Give what is to be written before the rounds that refer to it; it counts as written then."""
        taken = sorted(self.new_rulesets, key=str), list(self.new_tables)
        self.new_rulesets.clear()
        self.new_tables.clear()
        return taken

    def has_other(self, ruleset: Ruleset) -> bool:
        """Say whether the name and version belong to other rules."""
        if self.in_use.get(str(ruleset)) == ruleset:
            return False
        stored = self.rulesets.get((ruleset.name, ruleset.version))
        return stored is not None and stored != rulesets.digest_ruleset(ruleset)


def look_up(transaction: Transaction, lines: Sequence[ReadLine]) -> Known:
    """
    Find what there is of what lines bring, and keep others from adding to it until the transaction ends.

    Imports hold many locks at once. All take the one on making tables first, where they make any, then those of the
    tables, in one order: so nobody waits for somebody who waits for him.
    """
    names = {line.head.table for line in lines}
    if len(tables.list_named(transaction, names)) < len(names):
        tables.lock_making(transaction)
    tables.lock_all(transaction, names)
    found = {table.name: table for table in tables.list_named(transaction, names)}
    name_of = {table.id: table.name for table in found.values()}
    return Known(
        tables=found,
        recorded=_list_recorded(transaction, found, name_of, lines),
        open_at=known_rounds.list_tables_with_open_round(transaction, name_of),
        rulesets=rulesets.list_digests(transaction),
    )


def _list_recorded(
    transaction: Transaction, found: Mapping[str, StoredTable], name_of: Mapping[UUID, str], lines: Iterable[ReadLine]
) -> dict[Identity, Recorded]:
    at_table = [(found[line.head.table].id, line) for line in lines if line.head.table in found]
    by_reference = [(table_id, line.head.reference) for table_id, line in at_table if line.head.reference]
    by_digest = [(table_id, line.digest) for table_id, line in at_table if not line.head.reference]
    recorded: dict[Identity, Recorded] = {}
    for (table_id, reference), (round_id, digest) in known_rounds.list_by_reference(transaction, by_reference).items():
        recorded[name_of[table_id], reference] = Recorded(round_id, digest)
    for (table_id, digest), round_id in known_rounds.list_by_digest(transaction, by_digest).items():
        recorded[name_of[table_id], digest] = Recorded(round_id, digest)
    return recorded
