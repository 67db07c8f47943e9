"""All that is kept of a club, in pages small enough to be held, for who holds it against the club's events."""

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import psycopg
from psycopg.types.datetime import TimestamptzLoader
from sqlalchemy import text

from service.db import Transaction
from service.recomputations.packed.rows import split_rows

Row = Mapping[str, Any]

FIRST: Final = UUID(int=0)
LAST: Final = UUID(int=2**128 - 1)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Ids after one, up to another, which is among them; or only some of these."""

    after: UUID
    upto: UUID
    only: tuple[UUID, ...] | None = None

    @classmethod
    def of(cls, ids: Sequence[UUID]) -> "Stretch":
        """Only these ids, which rise."""
        return cls(UUID(int=ids[0].int - 1), ids[-1], tuple(ids))

    @property
    def is_last(self) -> bool:
        """Whether nothing can come after it."""
        return self.upto == LAST


_UPTO: Final = {
    "rounds": text("""
        SELECT id FROM rounds WHERE club_id = :club_id AND id > :after ORDER BY id OFFSET :most LIMIT 1
    """),
    "round heads": text("""
        SELECT round_id FROM round_heads WHERE club_id = :club_id AND round_id > :after
        ORDER BY round_id OFFSET :most LIMIT 1
    """),
    "loose events": text("""
        SELECT id FROM events WHERE club_id = :club_id AND round_id IS NULL AND id > :after
        ORDER BY id OFFSET :most LIMIT 1
    """),
}
_EVENTS: Final = """
    SELECT club_id::text, id::text, coalesce(round_id::text, ''), coalesce(sequence::text, ''), coalesce(kind, ''),
        coalesce(actor::text, ''), coalesce(request_id, ''),
        coalesce(to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), ''),
        coalesce(heading, ''), coalesce(content, ''), coalesce(hash, '')
    FROM events WHERE club_id = %(club_id)s
"""
_IN_ROUNDS: Final = f"""{_EVENTS} AND round_id > %(after)s AND round_id <= %(upto)s
    AND (CAST(%(only)s AS uuid[]) IS NULL OR round_id = ANY (%(only)s))
    ORDER BY round_id, sequence, id"""
_LOOSE: Final = f"{_EVENTS} AND round_id IS NULL AND id > %(after)s AND id <= %(upto)s ORDER BY id"
_WANTED: Final = "{0} > :after AND {0} <= :upto AND (CAST(:only AS uuid[]) IS NULL OR {0} = ANY (:only))"
_HEADS: Final = text(f"""
    SELECT round_id, coalesce(version, 0) AS version, coalesce(last_event, '') AS last_event FROM round_heads
    WHERE club_id = :club_id AND {_WANTED.format("round_id")} ORDER BY round_id
""")
# Where a time is none, the event is named for it; what the event made is told of another one.
_AT: Final = "CASE WHEN at BETWEEN '0002-01-01 00:00Z' AND '9998-01-01 00:00Z' THEN at ELSE to_timestamp(0) END AS at"
_TOLD: Final = text(f"""
    SELECT round_id, sequence, kind, {_AT}, content, hash FROM events
    WHERE club_id = :club_id AND {_WANTED.format("round_id")} ORDER BY round_id, sequence, id
""")
_TOLD_LOOSE: Final = text(f"""
    SELECT id, kind, {_AT}, content FROM events
    WHERE club_id = :club_id AND round_id IS NULL AND (CAST(:kind AS text) IS NULL OR kind = :kind) ORDER BY id
""")
_IN_STRETCH: Final = "SELECT * FROM {} WHERE club_id = :club_id AND {}"
_OF_DISPUTES: Final = text(f"""
    SELECT head.* FROM dispute_heads AS head
    JOIN disputes AS dispute ON (dispute.club_id, dispute.id) = (head.club_id, head.dispute_id)
    WHERE head.club_id = :club_id AND {_WANTED.format("dispute.round_id")}
""")
# Of the bytes that came in the digest is enough, and PostgreSQL takes it where they are.
_SUBMISSIONS: Final = text("""
    SELECT id, kind, sha256(content) AS content, sha256, received_at FROM submissions
    WHERE club_id = :club_id AND id = ANY (:ids)
