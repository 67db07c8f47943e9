"""The stored records of a club, read in pages for verification."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple
from uuid import UUID

import orjson
import psycopg
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Loader
from psycopg.types.json import set_json_loads
from sqlalchemy import TextClause, text

from evidence import EvidenceError
from evidence.events import EventKind, PlayerErased, TextsErased, decode_event
from service.db import Transaction
from service.db.arrays import read_arrays
from service.replays.stretches import Stretch
from service.rounds.models import HandScoreRecord, PayoutRecord, list_columns

Row = Mapping[str, Any]

_EVENTS: Final = """
    SELECT club_id::text, id::text, round_id::text, sequence::text, kind, actor::text, request_id,
        to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), heading, content, hash
    FROM events WHERE club_id = %(club_id)s
"""
_IN_ROUNDS: Final = f"""{_EVENTS} AND round_id > %(after)s AND round_id <= %(upto)s
    AND (CAST(%(only)s AS uuid[]) IS NULL OR round_id = ANY (%(only)s))
    ORDER BY events.round_id, events.sequence, events.id"""
_LOOSE: Final = f"{_EVENTS} AND round_id IS NULL AND id > %(after)s AND id <= %(upto)s ORDER BY events.id"
_WANTED: Final = "{0} > :after AND {0} <= :upto AND (CAST(:only AS uuid[]) IS NULL OR {0} = ANY (:only))"
_HEADS: Final = text(f"""
    SELECT round_id, coalesce(version, 0) AS version, coalesce(last_event, '') AS last_event FROM round_heads
    WHERE club_id = :club_id AND {_WANTED.format("round_id")} ORDER BY round_id
""")
# A time outside of Python's calendar is a finding of its event; what the event made gets another one.
_AT: Final = "CASE WHEN at BETWEEN '0002-01-01 00:00Z' AND '9998-01-01 00:00Z' THEN at ELSE to_timestamp(0) END AS at"
_LOOSE_EVENTS: Final = text(f"""
    SELECT id, kind, actor, {_AT}, content FROM events
    WHERE club_id = :club_id AND round_id IS NULL AND kind IS DISTINCT FROM '{EventKind.CHECKPOINT_SEALED}'
        AND (CAST(:kind AS text) IS NULL OR kind = :kind) ORDER BY id
""")
_IN_STRETCH: Final = "SELECT * FROM {} WHERE club_id = :club_id AND {}"
_RESULTS_IN_STRETCH: Final = "SELECT {} FROM {} AS found WHERE club_id = :club_id AND {}"
_OF_DISPUTES: Final = text(f"""
    SELECT head.* FROM dispute_heads AS head
    JOIN disputes AS dispute ON (dispute.club_id, dispute.id) = (head.club_id, head.dispute_id)
    WHERE head.club_id = :club_id AND {_WANTED.format("dispute.round_id")}
""")
# PostgreSQL computes the digest, so that the content is not sent.
_SUBMISSIONS: Final = text("""
    SELECT id, kind, sha256(content) AS content, sha256, text, received_at FROM submissions
    WHERE club_id = :club_id AND id = ANY (:ids)
""")
_ORPHANS: Final = {
    "submissions": text("""
        SELECT id FROM submissions AS came_in WHERE club_id = :club_id
            AND id NOT IN (SELECT submission_id FROM hands WHERE club_id = :club_id)
            AND id NOT IN (SELECT submission_id FROM corrections WHERE club_id = :club_id)
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
        for table in (
            "acknowledged_findings",
            "aliases",
            "api_keys",
            "links",
            "players",
            "rulesets",
            "units",
            "tables",
            "proposals",
            "proposal_ends",
        )
    },
    **{
        table: text(f"SELECT * FROM {table} WHERE club_id = :club_id")
        for table in ("payment_claims", "payment_claim_outcomes")
    },
    # The metadata of rounds and hands belong to no event of a round.
    "texts": text("SELECT * FROM texts WHERE club_id = :club_id AND (round_id IS NULL OR field = 'metadata')"),
    # The others are of rounds: each entry is read once.
    "entries": text("SELECT * FROM entries WHERE club_id = :club_id AND (revision IS NULL OR round_id IS NULL)"),
}
_OF_ROUNDS: Final = {
    "rounds": text(_IN_STRETCH.format("rounds", _WANTED.format("id"))),
    **{
        table: text(_IN_STRETCH.format(table, _WANTED.format("round_id")))
        for table in (
            "settlements",
            "round_seats",
            "departures",
            "closings",
            "hands",
            "corrections",
            "confirmations",
            "adjustments",
            "disputes",
            "dispute_entries",
            "round_heads",
        )
    },
    "hand_scores": text(
        _RESULTS_IN_STRETCH.format(list_columns(HandScoreRecord, "found"), "hand_scores", "round_id = ANY (:round_ids)")
    ),
    "payouts": text(
        _RESULTS_IN_STRETCH.format(list_columns(PayoutRecord, "found"), "payouts", _WANTED.format("round_id"))
    ),
    "dispute_heads": _OF_DISPUTES,
    "texts": text(_IN_STRETCH.format("texts", f"field <> 'metadata' AND {_WANTED.format('round_id')}")),
    "entries": text(f"{_IN_STRETCH.format('entries', _WANTED.format('round_id'))} AND revision IS NOT NULL"),
}
_SCORED_HANDS: Final = text(
    _RESULTS_IN_STRETCH.format(
        "round_id, revision, number, hand_id, ruleset_name, ruleset_version, scorer_version, irregular",
        "hand_scores",
        _WANTED.format("round_id"),
    )
)
_REVISED: Final = text(f"""
    SELECT DISTINCT round_id FROM hand_scores
    WHERE club_id = :club_id AND revision <> 1 AND {_WANTED.format("round_id")}
""")
OF_ROUNDS: Final = tuple(_OF_ROUNDS)
"""The tables with records that belong to rounds."""
OF_CLUBS: Final = tuple(_IN_CLUB)
"""The tables with records that belong to no round; those of payments are entries of the journal too."""

