"""Read the journal: entries in the order of their events in the tree of the club, and the transfers of settlements."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row, text

from schemas.ledger.journal import HOUSE, Amounts, Counted, EntryKind
from schemas.ledger.ledger_lines import LedgerEntry, LedgerLine
from schemas.ledger.units import table_of
from schemas.money import Unit
from schemas.settlements import SettlementState
from service.db import Transaction
from service.players.queries.aliases import read_aliases
from service.texts.queries import content_of


@dataclass(frozen=True, slots=True)
class JournalFilter:
    """
    A filter for entries; None matches any. Ends of periods are excluded.

    Attributes:
        table_name: the name of a table that is not archived.
        player: a player who has an amount in the entry, under any of their IDs.
        reference: that of a payment or charge, also of its reversal, or of the round.
    """

    opened_from: datetime | None = None
    opened_before: datetime | None = None
    posted_from: datetime | None = None
    posted_before: datetime | None = None
    table_id: UUID | None = None
    table_name: str | None = None
    round_id: UUID | None = None
    player: str | None = None
    kind: EntryKind | None = None
    unit: str | None = None
    reference: str | None = None

    def parameters(self, transaction: Transaction) -> dict[str, Any]:
        """Return the parameters of its conditions: of its player, all IDs."""
        values = {name: getattr(self, name) for name in _CONDITIONS}
        values["kind"] = self.kind and self.kind.value
        values["player"] = self.player and read_aliases(transaction).ids_of(self.player)
        return {name: value for name, value in values.items() if value is not None}


_CONDITIONS: Final = {
    "opened_from": "entry.played_at >= :opened_from",
    "opened_before": "entry.played_at < :opened_before",
    "posted_from": "entry.posted_at >= :posted_from",
    "posted_before": "entry.posted_at < :posted_before",
    "table_id": "entry.table_id = :table_id",
    "table_name": "entry.table_id IN"
    " (SELECT id FROM tables WHERE club_id = :club_id AND name = :table_name AND archived_at IS NULL)",
    "round_id": "entry.round_id = :round_id",
    "player": "entry.accounts && CAST(:player AS text[])",
    "kind": "entry.kind = :kind",
    "unit": "entry.unit = :unit",
    "reference": "(entry.reference = :reference OR entry.reverses IN"
    " (SELECT id FROM entries WHERE club_id = :club_id AND reference = :reference) OR entry.round_id IN"
    " (SELECT id FROM rounds WHERE club_id = :club_id AND reference = :reference))",
}
_PLACED: Final = """
    SELECT node.position, entry.* FROM tree_nodes AS node
    JOIN entries AS entry ON (entry.club_id, entry.id) = (node.club_id, node.event_id)
    WHERE node.club_id = :club_id AND node.level = 0 AND node.position {follows} :first {conditions}
    ORDER BY node.position {direction} LIMIT :limit
"""
_WAITING: Final = """
    SELECT CAST(NULL AS bigint) AS position, entry.* FROM waiting_events AS waiting
    JOIN entries AS entry ON (entry.club_id, entry.id) = (waiting.club_id, waiting.event_id)
    WHERE waiting.club_id = :club_id AND waiting.event_id {follows} :first {conditions}
    ORDER BY waiting.event_id {direction} LIMIT :limit
"""
# First the entries, then what is known about them: PostgreSQL cannot know how few they are.
_LISTED: Final = """
    WITH entry AS MATERIALIZED ({entries})
    SELECT entry.*, coalesce(entry.reference, reversed.reference, round.reference) AS shown_reference,
        tables.name AS table_name, event.actor, note.content AS note, coalesce(head.hands, 0) AS hands,
        entry.revision IS NULL OR head.settlement_state = '{final}' AS is_final
    FROM entry
    JOIN events AS event ON (event.club_id, event.id) = (entry.club_id, entry.id)
    LEFT JOIN tables ON (tables.club_id, tables.id) = (entry.club_id, entry.table_id)
    LEFT JOIN entries AS reversed ON (reversed.club_id, reversed.id) = (entry.club_id, entry.reverses)
    LEFT JOIN rounds AS round ON (round.club_id, round.id) = (entry.club_id, entry.round_id)
    LEFT JOIN round_heads AS head ON (head.club_id, head.round_id) = (entry.club_id, entry.round_id)
    LEFT JOIN texts AS note ON (note.club_id, note.record_id) = (entry.club_id, entry.id)
    ORDER BY entry.position {direction}, entry.id {direction}
