"""Set and read metadata, and erase the texts of people."""

from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from evidence.events import MetadataOf, TextsErased
from schemas.metadata import Metadata, read_metadata, write_metadata
from service.audit_trail.queries.events import record_event
from service.db import Transaction
from service.db.batch import Batch
from service.errors import NotFound
from service.texts import queries as texts
from service.texts import responses
from service.texts.queries import MetadataOwner

_MOST_ERASED: Final = 1000
"""The most texts that one event names."""


def get_metadata(transaction: Transaction, owner: MetadataOwner) -> Metadata:
    """Return the metadata of a record."""
    return read_metadata(texts.find_metadata(transaction, owner))


def set_metadata(transaction: Transaction, owner: MetadataOwner, metadata: Metadata) -> None:
    """
    Set the metadata of a record instead of those that it had, if they differ.

    What it had is erased, also from the request body of a hand, and from stored responses.
    """
    texts.lock_metadata(transaction, owner)
    before = texts.find_metadata(transaction, owner)
    if metadata == read_metadata(before):
        return
    replaced = None
    if before is not None:
        replaced = texts.delete_metadata(transaction, owner)
        about = [] if owner.record_id is None else [owner.record_id]
        responses.erase(transaction, about, owner.player)
        if owner.of is MetadataOf.HAND and owner.record_id is not None:
            _record_erasure(transaction, owner.record_id, texts.erase_submission(transaction, owner.record_id).digests)
    batch = Batch()
    texts.add_metadata(transaction, batch, owner, write_metadata(metadata) if metadata else None, replaced)
    batch.write(transaction)


def erase_texts(transaction: Transaction, record_id: UUID) -> None:
    """
    Erase the texts of a record; of a round, also those of its hands and disputes. The action is idempotent.

    Raises:
        NotFound: the club does not have the record.
    """
    responses.lock_all(transaction)
    texts.lock_texts(transaction, record_id)
    texts.lock_rounds(transaction, record_id)
    erased = texts.erase_of_record(transaction, record_id)
    if not erased.digests and not texts.exists(transaction, record_id):
        raise NotFound(f"there is no record {record_id} that can have texts")
    responses.erase(transaction, {record_id, *erased.records})
    _record_erasure(transaction, record_id, erased.digests)


def lock_texts_of_players(transaction: Transaction, players: Sequence[str]) -> None:
    """Lock the rounds with texts of players, and the stored responses, until the transaction ends."""
    responses.lock_all(transaction)
    texts.lock_rounds(transaction, players=players)


def erase_texts_of_player(transaction: Transaction, player: str) -> list[tuple[bytes, ...]]:
    """
    Erase the texts by a player and about them, and return their digests, in parts that one event can name.

    `lock_texts_of_players` precedes it.
    """
    erased = texts.erase_of_player(transaction, player)
    responses.erase(transaction, erased.records, player)
    return list(_divide(erased.digests))


def _record_erasure(transaction: Transaction, record_id: UUID, erased: Sequence[bytes]) -> None:
    """Record which texts were erased, without them."""
    for digests in _divide(erased):
        event = TextsErased(record=record_id, texts=digests)
        record_event(transaction, event.kind, event.encode())


def _divide(erased: Sequence[bytes]) -> Iterator[tuple[bytes, ...]]:
    for first in range(0, len(erased), _MOST_ERASED):
        yield tuple(sorted(erased[first : first + _MOST_ERASED]))
