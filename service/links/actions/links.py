"""Issue, list, read and revoke links."""

import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import sha256
from string import ascii_letters, digits
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence.events import LinkIssued, LinkKind, LinkRevoked
from evidence.texts import SaltedText
from schemas.links import CLUB_LIFETIME, SECRET_LENGTH, SECRET_PREFIX, Link, LinkRequest
from service.clubs.queries import keys
from service.clubs.queries.clubs import StoredClub
from service.clubs.queries.keys import IssuedKey
from service.clubs.scopes import KeyScope, has_scope
from service.db import Database, Transaction
from service.db.pages import Page, cut_page
from service.errors import KeyUnknown, NotFound, ScopeMissing
from service.links import queries as links
from service.links.queries import LinkFilter, ListedLink
from service.rounds.queries import rounds
from service.tables import queries as tables
from service.tables.queries import StoredTable

_REQUIRED: Final = {
    LinkKind.SCOREKEEPER: (KeyScope.READ, KeyScope.WRITE),
    LinkKind.VIEWER: (KeyScope.READ,),
    LinkKind.PLAYER: (KeyScope.READ,),
    LinkKind.CLUB: (KeyScope.READ, KeyScope.WRITE, KeyScope.TABLES),
}
_OPTIONAL: Final[dict[LinkKind, tuple[KeyScope, ...]]] = {
    LinkKind.SCOREKEEPER: (KeyScope.CORRECT,),
    LinkKind.VIEWER: (),
    LinkKind.PLAYER: (KeyScope.DISPUTES,),
    LinkKind.CLUB: (KeyScope.CORRECT,),
}
_CHARACTERS: Final = ascii_letters + digits


@dataclass(frozen=True, slots=True)
class NewLink:
    """A new link with its secret, which is not stored."""

    link: Link
    secret: str = field(repr=False)


def issue_link(transaction: Transaction, request: LinkRequest, key_id: UUID) -> NewLink:
    """
    Create a link to a table or to a round.

    The secret is returned once; only its hash is stored. The link has scopes of the key that issues it, and ends with
    this key at the latest.

    Args:
        transaction: a transaction of the club.
        request: what the link is for, its label and how long it is valid.
        key_id: the key that issues it.

    Raises:
        NotFound: the club does not have the table or the round.
        ScopeMissing: the key lacks a scope that every link of this kind has.
        KeyUnknown: the key has just ended.
    """
    secret = SECRET_PREFIX + "".join(secrets.choice(_CHARACTERS) for _ in range(SECRET_LENGTH))
    return NewLink(_add(transaction, request, key_id, _find_table_id(transaction, request), secret), secret)


def issue_club_link(transaction: Transaction, label: str, secret: str, key_id: UUID) -> Link:
    """
    Create a link to the club for a scorekeeper, with a secret that the phone has drawn.

    Raises:
        ScopeMissing: the key lacks a scope that every link to the club has.
        KeyUnknown: the key has just ended.
        LinkEnded: another link has this secret.
    """
    request = LinkRequest(None, None, LinkKind.CLUB, int(CLUB_LIFETIME.total_seconds()), label)
    return _add(transaction, request, key_id, None, secret)


def check_link_scopes(key: IssuedKey, kind: LinkKind) -> None:
    """
    Check that a key can issue links of a kind.

    Raises:
        ScopeMissing: it lacks a scope that every link of this kind has.
    """
    missing = [scope for scope in _REQUIRED[kind] if not has_scope(key.scopes, (scope,))]
    if missing:
        raise ScopeMissing(
            f"the key {key.name!r} lacks the scope {missing[0].value!r}, and a link has at most the scopes of its key;"
            f" expected a key with {' and '.join(repr(scope.value) for scope in _REQUIRED[kind])}"
        )


