"""Insert, read and erase texts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self
from uuid import UUID

from sqlalchemy import Row, TextClause, select, text

from evidence.events import MetadataChanged, MetadataOf
from evidence.texts import SaltedText, digest_text
from service.audit_trail.queries.events import EventWriter
from service.db import Transaction
from service.db.batch import Batch
from service.texts.models import TextField, TextRecord


@dataclass(frozen=True, slots=True)
class NewText:
    """
    A text to insert, with what it is erased with.

    Attributes:
        record_id: its record; None for the metadata of a player.
        round_id: its round, or that of its record.
        player: who wrote it, or whom it is about.
    """

    field: TextField
    salted: SaltedText
    record_id: UUID | None
    round_id: UUID | None = None
    player: str | None = None

    @property
    def digest(self) -> bytes:
        """The digest, which events and records have."""
        return self.salted.digest


def write_text(text: str, record_id: UUID, field: TextField, *, round_id: UUID | None = None) -> NewText:
    """Return a text of a record, with a new salt."""
    return NewText(field, SaltedText.of(text), record_id, round_id)


def insert(transaction: Transaction, batch: Batch, texts: Iterable[NewText]) -> None:
    """Add texts to a batch, to be inserted with the records that have their digests."""
    batch.insert(
        TextRecord,
        *[
            {
                "club_id": transaction.club_id,
                "digest": each.digest,
                "field": each.field.value,
                "content": each.salted.text,
                "salt": each.salted.salt,
                "record_id": each.record_id,
                "round_id": each.round_id,
                "player": each.player,
            }
            for each in texts
        ],
    )


def content_of(digest: str) -> str:
    """
    Return an expression in SQL: the text of a digest, NULL where there is none or after it was erased.

    >>> content_of("closing.reason")
    '(SELECT content FROM texts WHERE (club_id, digest) = (closing.club_id, closing.reason))'
    """
    table, _, _ = digest.partition(".")
    return f"(SELECT content FROM texts WHERE (club_id, digest) = ({table}.club_id, {digest}))"


def select_content(records: Any, digest: Any) -> Any:
    """Return the same as an expression of SQLAlchemy, given the table or the record and the column of the digest."""
    record = TextRecord.__table__.alias()
    content = select(record.c.content).where(record.c.club_id == records.club_id, record.c.digest == digest)
    return content.scalar_subquery()


_REASONS: Final = text("""
    SELECT content, salt FROM texts WHERE club_id = :club_id AND round_id = :round_id AND field = 'reason'
    ORDER BY digest
