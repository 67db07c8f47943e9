"""Imports lines into a club and reads the stored records, without ids and times."""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from service.db import Database
from service.http.services import services_of
from service.imports.actions.rounds import ImportedLine, import_rounds
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import Document

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_OPENED = re.compile(r'"opened_at":"[^"]+"')
_NOT_PLAYED = ("api_keys",)
"""Tables of other things."""
_NAMED = {"tables": "name", "rounds": "id", "submissions": "id", "hands": "id"}
"""Records that others refer to, and what they are counted by: the ids that the service makes rise."""


def club_of(house: House, api: Api) -> UUID:
    assert api.key is not None
    secret = sha256(api.key.encode()).digest()
    [(club,)] = house.query("SELECT club_id FROM api_keys WHERE secret_sha256 = %s", secret)
    assert isinstance(club, UUID)
    return club


def database_of(house: House) -> Database:
    database = services_of(house.app).database
    assert isinstance(database, Database)
    return database


def lines_of(documents: Iterable[Document | bytes]) -> list[bytes]:
    return [each if isinstance(each, bytes) else json.dumps(each).encode() for each in documents]


def import_all(
    house: House, club: UUID, lines: Sequence[bytes], at_once: int = 1000, *, is_final: bool = False
) -> list[ImportedLine]:
    """Import lines, so many in each transaction."""
    numbered = list(enumerate(lines, start=1))
    imported: list[ImportedLine] = []
    for start in range(0, len(numbered), at_once):
        with database_of(house).transaction(club) as transaction:
            imported += import_rounds(transaction, numbered[start : start + at_once], is_final=is_final)
    return imported


def ids_of(house: House, club: UUID) -> dict[str, str]:
    """Call every id in a club by what it is of and which of them it is, and every digest of a text by the text."""
    called = {str(club): "the club"}
    with psycopg.connect(house.owner_url) as connection:
        for table, key in _NAMED.items():
            query = sql.SQL("SELECT id FROM {} WHERE club_id = %s ORDER BY {}")
            rows = connection.execute(query.format(sql.Identifier(table), sql.Identifier(key)), [club])
            called |= {str(row[0]): f"{table} {number}" for number, row in enumerate(rows)}
        texts = connection.execute("SELECT encode(digest, 'hex'), content FROM texts WHERE club_id = %s", [club])
        called |= {digest: f"the text {content}" for digest, content in texts}
    return called


def records_of(house: House, club: UUID) -> dict[str, list[str]]:
    """Return every record of what was played in a club, except who requested it and when."""
    called = ids_of(house, club)
    with psycopg.connect(house.owner_url, row_factory=dict_row) as connection:
        tables = connection.execute(
            "SELECT DISTINCT table_name FROM information_schema.columns"
            " WHERE table_schema = 'public' AND column_name = 'club_id' ORDER BY 1"
        ).fetchall()
        names = [each["table_name"] for each in tables if each["table_name"] not in _NOT_PLAYED]
        return {
            name: sorted(
                _show({column: plain(value, f"{name}.{column}", called) for column, value in row.items()})
                for row in connection.execute(
                    sql.SQL("SELECT * FROM {} WHERE club_id = %s").format(sql.Identifier(name)), [club]
                )
                if row.get("kind") not in ("club.created", "key.created")
            )
            for name in names
        }


def _show(row: Document) -> str:
    return json.dumps(row, sort_keys=True, default=str)  # sums are decimals


def plain(value: Any, place: str, called: dict[str, str]) -> Any:
    """A value without what differs from one club to the next, and between an import and the same rounds posted."""
    column = place.rpartition(".")[2]
    if column in ("actor", "request_id"):
        return None
    if column in ("heading", "hash", "last_event"):
        return "made of what differs"
    if column == "salt":
        return "a salt"
    if column == "imported":
        return "whether it was"
    if isinstance(value, UUID):
        return called.get(str(value), "an id")
    if column == "unit":
        return called.get(value, value)
    if isinstance(value, datetime):
        return value.isoformat() if place == "hands.played_at" else "a time"
    if isinstance(value, bytes) and value.hex() in called:
        return called[value.hex()]
    if isinstance(value, bytes):
        text = value.decode("utf-8", "backslashreplace").replace('"imported":true', '"imported":false')
        text = _OPENED.sub('"opened_at":"a time"', text)
        text = _DIGEST.sub(lambda match: called.get(match[0], match[0]), text)
        return _ID.sub(lambda match: called.get(match[0], match[0]), text)
    return value


def without_ids(text: str, called: dict[str, str]) -> str:
    """A text in which every id is called by what it is of."""
    return _ID.sub(lambda match: called[match[0]], text)
