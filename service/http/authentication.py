"""Authentication: the key of a request, its club, and the transaction of the request."""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from enum import StrEnum
from functools import partial, wraps
from hashlib import sha256
from typing import Any, Final, Protocol

from flask import Response, request

from service.clubs.queries import keys
from service.clubs.queries.keys import StoredKey
from service.clubs.scopes import KeyScope, has_scope, join_scopes
from service.db import Database, Pipeline, Query, Session, Transaction
from service.errors import KeyMissing, KeyUnknown, ScopeMissing
from service.http.dry_run import is_dry_run
from service.http.idempotency import HEADER, read_idempotency_key, respond_once
from service.http.rate_limits import count_request, count_unknown
from service.http.request_body import receive_body
from service.http.request_state import current_request
from service.http.responses import MEDIA_TYPE
from service.http.services import current_services
from service.http.streams import reserve_stream, stream

READING: Final = ("GET", "HEAD")
_SCHEME: Final = "bearer"
_PREFIX: Final = re.compile(r"bearer (ofc_[a-z0-9]{8}_)", re.IGNORECASE)

Scopes = tuple[KeyScope, ...]
ReadAhead = Callable[..., Sequence[Query]]
"""Returns queries from the arguments of a view."""


class Reach(StrEnum):
    """What a link is for. An operation for links to rounds is for links to tables too, and all are for the club's."""

    CLUB = "club"
    TABLE = "table"
    ROUND = "round"


@dataclass(frozen=True, slots=True)
class Access:
    """
    Who can use an operation.

    Attributes:
        scopes: the key or link needs one of these.
        by_link: the links that can be used; None if only keys can.
        by_player: whether every player's link can be used, also one to a round, and without the scope: the operation
            is about what this player does.
    """

    scopes: Scopes
    by_link: Reach | None = None
    by_player: bool = False

    def is_for(self, key: StoredKey) -> bool:
        """Return whether the operation can be used with a key, or with a link of this reach."""
        if not key.is_link or (self.by_player and key.player is not None):
            return True
        return self.by_link is not None and _REACHES.index(self.by_link) >= _REACHES.index(_reach_of(key))


_REACHES: Final = tuple(Reach)


def _reach_of(link: StoredKey) -> Reach:
    return Reach.CLUB if link.table_id is None else Reach.TABLE if link.round_id is None else Reach.ROUND


def database() -> Database:
    """Return the database of the application."""
    return current_services().database


def read_nothing_ahead(**_: Any) -> Sequence[Query]:
    """Return no queries."""
    return ()


class Caller(Protocol):
    """How the caller of a request is identified: by the key or link that it sends, or by the session of a browser."""

    def admit(self) -> bytes:
        """
        Read the secret of the request, count the request for the rate limit, and return the hash of the secret.

        Raises:
            TooManyRequests: a rate limit is exceeded.
        """

    def begin(
        self, session: Session, secret_sha256: bytes, *, is_reading: bool, ahead: Sequence[Query] = ()
    ) -> tuple[StoredKey, Pipeline | None]:
        """Find the key of the caller, and return it with the transaction that was begun for it, if one was."""


class KeyCaller:
    """A client of the API, which sends a key or a link."""

    def admit(self) -> bytes:
        """
        Read the key of the request.

        Raises:
            KeyMissing: the request has no key.
            TooManyRequests: a rate limit is exceeded.
        """
        return admit()

    def begin(
        self, session: Session, secret_sha256: bytes, *, is_reading: bool, ahead: Sequence[Query] = ()
    ) -> tuple[StoredKey, Pipeline | None]:
        """
        Begin a transaction with the key, as `keys.begin` does.

        Raises:
            KeyUnknown, TooManyRequests: as `authenticate`.
        """
        stored_key, begun = keys.begin(session, secret_sha256, is_reading=is_reading, ahead=ahead)
        return authenticate(stored_key), begun


BY_KEY: Final = KeyCaller()