""")


def list_reasons(transaction: Transaction, round_id: UUID) -> list[SaltedText]:
    """List the reasons in the revisions of a round that were not erased."""
    rows = transaction.execute(_REASONS, {"club_id": transaction.club_id, "round_id": round_id})
    return [SaltedText(row.content, bytes(row.salt)) for row in rows]


# Links do not see metadata. Only a correction by a link moves those of a corrected hand.
_METADATA: Final = "FROM texts WHERE club_id = :club_id AND field = 'metadata' AND current_table() IS NULL AND "
_OF_RECORD: Final = "record_id = :record_id"
_OF_PLAYER: Final = "record_id IS NULL AND player = :player"
_LOCK: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 5))")
_LOCK_SHARED: Final = text("SELECT pg_advisory_xact_lock_shared(hashtextextended(:name, 5))")


@dataclass(frozen=True, slots=True)
class MetadataOwner:
    """A record that has metadata: a table, a round or a hand, by its ID and that of its round; or else a player."""

    of: MetadataOf
    record_id: UUID | None
    round_id: UUID | None = None
    player: str | None = None

    @classmethod
    def of_table(cls, table_id: UUID) -> Self:
        """Return a table."""
        return cls(MetadataOf.TABLE, table_id)

    @classmethod
    def of_round(cls, round_id: UUID) -> Self:
        """Return a round."""
        return cls(MetadataOf.ROUND, round_id, round_id)

    @classmethod
    def of_hand(cls, hand_id: UUID, round_id: UUID) -> Self:
        """Return a hand."""
        return cls(MetadataOf.HAND, hand_id, round_id)

    @classmethod
    def of_player(cls, player: str) -> Self:
        """Return a player."""
        return cls(MetadataOf.PLAYER, None, player=player)

    def query(self, command: str) -> TextClause:
        """Return a query of the metadata."""
        return text(f"{command} {_METADATA} {_OF_PLAYER if self.record_id is None else _OF_RECORD}")

    def parameters(self, transaction: Transaction) -> dict[str, Any]:
        """Return the parameters of the query."""
        own = {"player": self.player} if self.record_id is None else {"record_id": self.record_id}
        return {"club_id": transaction.club_id, **own}


def lock_metadata(transaction: Transaction, owner: MetadataOwner) -> None:
    """Lock the metadata of a record until the transaction ends."""
    transaction.execute(_LOCK, {"name": f"{transaction.club_id} {owner.record_id or owner.player}"})


def find_metadata(transaction: Transaction, owner: MetadataOwner) -> str | None:
    """Return the metadata of a record as they are stored; None if it has none."""
    query, parameters = owner.query("SELECT content"), owner.parameters(transaction)
    content: str | None = transaction.execute(query, parameters).scalar_one_or_none()
    return content


def delete_metadata(transaction: Transaction, owner: MetadataOwner) -> bytes | None:
    """Delete the metadata of a record, and return their digest; None if it had none."""
    deletion = text(f"{owner.query('DELETE')} RETURNING digest")
    digest = transaction.execute(deletion, owner.parameters(transaction)).scalar_one_or_none()
    return None if digest is None else bytes(digest)


def add_metadata(
    transaction: Transaction,
    batch: Batch,
    owner: MetadataOwner,
    metadata: str | None,
    replaced: bytes | None = None,
) -> None:
    """
    Add the metadata of a record that has none to a batch, with their event.

    Args:
        transaction: of the club.
        batch: of records to insert.
        owner: the record.
        metadata: their canonical JSON; None records that it has none now.
        replaced: the digest of those that it had before.
    """
    salted = None if metadata is None else SaltedText.of(metadata)
    if salted is not None:
        text_ = NewText(TextField.METADATA, salted, owner.record_id, owner.round_id, owner.player)
        insert(transaction, batch, [text_])
    event = MetadataChanged(
        of=owner.of,
        record=owner.record_id,
        round=owner.round_id,
        player=owner.player,
        metadata=None if salted is None else salted.digest,
        replaced=replaced,
    )
    EventWriter(transaction, batch).add(event.kind, event.encode())


_TAKE_METADATA: Final = text("""
    DELETE FROM texts WHERE club_id = :club_id AND field = 'metadata' AND record_id = ANY (:record_ids)
    RETURNING record_id, content, salt
""")


def move_metadata(transaction: Transaction, batch: Batch, round_id: UUID, moved: Mapping[UUID, UUID]) -> None:
    """Move the metadata of hands of a round to other records of them, and add the events to a batch."""
    parameters = {"club_id": transaction.club_id, "record_ids": list(moved)}
    events = EventWriter(transaction, batch)
    for row in transaction.execute(_TAKE_METADATA, parameters).all() if moved else ():
        salted = SaltedText(row.content, bytes(row.salt))
        new_id, digest = moved[row.record_id], salted.digest
        for event in (
            MetadataChanged(of=MetadataOf.HAND, record=row.record_id, round=round_id, metadata=None, replaced=digest),
            MetadataChanged(of=MetadataOf.HAND, record=new_id, round=round_id, metadata=digest),
        ):
            events.add(event.kind, event.encode())
        insert(transaction, batch, [NewText(TextField.METADATA, salted, moved[row.record_id], round_id)])


# A corrected hand has the metadata that came with the first of its records.
_RECORDS_OF_HAND: Final = """
    SELECT other.id FROM hands AS one JOIN hands AS other
        ON other.club_id = one.club_id AND other.round_id = one.round_id AND other.number = one.number
    WHERE one.club_id = :club_id AND one.id = :record_id
"""
_ERASE_SUBMISSION: Final = text(f"""
    DELETE FROM texts WHERE club_id = :club_id AND field = 'submission' AND record_id = ANY (ARRAY({_RECORDS_OF_HAND}))
    RETURNING digest, record_id, round_id