"""
_OLDEST_FIRST: Final = {"follows": ">=", "direction": "ASC"}
_NEWEST_FIRST: Final = {"follows": "<=", "direction": "DESC"}
_SUMS: Final = """
    SELECT entry.unit, entry.unit_digits, sum(part.amount) AS amount FROM entries AS entry
    CROSS JOIN LATERAL unnest(entry.accounts, entry.amounts) AS part (account, amount)
    WHERE entry.club_id = :club_id AND part.account = ANY (CAST(:player AS text[])) {conditions}
    GROUP BY entry.unit, entry.unit_digits ORDER BY entry.unit, entry.unit_digits
"""
# A line of a settlement is a transfer or a charge. Other entries with a line are a row each, whose payments are
# computed: each of them has an account that won or lost something from others, or that owes a charge.
_LINES: Final = f"""
    SELECT entry.kind, line.accounts, line.amounts, line.charges
    FROM entries AS entry
    CROSS JOIN LATERAL (
        SELECT CAST(NULL AS text[]) AS accounts, CAST(NULL AS bigint[]) AS amounts, CAST(NULL AS bigint[]) AS charges
        FROM transfers AS paid
        WHERE entry.kind = '{EntryKind.SETTLEMENT.value}' AND (paid.club_id, paid.round_id, paid.revision)
            = (entry.club_id, entry.round_id, entry.revision) {{of_transfer}}
        UNION ALL
        SELECT NULL, NULL, NULL FROM unnest(entry.accounts, entry.charges) AS charge (account, amount)
        WHERE entry.kind = '{EntryKind.SETTLEMENT.value}' AND account <> '{HOUSE}' AND amount <> 0 {{of_account}}
        UNION ALL
        SELECT entry.accounts, entry.amounts, entry.charges
        WHERE entry.kind <> '{EntryKind.SETTLEMENT.value}' AND EXISTS (
            SELECT FROM unnest(entry.accounts, entry.amounts, entry.charges) AS part (account, amount, charge)
            WHERE (charge IS NULL OR account <> '{HOUSE}') AND (amount <> coalesce(charge, 0) OR charge <> 0)
                {{of_account}}
        )
    ) AS line
    WHERE entry.club_id = :club_id {{conditions}} LIMIT :limit
"""
_OF_TRANSFER: Final = """AND EXISTS (
    SELECT FROM round_seats AS seat
    WHERE (seat.club_id, seat.round_id, seat.revision) = (paid.club_id, paid.round_id, paid.revision)
        AND seat.seat IN (paid.payer, paid.payee) AND seat.player = ANY (CAST(:player AS text[]))
)"""
_OF_ACCOUNT: Final = "AND account = ANY (CAST(:player AS text[]))"
_TRANSFERS: Final = text("""
    SELECT wanted.place, row_number() OVER (
            PARTITION BY wanted.place ORDER BY paid.number, paid.late, paid.position
        ) AS line,
        paid.number, paid.due, paid.paid, paid.limited_by, hand.played_at,
        payer.player AS payer, payee.player AS payee, round.point_value
    FROM unnest(CAST(:round_ids AS uuid[]), CAST(:revisions AS integer[])) WITH ORDINALITY
        AS wanted (round_id, revision, place)
    JOIN rounds AS round ON (round.club_id, round.id) = (CAST(:club_id AS uuid), wanted.round_id)
    JOIN transfers AS paid ON (paid.club_id, paid.round_id, paid.revision)
        = (round.club_id, round.id, wanted.revision)
    JOIN hand_scores AS score ON (score.club_id, score.round_id, score.revision, score.number)
        = (paid.club_id, paid.round_id, paid.revision, paid.number)
    JOIN hands AS hand ON (hand.club_id, hand.id) = (score.club_id, score.hand_id)
    JOIN round_seats AS payer ON (payer.club_id, payer.round_id, payer.revision, payer.seat)
        = (paid.club_id, paid.round_id, paid.revision, paid.payer)
    JOIN round_seats AS payee ON (payee.club_id, payee.round_id, payee.revision, payee.seat)
        = (paid.club_id, paid.round_id, paid.revision, paid.payee)
    ORDER BY wanted.place, line
