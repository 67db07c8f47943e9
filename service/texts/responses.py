"""Erase the stored responses that can repeat an erased text."""

from collections.abc import Iterable
from typing import Final
from uuid import UUID

import orjson
from sqlalchemy import text

from service.db import Transaction

_LOCK_ALL: Final = text("SELECT pg_advisory_xact_lock(hashtextextended(:club, 7))")
# A response without any ID of a record can be about any.
_ERASE: Final = text("""
    DELETE FROM idempotent_responses AS stored WHERE club_id = :club_id AND has_texts AND (
        position(:player IN body) > 0
        OR NOT EXISTS (SELECT FROM regexp_matches(convert_from(body, 'UTF8'), :uuid))
        OR EXISTS (
            SELECT FROM regexp_matches(concat(location, ' ', convert_from(body, 'UTF8')), :uuid, 'g') AS found
            WHERE CAST(found[1] AS uuid) = ANY (:records)
        )
    )
    RETURNING key, status, location, stored_at
""")
_UUID: Final = "([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"
# Both would let a short text be guessed: the body has it, and the fingerprint is the hash of a request that has it.
_KEEP_KEY: Final = text("""
    INSERT INTO idempotent_responses (club_id, key, fingerprint, status, location, body, has_texts, stored_at)
    VALUES (:club_id, :key, decode(repeat('00', 32), 'hex'), :status, :location, '', false, :stored_at)
""")


def lock_all(transaction: Transaction) -> None:
    """Wait for all requests of the club whose response may be stored; no other begins until the transaction ends."""
    transaction.execute(_LOCK_ALL, {"club": str(transaction.club_id)})


def erase(transaction: Transaction, records: Iterable[UUID], player: str | None = None) -> None:
    """
    Erase the stored responses that can repeat a text of one of the records, or of a player.

    Their keys remain, so that a late copy of a request is refused and not processed again.
    """
    parameters = {
        "club_id": transaction.club_id,
        "player": b"\0" if player is None else orjson.dumps(player),
        "records": list(records),
        "uuid": _UUID,
    }
    for row in transaction.execute(_ERASE, parameters).all():
        transaction.execute(_KEEP_KEY, {"club_id": transaction.club_id, **row._asdict()})