""")
# Arrays, because PostgreSQL reads an index for each of these conditions, and otherwise all texts of the club. The
# request bodies of a round have the reasons that players gave for their departures, and those of proposals can have
# texts about any player of the round.
_ERASE_OF_PLAYER: Final = text("""
    WITH keys AS (
        SELECT id FROM api_keys WHERE club_id = :club_id AND player = :player
    ), names AS (
        SELECT digest FROM texts
        WHERE club_id = :club_id AND record_id = ANY (ARRAY(SELECT id FROM keys)) AND field = 'author'
    ), erased AS (
        DELETE FROM texts WHERE club_id = :club_id AND (
            player = :player
            OR record_id = ANY (ARRAY(
                SELECT id FROM entries WHERE club_id = :club_id AND revision IS NULL AND :player = ANY (accounts)
                UNION ALL SELECT id FROM payment_claims WHERE club_id = :club_id AND :player IN (payer, payee)
            ))
            OR digest = ANY (ARRAY(
                SELECT claim FROM disputes
                WHERE club_id = :club_id AND author_name = ANY (ARRAY(SELECT digest FROM names))
                UNION ALL SELECT comment FROM dispute_entries
                WHERE club_id = :club_id AND author_name = ANY (ARRAY(SELECT digest FROM names))
            ))
        ) RETURNING digest, field, record_id, round_id
    ), proposed AS (
        SELECT id FROM proposals WHERE club_id = :club_id AND (
            proposed_by = ANY (ARRAY(SELECT id FROM keys))
            OR round_id = ANY (ARRAY(SELECT round_id FROM round_seats WHERE club_id = :club_id AND player = :player))
        )
    ), submissions AS (
        DELETE FROM texts WHERE club_id = :club_id AND field = 'submission' AND (
            round_id = ANY (ARRAY(SELECT round_id FROM erased WHERE field = 'reason'))
            OR record_id = ANY (ARRAY(SELECT id FROM proposed))
        ) RETURNING digest, record_id, round_id
    )
    SELECT digest, record_id, round_id FROM erased UNION ALL SELECT digest, record_id, round_id FROM submissions
""")
_ERASE_LABELS_OF_PLAYER: Final = text("""
    UPDATE links AS link SET label = NULL, label_salt = NULL
    FROM (
        SELECT club_id, id, label, label_salt FROM links
        WHERE club_id = :club_id AND player = :player AND label IS NOT NULL FOR NO KEY UPDATE
    ) AS before
    WHERE (link.club_id, link.id) = (before.club_id, before.id)
    RETURNING before.id, before.label AS content, before.label_salt AS salt
""")
_ERASE_OF_RECORD: Final = text(f"""
    DELETE FROM texts WHERE club_id = :club_id AND (
        record_id = :record_id OR round_id = :record_id OR record_id = ANY (ARRAY(
            SELECT id FROM proposals WHERE club_id = :club_id AND round_id = :record_id
        )) OR record_id = ANY (ARRAY({_RECORDS_OF_HAND}))
    ) RETURNING digest, record_id, round_id
""")
_ERASE_IN_RECORD: Final = """
    UPDATE {table} AS record SET {column} = NULL, {column}_salt = NULL
    FROM (
        SELECT club_id, id, {column}, {column}_salt FROM {table}
        WHERE club_id = :club_id AND id = :record_id AND {column} IS NOT NULL FOR NO KEY UPDATE
    ) AS before
    WHERE (record.club_id, record.id) = (before.club_id, before.id)
    RETURNING before.id, before.{column} AS content, before.{column}_salt AS salt
"""
_ERASE_NAME_OF_KEY: Final = text(_ERASE_IN_RECORD.format(table="api_keys", column="name"))
_ERASE_LABEL: Final = text(_ERASE_IN_RECORD.format(table="links", column="label"))
_ERASE_REASON_OF_JOB: Final = text("""
    UPDATE jobs SET parameters = jsonb_set(parameters, '{reason}', 'null')
    WHERE club_id = :club_id AND id = :record_id AND parameters ->> 'reason' IS NOT NULL
