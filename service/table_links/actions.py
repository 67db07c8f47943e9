"""Issue, list, read and revoke links to tables."""

import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from string import ascii_letters, digits
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence.events import TableLinkIssued, TableLinkKind, TableLinkRevoked
from schemas.table_links import SECRET_LENGTH, SECRET_PREFIX, TableLink, TableLinkRequest
from service.clubs.queries import keys
from service.clubs.scopes import KeyScope, has_scope
from service.db import Transaction
from service.db.pages import Page, cut_page
from service.errors import KeyUnknown, ScopeMissing
from service.table_links import queries as table_links
from service.table_links.queries import LinkFilter, ListedLink
from service.tables import queries as tables

_REQUIRED: Final = {
    TableLinkKind.SCOREKEEPER: (KeyScope.READ, KeyScope.WRITE),
    TableLinkKind.VIEWER: (KeyScope.READ,),
    TableLinkKind.PLAYER: (KeyScope.READ,),
}
_OPTIONAL: Final[dict[TableLinkKind, tuple[KeyScope, ...]]] = {
    TableLinkKind.SCOREKEEPER: (KeyScope.CORRECT,),
    TableLinkKind.VIEWER: (),
    TableLinkKind.PLAYER: (KeyScope.DISPUTES,),
}
_CHARACTERS: Final = ascii_letters + digits


@dataclass(frozen=True, slots=True)
class NewTableLink:
    """A new link with its secret, which is not stored."""

    link: TableLink
    secret: str = field(repr=False)


def issue_table_link(transaction: Transaction, table_id: UUID, request: TableLinkRequest, key_id: UUID) -> NewTableLink:
    """
    Create a link to one table.

    The secret is returned once; only its hash is stored. The link has scopes of the key that issues it, and ends with
    this key at the latest.

    Args:
        transaction: a transaction of the club.
        table_id: the table.
        request: what the link is for, its label and how long it is valid.
        key_id: the key that issues it.

    Raises:
        NotFound: the club has no table with this ID.
        ScopeMissing: the key lacks a scope that every link of this kind has.
        KeyUnknown: the key has just ended.
    """
    table = tables.get(transaction, table_id)
    key = keys.get(transaction, key_id)
    missing = [scope for scope in _REQUIRED[request.kind] if not has_scope(key.scopes, (scope,))]
    if missing:
        raise ScopeMissing(
            f"the key {key.name!r} lacks the scope {missing[0].value!r}, and a link has at most the scopes of its key;"
            f" expected a key with {' and '.join(repr(scope.value) for scope in _REQUIRED[request.kind])}"
        )
    scopes = *_REQUIRED[request.kind], *(each for each in _OPTIONAL[request.kind] if has_scope(key.scopes, (each,)))
    if key.ends_at is not None and key.ends_at <= transaction.now:
        raise KeyUnknown(f"the key {key.name!r} ended while the link was created; expected a valid key of a club")
    expires_at = transaction.now + timedelta(seconds=request.expires_in)
    link = TableLink(
        id=uuid7(),
        table_id=table.id,
        key_id=key.id,
        kind=request.kind,
        player=request.player,
        label=request.label or request.player or request.kind.value,
        scopes=tuple(scope.value for scope in scopes),
        created_at=transaction.now,
        expires_at=expires_at if key.ends_at is None else min(expires_at, key.ends_at),
    )
    secret = SECRET_PREFIX + "".join(secrets.choice(_CHARACTERS) for _ in range(SECRET_LENGTH))
    secret_sha256 = sha256(secret.encode()).digest()
    event = TableLinkIssued(
        link=link.id,
        table=link.table_id,
        key=link.key_id,
        link_kind=link.kind,
        label=sha256(link.label.encode()).digest(),
        scopes=link.scopes,
        expires_at=link.expires_at,
        # As of keys: the hash of the hash, because authentication compares hashes.
        secret=sha256(secret_sha256).digest(),
        player=link.player,
    )
    table_links.add(transaction, link, secret_sha256, event.encode())
    return NewTableLink(link, secret)


def list_table_links(transaction: Transaction, table_id: UUID, *, after: UUID | None, limit: int) -> Page[TableLink]:
    """
    List the links to a table, the newest first, with expired and revoked ones.

    Raises:
        NotFound: the club has no table with this ID.
    """
    table = tables.get(transaction, table_id)
    page = table_links.list_page(transaction, table.id, after=after, limit=limit + 1)
    return cut_page(page, limit, lambda link: link)


def list_club_links(
    transaction: Transaction, wanted: LinkFilter, *, after: UUID | None, limit: int
) -> Page[ListedLink]:
    """List the links to all tables of the club, the newest first, with expired and revoked ones."""
    page = table_links.list_club_page(transaction, wanted, after=after, limit=limit + 1)
    return cut_page(page, limit, lambda listed: listed)


def revoke_table_link(transaction: Transaction, table_id: UUID, link_id: UUID) -> None:
    """
    Revoke a link to a table immediately; a link that was revoked before does not change.

    Raises:
        NotFound: the table has no link with this ID.
    """
    link = table_links.get(transaction, table_id, link_id)
    event = TableLinkRevoked(link=link.id, table=link.table_id)
    table_links.revoke(transaction, link, event.encode())


def get_link(transaction: Transaction, table_id: UUID, link_id: UUID) -> tuple[TableLink, str]:
    """Return the link of a request with the name of its table."""
    return table_links.get(transaction, table_id, link_id), tables.get(transaction, table_id).name