""")
_NOBODYS: Final = {
    "submissions": text("""
        SELECT id FROM submissions AS came_in WHERE club_id = :club_id
            AND NOT EXISTS (SELECT FROM hands WHERE club_id = :club_id AND submission_id = came_in.id)
            AND NOT EXISTS (SELECT FROM corrections WHERE club_id = :club_id AND submission_id = came_in.id)
            -- A document without a hand is named by the opening of its round alone.
            AND NOT EXISTS (
                SELECT FROM rounds AS round
                JOIN events AS event ON (event.club_id, event.round_id, event.sequence) = (round.club_id, round.id, 1)
                WHERE round.club_id = :club_id AND round.recorded_at = came_in.received_at
                    AND (position(convert_to(came_in.id::text, 'UTF8') IN event.content) > 0
                        -- Events did not name it from the first.
                        OR position('"submission"'::bytea IN event.content) = 0)
            )
        ORDER BY id
    """),
    **{
        table: text(f"SELECT id FROM {table} WHERE club_id = :club_id AND round_id IS NULL ORDER BY id")
        for table in ("hands", "disputes")
    },
    "dispute_entries": text("""
        SELECT dispute_id FROM dispute_entries WHERE club_id = :club_id AND round_id IS NULL ORDER BY dispute_id
    """),
    "dispute_heads": text("""
        SELECT dispute_id FROM dispute_heads AS head WHERE club_id = :club_id
            AND NOT EXISTS (SELECT FROM disputes WHERE club_id = :club_id AND id = head.dispute_id)
        ORDER BY dispute_id
    """),
}
_IN_CLUB: Final = {
    "clubs": text("SELECT * FROM clubs WHERE id = :club_id"),
    **{
        table: text(f"SELECT * FROM {table} WHERE club_id = :club_id")
        for table in ("api_keys", "revoked_links", "rulesets", "tables")
    },
}
_OF_ROUNDS: Final = {
    table: text(_IN_STRETCH.format(table, _WANTED.format(key)))
    for table, key in {
        "rounds": "id",
        **dict.fromkeys(
            (
                "settlements",
                "round_seats",
                "departures",
                "closings",
                "hands",
                "corrections",
                "confirmations",
                "hand_scores",
                "payouts",
                "transfers",
                "adjustments",
                "disputes",
                "dispute_entries",
                "round_heads",
            ),
            "round_id",
        ),
    }.items()
} | {"dispute_heads": _OF_DISPUTES}
OF_ROUNDS: Final = tuple(_OF_ROUNDS)
"""The tables whose records belong to rounds."""
OF_CLUBS: Final = tuple(_IN_CLUB)
"""The tables whose records belong to no round."""

_TAKING_TIME: Final = text("""
    SELECT set_config(name, '0', true) FROM unnest(ARRAY[
        'statement_timeout', 'idle_in_transaction_session_timeout',
        'max_parallel_workers_per_gather', 'effective_io_concurrency'
    ]) AS name