def with_key(view: Callable[..., Any], access: Access, caller: Caller = BY_KEY) -> Callable[..., Any]:
    """
    Run a view in one transaction of the caller's club, which is committed when the view returns.

    For GET and HEAD, the transaction is a read-only snapshot. If the response is streamed, the snapshot stays open: it
    ends with the last byte of the response, or when the client disconnects.
    """

    @wraps(view)
    def guarded(*arguments: Any, **options: Any) -> Any:
        is_reading = request.method in READING
        secret_sha256 = caller.admit()
        receive_body()
        with ExitStack() as opened:
            session = opened.enter_context(database().session())
            key, begun = begin(session, secret_sha256, access, caller, is_reading=is_reading)
            if not is_reading:
                current_request().transaction = opened.enter_context(open_writing(session, key, begun))
                return view(*arguments, **options)
            state = current_request()
            state.transaction = _open_reading(session, key, begun)
            state.resources = opened
            response = view(*arguments, **options)
            if isinstance(response, Response) and response.is_streamed:
                reserve_stream()
                stream(response, opened)
            return response

    return guarded


def with_key_to_record(
    view: Callable[..., Response],
    access: Access,
    media_type: str = MEDIA_TYPE,
    ahead: ReadAhead = read_nothing_ahead,
) -> Callable[..., Response]:
    """
    Run a view that changes records in one transaction of the key's club, which is committed when the view returns.

    A request with a known idempotency key returns the first response. A dry run is rolled back.

    Args:
        view: changes records.
        access: who can use it.
        media_type: of its responses.
        ahead: returns the queries with which the view begins. They are sent with the key, unless the request has an
            idempotency key, because they can wait for the first request with it.
    """

    @wraps(view)
    def guarded(*arguments: Any, **options: Any) -> Response:
        secret_sha256 = admit()
        receive_body()
        with database().session() as session:
            queries = () if HEADER in request.headers else ahead(**options)
            key, begun = begin(session, secret_sha256, access, BY_KEY, is_reading=False, ahead=queries)
            is_dry = is_dry_run()
            # A dry run rejects an invalid idempotency key too, because its response is that of the real request.
            sent_key = read_idempotency_key()
            retry_key = None if is_dry else sent_key
            with open_writing(session, key, begun, rolled_back=is_dry) as transaction:
                current_request().transaction = transaction
                work = partial(view, *arguments, **options)
                if retry_key is None:
                    return work()
                return respond_once(transaction, retry_key, work, media_type=media_type)

    return guarded


def with_key_to_upload(view: Callable[..., Any], access: Access, caller: Caller = BY_KEY) -> Callable[..., Any]:
    """Run a view that receives its body after authentication, and begins its transactions itself."""

    @wraps(view)
    def guarded(*arguments: Any, **options: Any) -> Any:
        secret_sha256 = caller.admit()
        with database().session() as session:
            begin(session, secret_sha256, access, caller, is_reading=True)
        return view(*arguments, **options)

    return guarded


def with_key_if_any(view: Callable[..., Any], access: Access) -> Callable[..., Any]:
    """
    Run a view without authentication, or in a transaction of the key's club if the key has one of the scopes.

    A key without these scopes sees only what is public, as does a link that the operation is not for.
    """

    @wraps(view)
    def open_to_all(*arguments: Any, **options: Any) -> Any:
        # A malformed header is an error; only a missing header means no key.
        if not request.headers.get("Authorization"):
            return view(*arguments, **options)
        secret_sha256 = admit()
        with database().session() as session:
            stored_key, begun = keys.begin(session, secret_sha256, is_reading=True)
            key = authenticate(stored_key)
            if has_scope(key.scopes, access.scopes) and access.is_for(key):
                current_request().transaction = _open_reading(session, key, begun)
            return view(*arguments, **options)

    return open_to_all


def _open_reading(session: Session, key: StoredKey, begun: Pipeline | None) -> Transaction:
    """Continue or begin a transaction that reads records of a key's club."""
    return session.reading(key.club_id, key.table_id, key.round_id, key.player, begun, is_link=key.is_link)