def _add(transaction: Transaction, request: LinkRequest, key_id: UUID, table_id: UUID | None, secret: str) -> Link:
    """Store a link with the secret of whoever uses it."""
    key = keys.get(transaction, key_id)
    check_link_scopes(key, request.kind)
    scopes = *_REQUIRED[request.kind], *(each for each in _OPTIONAL[request.kind] if has_scope(key.scopes, (each,)))
    if key.ends_at is not None and key.ends_at <= transaction.now:
        raise KeyUnknown(f"the key {key.name!r} ended while the link was created; expected a valid key of a club")
    expires_at = transaction.now + timedelta(seconds=request.expires_in)
    link = Link(
        id=uuid7(),
        table_id=table_id,
        round_id=request.round_id,
        key_id=key.id,
        kind=request.kind,
        player=request.player,
        label=request.label or request.player or request.kind.value,
        scopes=tuple(scope.value for scope in scopes),
        created_at=transaction.now,
        expires_at=expires_at if key.ends_at is None else min(expires_at, key.ends_at),
    )
    secret_sha256 = sha256(secret.encode()).digest()
    label = SaltedText.of(link.label)
    event = LinkIssued(
        link=link.id,
        table=link.table_id,
        round=link.round_id,
        key=link.key_id,
        link_kind=link.kind,
        label=label.digest,
        scopes=link.scopes,
        expires_at=link.expires_at,
        # As of keys: the hash of the hash, because authentication compares hashes.
        secret=sha256(secret_sha256).digest(),
        player=link.player,
    )
    links.add(transaction, link, label.salt, secret_sha256, event.encode())
    return link


def _find_table_id(transaction: Transaction, request: LinkRequest) -> UUID:
    """
    Return the table of a requested link.

    Raises:
        NotFound: the club does not have the table or the round.
    """
    if request.round_id is not None:
        return rounds.get(transaction, request.round_id).table_id
    assert request.table_id is not None, "the request is for a table or for a round"
    return tables.get(transaction, request.table_id).id


def list_links(
    transaction: Transaction, filter_: LinkFilter, *, after: UUID | None, limit: int, oldest_first: bool = False
) -> Page[ListedLink]:
    """List the links of the club, the newest or the oldest first, with expired and revoked ones."""
    page = links.list_page(transaction, filter_, after=after, limit=limit + 1, oldest_first=oldest_first)
    return cut_page(page, limit, lambda listed: listed)


def count_links(transaction: Transaction, filter_: LinkFilter, limit: int) -> int:
    """Count the links of the club up to a limit."""
    return links.count(transaction, filter_, limit)


def revoke_link(transaction: Transaction, link_id: UUID) -> None:
    """
    Revoke a link immediately; a link that was revoked before does not change.

    Raises:
        NotFound: the club has no link with this ID.
    """
    _revoke(transaction, links.get(transaction, link_id))


def revoke_links(database: Database, club: StoredClub) -> int:
    """Revoke all links of a club immediately, and return how many there were."""
    with database.transaction(club.id) as transaction:
        revoked = links.list_unrevoked(transaction)
        for link in revoked:
            _revoke(transaction, link)
    return len(revoked)


def _revoke(transaction: Transaction, link: Link) -> None:
    event = LinkRevoked(link=link.id, table=link.table_id)
    links.revoke(transaction, link, event.encode())


def get_link(transaction: Transaction, link_id: UUID) -> tuple[Link, str | None]:
    """
    Return a link with the name of its table; None for a link to the club.

    Raises:
        NotFound: the club has no link with this ID.
    """
    link = links.get(transaction, link_id)
    return link, None if link.table_id is None else tables.get(transaction, link.table_id).name


def get_link_of_table(transaction: Transaction, link_id: UUID) -> tuple[Link, StoredTable]:
    """
    Return a link to a table, or to a round of it, with the table.

    Raises:
        NotFound: the club has no link with this ID, or the link is to the club.
    """
    link = links.get(transaction, link_id)
    if link.table_id is None:
        raise NotFound("the link is for the club; expected a link to a table or to a round")
    return link, tables.get(transaction, link.table_id)