""")


# In a revision, what ended the one before comes before what ends this one.
_WITH_REASON: Final = f"""
    SELECT entry.id, entry.kind, entry.posted_at, entry.round_id, entry.revision, entry.unit, entry.unit_digits,
        entry.accounts, entry.amounts, entry.charges,
        {content_of("settlement.reason")} AS reason
    FROM entries AS entry
    JOIN settlements AS settlement
        ON (settlement.club_id, settlement.round_id, settlement.revision)
        = (entry.club_id, entry.round_id, entry.revision)
    WHERE entry.club_id = :club_id
"""
_OF_ROUND: Final = text(f"{_WITH_REASON} AND entry.round_id = :round_id ORDER BY entry.revision, entry.kind")
_ADJUSTMENTS: Final = text(f"""
    {_WITH_REASON} AND entry.kind = '{EntryKind.ADJUSTMENT}' AND entry.accounts && CAST(:ids AS text[])
    ORDER BY entry.id DESC LIMIT :limit
""")


@dataclass(frozen=True, slots=True)
class RoundEntry:
    """
    An entry of a round: what one of its revisions added when it was made or ended.

    Attributes:
        amounts: what it adds to each account.
        counted: the same, with what the players won and what the house charged them apart.
        reason: why the revision was made; None for the first one.
    """

    kind: EntryKind
    posted_at: datetime
    round_id: UUID
    revision: int
    unit: Unit
    amounts: Amounts
    counted: Counted
    reason: str | None


def list_of_round(transaction: Transaction, round_id: UUID) -> list[RoundEntry]:
    """List the entries of a round, in the order in which they were written."""
    parameters = {"club_id": transaction.club_id, "round_id": round_id}
    return [_load_of_round(row) for row in transaction.execute(_OF_ROUND, parameters)]


def list_adjustments(transaction: Transaction, ids: Sequence[str], limit: int) -> list[RoundEntry]:
    """List the adjustments of a player, by all their IDs, by the newest revisions of rounds, newest first."""
    parameters = {"club_id": transaction.club_id, "ids": [*ids], "limit": limit}
    return [_load_of_round(row) for row in transaction.execute(_ADJUSTMENTS, parameters)]


def _load_of_round(row: Row[Any]) -> RoundEntry:
    amounts = dict(zip(row.accounts, row.amounts, strict=True))
    kind, unit, counted = EntryKind(row.kind), Unit(row.unit, row.unit_digits), _count(row)
    return RoundEntry(kind, row.posted_at, row.round_id, row.revision, unit, amounts, counted, row.reason)


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry with its amounts, those of a standing charge apart, and the number of hands of its round."""

    entry: LedgerEntry
    counted: Counted
    round_id: UUID | None
    hands: int


def list_placed(
    transaction: Transaction, filter_: JournalFilter, first: int, limit: int, *, newest_first: bool = False
) -> list[StoredEntry]:
    """List entries from a position in the tree on, or back from it."""
    return _list(transaction, _PLACED, filter_, {"first": first, "limit": limit}, newest_first=newest_first)


def list_waiting(
    transaction: Transaction, filter_: JournalFilter, first: UUID, limit: int, *, newest_first: bool = False
) -> list[StoredEntry]:
    """List entries whose events have no position in the tree yet, from an ID on, or back from it."""
    return _list(transaction, _WAITING, filter_, {"first": first, "limit": limit}, newest_first=newest_first)