_ROUNDS_OF_HANDS: Final = text("""
    SELECT DISTINCT round_id FROM hand_scores WHERE club_id = :club_id AND hand_id = ANY (CAST(:ids AS uuid[]))
""")
_WITHOUT_LIMITS: Final = text("""
    SELECT set_config(name, '0', true) FROM unnest(ARRAY[
        'statement_timeout', 'idle_in_transaction_session_timeout',
        'max_parallel_workers_per_gather', 'effective_io_concurrency'
    ]) AS name
""")


def remove_time_limits(transaction: Transaction) -> None:
    """
    Remove the time limits of statements and of the idle time between them, and run each in one process of PostgreSQL.

    Other processes verify other pages meanwhile.
    """
    transaction.execute(_WITHOUT_LIMITS)


def set_loaders(transaction: Transaction) -> None:
    """Load JSON quickly, and a time outside of Python's calendar, such as `infinity`, as text."""
    driver: Any = transaction.connection.connection.driver_connection
    driver.adapters.register_loader("timestamptz", _AnyTimeLoader)
    set_json_loads(orjson.loads, driver)


class _AnyTimeLoader(Loader):
    """
    Loads times; those that Python cannot hold as text.

    It asks psycopg's own loader, which is not written in Python, and takes a tenth of the time of one that is.
    """

    def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
        super().__init__(oid, context)
        loader = psycopg.adapters.get_loader(oid, self.format)
        assert loader is not None, "psycopg loads times"
        self._loader = loader(oid, context)

    def load(self, data: Buffer) -> Any:
        """Return a time, or its text."""
        try:
            return self._loader.load(data)
        except psycopg.DataError:
            return bytes(data).decode()


class Event(NamedTuple):
    """A stored event, each column as the text that its heading has, and empty where it is NULL."""

    club_id: bytes
    id: bytes
    round_id: bytes
    sequence: bytes
    kind: bytes
    actor: bytes
    request_id: bytes
    at: bytes
    heading: bytes
    content: bytes
    hash: bytes


def read_events(transaction: Transaction, stretch: Stretch, *, loose: bool) -> Iterator[Event]:
    """Return the events of rounds in order, or those of no round."""
    with read_arrays(transaction) as arrays:
        read = arrays.query(_LOOSE if loose else _IN_ROUNDS, in_stretch(transaction, stretch))
    return map(Event._make, read.tuples())


def read_heads(transaction: Transaction, stretch: Stretch) -> dict[str, tuple[int, bytes]]:
    """Return the version of each round and the hash of its last event."""
    heads = transaction.execute(_HEADS, in_stretch(transaction, stretch))
    return {str(head.round_id): (head.version, head.last_event) for head in heads}


def list_loose_events(transaction: Transaction, kind: str | None = None) -> Iterator[Any]:
    """
    Yield the events of a club that belong to no round and make records; all, or those of one kind.

    Those of checkpoints, which can be as many as minutes, are compared with the tree and the map of rounds.
    """
    yield from transaction.execute(_LOOSE_EVENTS, {"club_id": transaction.club_id, "kind": kind})


_ERASURES: Final = text(f"""
    SELECT kind, content FROM events
    WHERE club_id = :club_id AND kind IN ('{EventKind.PLAYER_ERASED}', '{EventKind.TEXTS_ERASED}')
""")


def list_erased(transaction: Transaction) -> set[bytes]:
    """Return the digests of all texts of the club that were erased; an event that cannot be decoded has none."""
    erased: set[bytes] = set()
    for row in transaction.execute(_ERASURES, {"club_id": transaction.club_id}):
        with suppress(EvidenceError):
            event = decode_event(row.kind, bytes(row.content or b""))
            erased.update(event.texts if isinstance(event, PlayerErased | TextsErased) else ())
    return erased