def open_writing(
    session: Session, key: StoredKey, begun: Pipeline | None = None, *, rolled_back: bool = False
) -> AbstractContextManager[Transaction]:
    """Continue or begin a transaction that changes records of a key's club, as the key."""
    return session.transaction(
        key.club_id,
        actor=key.id,
        request_id=current_request().request_id,
        table_id=key.table_id,
        round_id=key.round_id,
        player=key.player,
        is_link=key.is_link,
        rolled_back=rolled_back,
        begun=begun,
    )


def current_key() -> StoredKey:
    """Return the key or the link of the request."""
    key = current_request().key
    assert key is not None, "the request is authenticated"
    return key


def current_transaction() -> Transaction:
    """Return the transaction of the request."""
    transaction = current_request().transaction
    assert transaction is not None, "the request has a key"
    return transaction


def transaction_if_any() -> Transaction | None:
    """Return the transaction of the request, or None if the request has no key."""
    return current_request().transaction


def admit() -> bytes:
    """
    Read the key of the request, count the request for the rate limit, and return the hash of the key.

    Raises:
        KeyMissing: the request has no key.
        TooManyRequests: a rate limit is exceeded.
    """
    sent = request.authorization
    if sent is None or sent.type != _SCHEME or not sent.token:
        raise KeyMissing(f"{_why_missing()}; expected the header 'Authorization: Bearer KEY'")
    secret_sha256 = sha256(sent.token.encode()).digest()
    count_request(secret_sha256)
    return secret_sha256


def _why_missing() -> str:
    scheme, _, rest = request.headers.get("Authorization", "").strip().partition(" ")
    if not scheme:
        return "the request has no API key"
    if scheme.lower() == _SCHEME and not rest:
        return "the header Authorization has no key after 'Bearer'"
    return "the header Authorization does not begin with 'Bearer '"


def begin(
    session: Session,
    secret_sha256: bytes,
    access: Access,
    caller: Caller,
    *,
    is_reading: bool,
    ahead: Sequence[Query] = (),
) -> tuple[StoredKey, Pipeline | None]:
    """
    Find the key of the caller, and check that the operation or page can be used with it.

    Raises:
        ScopeMissing: as `check_access`.
    """
    key, begun = caller.begin(session, secret_sha256, is_reading=is_reading, ahead=ahead)
    check_access(key, access)
    return key, begun


def authenticate(key: StoredKey | None) -> StoredKey:
    """
    Return the key of the request, if the key that was sent exists.

    Raises:
        KeyUnknown: the key is unknown, expired or revoked.
        TooManyRequests: it is, and its address has sent too many of these.
    """
    if key is None:
        count_unknown()
        raise KeyUnknown(f"{_name_key()} is unknown, expired or revoked; expected a valid key of a club")
    current_request().key = key
    return key


def _name_key() -> str:
    """Return the key of the request in words, with its prefix, which lists of keys have too; the rest is secret."""
    prefix = _PREFIX.match(request.headers.get("Authorization", ""))
    return f"the API key '{prefix[1]}…'" if prefix else "the API key"


def check_access(key: StoredKey, access: Access) -> None:
    """
    Check that an operation or a page can be used with a key or a link.

    Raises:
        ScopeMissing: the key has none of the scopes, or the operation cannot be used with the link.
    """
    if not access.is_for(key):
        raise ScopeMissing(
            f"the link {key.name!r} is for one {_reach_of(key)}, and this operation is not for links; expected an API"
            f" key with the scope {join_scopes(access.scopes)}"
        )
    if access.by_player and key.player is not None:
        return
    if access.scopes and not has_scope(key.scopes, access.scopes):
        raise _missing(key, access.scopes)


def require_scope(*scopes: KeyScope) -> None:
    """
    Check that the key of the request has one of the scopes that only some requests of the operation need.

    Raises:
        ScopeMissing: the key has none of them.
    """
    key = current_key()
    if not has_scope(key.scopes, scopes):
        raise _missing(key, scopes)


def _missing(key: StoredKey, scopes: Scopes) -> ScopeMissing:
    held = ", ".join(repr(scope) for scope in key.scopes) or "no scope"
    kind = "link" if key.is_link else "key"
    return ScopeMissing(f"the {kind} {key.name!r} has {held}; expected a key with the scope {join_scopes(scopes)}")