def _list(
    transaction: Transaction, query: str, filter_: JournalFilter, page: Mapping[str, Any], *, newest_first: bool
) -> list[StoredEntry]:
    of_filter = filter_.parameters(transaction)
    order = _NEWEST_FIRST if newest_first else _OLDEST_FIRST
    entries = query.format(conditions=_conditions(of_filter), **order)
    listed = text(_LISTED.format(entries=entries, final=SettlementState.FINAL.value, direction=order["direction"]))
    rows = transaction.execute(listed, {"club_id": transaction.club_id, **page, **of_filter})
    return [_load(row) for row in rows]


def _conditions(of_filter: Mapping[str, Any]) -> str:
    return "".join(f" AND {_CONDITIONS[name]}" for name in of_filter)


def sum_amounts(transaction: Transaction, filter_: JournalFilter) -> dict[Unit, int]:
    """Sum up what entries add to the balance of the player of a filter, by unit."""
    of_filter = filter_.parameters(transaction)
    query = _SUMS.format(conditions=_conditions(of_filter))
    rows = transaction.execute(text(query), {"club_id": transaction.club_id, **of_filter})
    return {Unit(row.unit, row.unit_digits): int(row.amount) for row in rows}


def list_countable(
    transaction: Transaction, filter_: JournalFilter, limit: int
) -> list[tuple[EntryKind, Counted | None]]:
    """
    List what the lines of entries are counted from, up to a limit.

    Returns:
        For each line of a settlement its kind and None, and for each other entry with a line its kind and its
        amounts.
    """
    of_filter = filter_.parameters(transaction)
    of_player = {"of_transfer": _OF_TRANSFER, "of_account": _OF_ACCOUNT} if "player" in of_filter else {}
    parts = {"of_transfer": "", "of_account": "", **of_player, "conditions": _conditions(of_filter)}
    rows = transaction.execute(
        text(_LINES.format(**parts)), {"club_id": transaction.club_id, "limit": limit, **of_filter}
    )
    return [(EntryKind(row.kind), None if row.accounts is None else _count(row)) for row in rows]


def _load(row: Row[Any]) -> StoredEntry:
    entry = LedgerEntry(
        id=row.id,
        position=row.position,
        kind=EntryKind(row.kind),
        posted_at=row.posted_at,
        played_at=row.played_at,
        table=None if row.table_id is None else str(row.table_id),
        table_name=row.table_name,
        round=None if row.round_id is None else str(row.round_id),
        reference=row.shown_reference,
        revision=row.revision,
        previous_revision=row.previous_revision,
        unit=Unit(row.unit, row.unit_digits),
        actor=row.actor,
        note=row.note,
        reverses=row.reverses,
        is_final=row.is_final,
    )
    return StoredEntry(entry, _count(row), row.round_id, row.hands)


def _count(row: Row[Any]) -> Counted:
    """Return the amounts of an entry, of which those of a standing charge are apart."""
    if row.charges is None:
        return Counted(dict(zip(row.accounts, row.amounts, strict=True)))
    charged = dict(zip(row.accounts, row.charges, strict=True))
    won = {account: amount - charged[account] for account, amount in zip(row.accounts, row.amounts, strict=True)}
    won.pop(HOUSE, None)
    return Counted(won, charged)


def list_transfers(transaction: Transaction, settlements: Sequence[StoredEntry]) -> list[list[LedgerLine]]:
    """List the transfers of settlements as lines, in the order of payment: a list for each settlement."""
    parameters = {
        "club_id": transaction.club_id,
        "round_ids": [each.round_id for each in settlements],
        "revisions": [each.entry.revision for each in settlements],
    }
    lines: list[list[LedgerLine]] = [[] for _ in settlements]
    for paid in transaction.execute(_TRANSFERS, parameters):
        entry = settlements[paid.place - 1].entry
        lines[paid.place - 1].append(
            LedgerLine(
                entry=entry,
                number=paid.line,
                payer=paid.payer,
                payee=paid.payee,
                amount=paid.paid * (paid.point_value if table_of(entry.unit.code) is None else 1),
                played_at=paid.played_at or entry.played_at,
                hand=paid.number,
                due=paid.due,
                paid=paid.paid,
                limited_by=paid.limited_by,
            )
        )
    return lines