""")
_WITH_TEXTS: Final = (
    "tables",
    "rounds",
    "hands",
    "disputes",
    "entries",
    "payment_claims",
    "proposals",
    "links",
    "api_keys",
    "jobs",
)
_EXISTS: Final = text(
    " UNION ALL ".join(f"SELECT 1 FROM {table} WHERE club_id = :club_id AND id = :record_id" for table in _WITH_TEXTS)
)


def exists(transaction: Transaction, record_id: UUID) -> bool:
    """Return whether the club has a record with an ID that can have texts."""
    parameters = {"club_id": transaction.club_id, "record_id": record_id}
    return transaction.execute(_EXISTS, parameters).first() is not None


@dataclass(frozen=True, slots=True)
class Erased:
    """
    What was erased.

    Attributes:
        digests: of the texts.
        records: the records and rounds of the texts, whose stored responses can repeat them.
    """

    digests: list[bytes]
    records: set[UUID]


def lock_texts(transaction: Transaction, record_id: UUID) -> None:
    """Lock the texts of a record until the transaction ends."""
    transaction.execute(_LOCK, {"name": f"{transaction.club_id} {record_id}"})


def lock_texts_shared(transaction: Transaction, record_id: UUID) -> None:
    """Lock the texts of a record in shared mode: they are not erased until the transaction ends."""
    transaction.execute(_LOCK_SHARED, {"name": f"{transaction.club_id} {record_id}"})


# A transaction that revises a round has read its reasons and metadata, which it writes again.
_LOCK_ROUNDS: Final = text("""
    SELECT FROM round_heads WHERE club_id = :club_id AND round_id = ANY (ARRAY(
        SELECT round_id FROM texts WHERE club_id = :club_id AND record_id = :record_id AND round_id IS NOT NULL
        UNION SELECT round_id FROM texts WHERE club_id = :club_id AND player = ANY (:players) AND round_id IS NOT NULL
        UNION SELECT round_id FROM hands WHERE club_id = :club_id AND id = :record_id
        UNION SELECT CAST(:record_id AS uuid)
    ))
    ORDER BY round_id FOR UPDATE
""")


def lock_rounds(transaction: Transaction, record_id: UUID | None = None, players: Sequence[str] = ()) -> None:
    """Lock the rounds of the texts of a record or of players until the transaction ends."""
    parameters = {"club_id": transaction.club_id, "record_id": record_id, "players": list(players)}
    transaction.execute(_LOCK_ROUNDS, parameters)


def erase_submission(transaction: Transaction, hand_id: UUID) -> Erased:
    """Delete the request bodies of the records of a hand that have a text."""
    return _collect(_erase(transaction, _ERASE_SUBMISSION, record_id=hand_id), ())


def erase_of_record(transaction: Transaction, record_id: UUID) -> Erased:
    """Delete the texts of a record, which must be locked, and of the records of a round."""
    own = {"club_id": transaction.club_id, "record_id": record_id}
    transaction.execute(_ERASE_REASON_OF_JOB, own)
    texts = _erase(transaction, _ERASE_OF_RECORD, record_id=record_id)
    names = transaction.execute(_ERASE_NAME_OF_KEY, own).all()
    return _collect(texts, [*names, *transaction.execute(_ERASE_LABEL, own).all()])


def erase_of_player(transaction: Transaction, player: str) -> Erased:
    """Delete the texts by a player, also with keys that declare them, and about them."""
    texts = _erase(transaction, _ERASE_OF_PLAYER, player=player)
    own = {"club_id": transaction.club_id, "player": player}
    return _collect(texts, transaction.execute(_ERASE_LABELS_OF_PLAYER, own).all())


def _erase(transaction: Transaction, erasure: TextClause, **parameters: Any) -> Sequence[Row[Any]]:
    return transaction.execute(erasure, {"club_id": transaction.club_id, **parameters}).all()


def _collect(texts: Sequence[Row[Any]], in_records: Sequence[Row[Any]]) -> Erased:
    """Return what was erased from texts, and from the columns of records."""
    digests = [bytes(row.digest) for row in texts]
    digests += [digest_text(row.content, bytes(row.salt)) for row in in_records]
    ids = {each for row in texts for each in (row.record_id, row.round_id) if each is not None}
    return Erased(digests, ids | {row.id for row in in_records})
