"""Records that PostgreSQL cannot read, and what belongs to no club: the schema and published keys."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

import psycopg
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from evidence import VerifierKey
from service.audit_trail.queries.checkpoints import list_keys
from service.db import Transaction
from service.db.schema import Change, compare_schema, expected_schema, read_schema
from service.replays.findings import Finding, FindingKind

_DAMAGED: Final = ("XX", "58")
"""The classes of PostgreSQL's error codes: an internal error, such as a block that fails its checksum; an I/O error."""
_PLACE: Final = re.compile(r'blocks? (?P<block>\d+)\S* (?:in|of) (?:file|relation) "(?P<path>[^"]+)"')
_RELATION: Final = text("SELECT oid::regclass::text FROM pg_class WHERE pg_relation_filepath(oid) = :path")
_BY_INDEX: Final = text("SELECT set_config('enable_seqscan', 'off', true)")


def find_damage(error: DBAPIError | psycopg.Error) -> str | None:
    """Return PostgreSQL's message about records that it cannot read; None where the error is of another kind."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    state = getattr(cause, "sqlstate", None) or ""
    return str(cause).strip().splitlines()[0] if state.startswith(_DAMAGED) else None


@contextmanager
def suppress_damage() -> Iterator[None]:
    """Go on after the block where PostgreSQL cannot read records."""
    try:
        yield
    except (DBAPIError, psycopg.Error) as error:
        if find_damage(error) is None:
            raise


def read_by_index(transaction: Transaction) -> None:
    """Read as few blocks as can be, so that damage to one of them keeps few records from being verified."""
    transaction.execute(_BY_INDEX)


def name_damage(transaction: Transaction, message: str) -> Finding:
    """Report a damaged block by its relation and number, as far as PostgreSQL's message names them."""
    match = _PLACE.search(message)
    if match is None:
        return Finding(FindingKind.PAGE_UNREADABLE, "unknown", {}, None, message)
    path = match["path"].partition(".")[0]
    relation = transaction.execute(_RELATION, {"path": path}).scalar_one_or_none()
    return Finding(FindingKind.PAGE_UNREADABLE, relation or path, {"block": int(match["block"])}, "content", message)


_KINDS: Final = {
    Change.MISSING: FindingKind.SCHEMA_MISSING,
    Change.CHANGED: FindingKind.SCHEMA_DIFFERS,
    Change.ADDED: FindingKind.SCHEMA_SURPLUS,
    Change.HARMLESS: FindingKind.SCHEMA_EXTENDED,
}


def check_schema(connection: Connection) -> Iterator[Finding]:
    """Report every object of the schema that is not as the migrations of this release build it."""
    for change in compare_schema(read_schema(connection), expected_schema()):
        kind, _, name = change.object.partition(" ")
        yield Finding(_KINDS[change.change], kind, {"name": name}, "definition", change.actual, change.expected)


def check_published_keys(connection: Connection, known: Collection[VerifierKey]) -> Iterator[Finding]:
    """Report every published key that is neither the configured one nor one that it replaced."""
    for published in list_keys(connection):
        if published.key not in known:
            key = {"public_key": published.key.written}
            yield Finding(FindingKind.KEY_UNKNOWN, "shared.signing_keys", key)


def has_published_keys(connection: Connection) -> bool:
    """Return whether any key was ever published."""
    return bool(list_keys(connection))