def list_of_rounds(
    transaction: Transaction, table: str, stretch: Stretch, proven: Collection[UUID] = frozenset()
) -> list[Row]:
    """List the records of a table that belong to rounds of a stretch; hand scores of proven rounds without results."""
    if table == "hand_scores":
        return _list_hand_scores(transaction, stretch, proven)
    return _list_rows(transaction, _OF_ROUNDS[table], in_stretch(transaction, stretch))


def _list_hand_scores(transaction: Transaction, stretch: Stretch, proven: Collection[UUID]) -> list[Row]:
    """List hand scores without results, which is quicker, and those of rounds that are not proven again, with them."""
    scored = _list_rows(transaction, _SCORED_HANDS, in_stretch(transaction, stretch))
    others = {row["round_id"] for row in scored if row["round_id"] not in proven}
    if not others:
        return scored
    parameters = {"club_id": transaction.club_id, "round_ids": [*others]}
    with_results = _list_rows(transaction, _OF_ROUNDS["hand_scores"], parameters)
    return [*with_results, *(row for row in scored if row["round_id"] in proven)]


def list_revised(transaction: Transaction, stretch: Stretch) -> Sequence[UUID]:
    """List the rounds that have results of a revision that is not the first."""
    return transaction.execute(_REVISED, in_stretch(transaction, stretch)).scalars().all()


def find_rounds_of_hands(transaction: Transaction, ids: Sequence[UUID]) -> set[UUID]:
    """Return the rounds whose results name some hands, which may be missing."""
    if not ids:
        return set()
    parameters = {"club_id": transaction.club_id, "ids": [*ids]}
    return set(transaction.execute(_ROUNDS_OF_HANDS, parameters).scalars())


def list_of_club(transaction: Transaction, table: str) -> list[Row]:
    """List all records of a table that belong to no round."""
    return _list_rows(transaction, _IN_CLUB[table], {"club_id": transaction.club_id})


def list_submissions(transaction: Transaction, ids: Sequence[UUID]) -> list[Row]:
    """List some submissions, with the SHA-256 of their content in its place."""
    return _list_rows(transaction, _SUBMISSIONS, {"club_id": transaction.club_id, "ids": list(ids)})


def _list_rows(transaction: Transaction, query: TextClause, parameters: Mapping[str, Any]) -> list[Row]:
    result = transaction.execute(query, parameters)
    columns = tuple(result.keys())
    # `all` fetches rows together, which takes half as long as one by one.
    return [dict(zip(columns, row, strict=True)) for row in result.all()]


def list_orphans(transaction: Transaction) -> Iterator[tuple[str, str, UUID]]:
    """Yield the records that belong to nothing: the table, the column of its key and the id."""
    for table, query in _ORPHANS.items():
        result = transaction.execute(query, {"club_id": transaction.club_id})
        [column] = result.keys()
        for id_ in result.scalars():
            yield table, column, id_


def count_events(transaction: Transaction) -> int:
    """Count the events of a club."""
    counting = text("SELECT count(*) FROM events WHERE club_id = :club_id")
    count: int = transaction.execute(counting, {"club_id": transaction.club_id}).scalar_one()
    return count


def list_clubs(transaction: Transaction, tables: Sequence[str] = ()) -> list[UUID]:
    """List the clubs that have records in some tables, or in any."""
    sought = [_DISTINCT.format(table, _CLUB_COLUMN.get(table, "club_id")) for table in tables or NAMING_CLUBS]
    ids = transaction.execute(text(f"{' UNION '.join(sought)} ORDER BY 1"))
    return [*ids.scalars()]


def club_exists(transaction: Transaction) -> bool:
    """Return whether the club has a record."""
    return bool(list_of_club(transaction, "clubs"))


NAMING_CLUBS: Final = (
    *dict.fromkeys((*OF_CLUBS, *OF_ROUNDS)),
    "round_statistics",
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
# From club to club by an index, which does not read all records of a club.
_DISTINCT: Final = """
    (WITH RECURSIVE club (id) AS (
        (SELECT {1} FROM {0} ORDER BY {1} LIMIT 1)
        UNION ALL
        SELECT (SELECT {1} FROM {0} WHERE {0}.{1} > club.id ORDER BY {1} LIMIT 1) FROM club
        WHERE club.id IS NOT NULL
    ) SELECT id FROM club WHERE id IS NOT NULL)
"""


def in_stretch(transaction: Transaction, stretch: Stretch) -> dict[str, Any]:
    """Return the parameters of a query for a stretch."""
    ids = stretch.scope.round_ids
    only = None if ids is None else list(ids)
    return {"club_id": transaction.club_id, "after": stretch.after, "upto": stretch.upto, "only": only}