""")
_FIELDS: Final = 11
_LENGTH: Final = struct.Struct(">i").unpack_from


def take_time(transaction: Transaction) -> None:
    """
    Let statements take as long as they do, for some look at all of a club, and the playing between them too.

    Each is left to one process of PostgreSQL, which reads for itself: others look at other pages meanwhile, and what
    lies together is read together.
    """
    transaction.execute(_TAKING_TIME)


def read_any_time(transaction: Transaction) -> None:
    """Let records be read whose times no calendar of ours has: `infinity`, say, which somebody has put there."""
    driver: Any = transaction.connection.connection.driver_connection
    driver.adapters.register_loader("timestamptz", _AnyTimeLoader)


class _AnyTimeLoader(TimestamptzLoader):
    """Gives what is no time of ours as a text."""

    def load(self, data: Any) -> Any:
        try:
            return super().load(data)
        except psycopg.DataError:
            return bytes(data).decode()


def find_stretch(transaction: Transaction, what: str, after: UUID, most: int) -> Stretch:
    """Find where a page ends that begins after an id and has as many as said, or a few more."""
    parameters = {"club_id": transaction.club_id, "after": after, "most": most - 1}
    return Stretch(after, transaction.execute(_UPTO[what], parameters).scalar_one_or_none() or LAST)


def read_events(transaction: Transaction, stretch: Stretch, *, loose: bool) -> Iterator[list[bytes]]:
    """
    Read events, each column as the bytes that belong into an event: those of rounds in order, or those of none.

    Gives the columns up to the time, and then heading, content and hash.
    """
    parameters = in_stretch(transaction, stretch)
    for row in split_rows(transaction.copy_out(_LOOSE if loose else _IN_ROUNDS, parameters)):
        place, fields = 2, []
        for _ in range(_FIELDS):
            first = place + 4
            place = first + _LENGTH(row, place)[0]
            fields.append(row[first:place])
        yield fields


def read_heads(transaction: Transaction, stretch: Stretch) -> dict[str, tuple[int, bytes]]:
    """Read the version of each round, and the hash of its last event."""
    found = transaction.execute(_HEADS, in_stretch(transaction, stretch))
    return {str(head.round_id): (head.version, head.last_event) for head in found}


def list_told(transaction: Transaction, stretch: Stretch) -> Sequence[Any]:
    """List what the events of some rounds say, in order."""
    return transaction.execute(_TOLD, in_stretch(transaction, stretch)).all()


def list_told_outside_rounds(transaction: Transaction, kind: str | None = None) -> Iterator[Any]:
    """List what those events of a club say that belong to no round; all, or of one kind."""
    yield from transaction.execute(_TOLD_LOOSE, {"club_id": transaction.club_id, "kind": kind})


def list_of_rounds(transaction: Transaction, table: str, stretch: Stretch) -> list[Row]:
    """List all records of a table that belong to rounds of a stretch."""
    return [*transaction.execute(_OF_ROUNDS[table], in_stretch(transaction, stretch)).mappings()]


def list_of_club(transaction: Transaction, table: str) -> list[Row]:
    """List all records of a table that belongs to no round."""
    return [*transaction.execute(_IN_CLUB[table], {"club_id": transaction.club_id}).mappings()]


def list_submissions(transaction: Transaction, ids: Sequence[UUID]) -> list[Row]:
    """List some of what came in; in place of the content its SHA-256."""
    found = transaction.execute(_SUBMISSIONS, {"club_id": transaction.club_id, "ids": list(ids)})
    return [*found.mappings()]


def list_nobodys(transaction: Transaction) -> Iterator[tuple[str, str, UUID]]:
    """List records of a table, with the column of its key, that no other record leads to."""
    for table, query in _NOBODYS.items():
        found = transaction.execute(query, {"club_id": transaction.club_id})
        [column] = found.keys()
        for id_ in found.scalars():
            yield table, column, id_


def count_events(transaction: Transaction) -> int:
    """Count the events of a club."""
    counting = text("SELECT count(*) FROM events WHERE club_id = :club_id")
    found: int = transaction.execute(counting, {"club_id": transaction.club_id}).scalar_one()
    return found


def list_clubs(transaction: Transaction, tables: Sequence[str] = ()) -> list[UUID]:
    """List every club that the login sees records of, in some tables or in all, in order."""
    sought = [_DISTINCT.format(table, _CLUB_COLUMN.get(table, "club_id")) for table in tables or NAMING_CLUBS]
    found = transaction.execute(text(f"{' UNION '.join(sought)} ORDER BY 1"))
    return [*found.scalars()]


def is_there(transaction: Transaction) -> bool:
    """Say whether the club has its record."""
    return bool(list_of_club(transaction, "clubs"))


NAMING_CLUBS: Final = (
    *OF_CLUBS,
    *OF_ROUNDS,
    "submissions",
    "events",
    "waiting_events",
    "tree_nodes",
    "tree_heads",
    "round_map_tiles",
    "checkpoints",
)
"""The tables whose records name a club."""
_CLUB_COLUMN: Final = {"clubs": "id"}
# From club to club by an index, however many records each has.
_DISTINCT: Final = """
    (WITH RECURSIVE club (id) AS (
        (SELECT {1} FROM {0} ORDER BY {1} LIMIT 1)
        UNION ALL
        SELECT (SELECT {1} FROM {0} WHERE {0}.{1} > club.id ORDER BY {1} LIMIT 1) FROM club
        WHERE club.id IS NOT NULL
    ) SELECT id FROM club WHERE id IS NOT NULL)
"""


def in_stretch(transaction: Transaction, stretch: Stretch) -> dict[str, Any]:
    """Say, as parameters of a query, whose records and of which ids."""
    only = None if stretch.only is None else list(stretch.only)
    return {"club_id": transaction.club_id, "after": stretch.after, "upto": stretch.upto, "only": only}
