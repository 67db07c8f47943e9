"""Authentication: the key of a request, its club, and the transaction of the request."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from functools import partial, wraps
from hashlib import sha256
from threading import BoundedSemaphore
from typing import Any, Final

from flask import Response, request

from service.clubs.queries import keys
from service.clubs.queries.keys import StoredKey
from service.clubs.scopes import KeyScope, has_scope, join_scopes
from service.db import Database, Pipeline, Query, Session, Transaction
from service.errors import ExportsBusy, KeyMissing, KeyUnknown, ScopeMissing
from service.http.dry_run import is_dry_run
from service.http.idempotency import HEADER, read_idempotency_key, respond_once
from service.http.rate_limits import count_request, count_unknown
from service.http.request_body import receive_body
from service.http.request_state import current_request
from service.http.responses import MEDIA_TYPE
from service.http.services import current_services

READING: Final = ("GET", "HEAD")
_SCHEME: Final = "bearer"
_PREFIX: Final = re.compile(r"bearer (ofc_[a-z0-9]{8}_)", re.IGNORECASE)

MOST_STREAMS: Final = 2
"""Maximum number of streamed responses in a process: half of its threads, so that other requests are served."""
_STREAMS_RETRY_SECONDS: Final = 5
HELD: Final = "ofc.held"
"""The key of a WSGI environment for what the streamed response to the request holds."""
_streams: Final = BoundedSemaphore(MOST_STREAMS)

Scopes = tuple[KeyScope, ...]
ReadAhead = Callable[..., Sequence[Query]]
"""Returns queries from the arguments of a view."""


class Reach(StrEnum):
    """What a link shows. An operation that is for links to rounds is for links to tables too."""

    TABLE = "table"
    ROUND = "round"


@dataclass(frozen=True, slots=True)
class Access:
    """
    Who can use an operation.

    Attributes:
        scopes: the key or link needs one of these.
        by_link: the links that can be used; None if only keys can.
    """

    scopes: Scopes
    by_link: Reach | None = None

    def is_for(self, key: StoredKey) -> bool:
        """Return whether the operation can be used with a key, or with a link of this reach."""
        return (
            key.table_id is None or self.by_link is Reach.ROUND or (self.by_link is not None and key.round_id is None)
        )


def database() -> Database:
    """Return the database of the application."""
    return current_services().database


def read_nothing_ahead(**_: Any) -> Sequence[Query]:
    """Return no queries."""
    return ()


def with_key(view: Callable[..., Any], access: Access) -> Callable[..., Any]:
    """Run a view in one transaction of the key's club, which is committed when the view returns."""

    @wraps(view)
    def guarded(*arguments: Any, **options: Any) -> Any:
        secret_sha256 = admit()
        receive_body()
        with database().session() as session:
            key, begun = begin(session, secret_sha256, access, is_reading=request.method in READING)
            with _transaction_of(key, session, begun) as transaction:
                current_request().transaction = transaction
                return view(*arguments, **options)

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
            key, begun = begin(session, secret_sha256, access, is_reading=False, ahead=queries)
            is_dry = is_dry_run()
            # A dry run rejects an invalid idempotency key too, because its response is that of the real request.
            sent_key = read_idempotency_key()
            retry_key = None if is_dry else sent_key
            with _writing(key, session, begun, rolled_back=is_dry) as transaction:
                current_request().transaction = transaction
                work = partial(view, *arguments, **options)
                if retry_key is None:
                    return work()
                return respond_once(transaction, retry_key, work, media_type=media_type)

    return guarded


def with_key_to_stream(view: Callable[..., Response], access: Access) -> Callable[..., Response]:
    """
    Run a view in a read-only snapshot of the key's club, which stays open while the response is sent.

    The transaction ends with the last byte of the response, or when the client disconnects.
    """

    @wraps(view)
    def guarded(*arguments: Any, **options: Any) -> Response:
        secret_sha256 = admit()
        with ExitStack() as opened:
            count_stream(opened)
            session = opened.enter_context(database().session())
            key, begun = begin(session, secret_sha256, access, is_reading=True)
            current_request().transaction = session.reading(key.club_id, key.table_id, key.round_id, begun)
            return stream(view(*arguments, **options), opened)

    return guarded


def count_stream(opened: ExitStack) -> None:
    """
    Count a streamed response of this process until its resources are released.

    Raises:
        ExportsBusy: other responses are being streamed.
    """
    if not _streams.acquire(blocking=False):
        raise ExportsBusy(
            f"{MOST_STREAMS} exports are being read from this process; expected at most {MOST_STREAMS} at a"
            " time: retry when one of them has ended",
            _STREAMS_RETRY_SECONDS,
        )
    opened.callback(_streams.release)


def with_key_to_upload(view: Callable[..., Response], access: Access) -> Callable[..., Response]:
    """Run a view that streams its request body after authentication, and begins its transactions itself."""

    @wraps(view)
    def guarded(*arguments: Any, **options: Any) -> Response:
        secret_sha256 = admit()
        with database().session() as session:
            check_key(keys.find(session, secret_sha256), access)
        return view(*arguments, **options)

    return guarded


def stream(response: Response, opened: ExitStack) -> Response:
    """Return a response that releases resources after its last block; if it is not sent, the application does."""
    resources = ExitStack()
    response.response = _release_after(response.response, resources)
    request.environ[HELD] = resources
    # Last, because the caller releases them after an error.
    resources.push(opened.pop_all())
    return response


def _release_after(blocks: Iterable[Any], resources: ExitStack) -> Iterator[Any]:
    with resources:
        yield from blocks


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
            found, begun = keys.begin(session, secret_sha256, is_reading=True)
            key = authenticate(found)
            if has_scope(key.scopes, access.scopes) and access.is_for(key):
                current_request().transaction = session.reading(key.club_id, key.table_id, key.round_id, begun)
            return view(*arguments, **options)

    return open_to_all


def _transaction_of(key: StoredKey, session: Session, begun: Pipeline) -> AbstractContextManager[Transaction]:
    """Continue a transaction: a read-only snapshot for GET and HEAD, otherwise one that can write."""
    if request.method in READING:
        return nullcontext(session.reading(key.club_id, key.table_id, key.round_id, begun))
    return _writing(key, session, begun)


def _writing(
    key: StoredKey, session: Session, begun: Pipeline, *, rolled_back: bool = False
) -> AbstractContextManager[Transaction]:
    return session.transaction(
        key.club_id,
        actor=key.id,
        request_id=current_request().request_id,
        table_id=key.table_id,
        round_id=key.round_id,
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
    session: Session, secret_sha256: bytes, access: Access, *, is_reading: bool, ahead: Sequence[Query] = ()
) -> tuple[StoredKey, Pipeline]:
    """
    Begin a transaction with a key or a link, as `keys.begin` does, and check it.

    Raises:
        KeyUnknown, TooManyRequests, ScopeMissing: as `check_key`.
    """
    key, begun = keys.begin(session, secret_sha256, is_reading=is_reading, ahead=ahead)
    return check_key(key, access), begun


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


def check_key(found: StoredKey | None, access: Access) -> StoredKey:
    """
    Check that a key or a link exists, as `authenticate` does, and that the operation can be used with it.

    Raises:
        KeyUnknown, TooManyRequests: as `authenticate`.
        ScopeMissing: the key has none of the scopes, or the operation cannot be used with the link.
    """
    key = authenticate(found)
    if not access.is_for(key):
        reach = Reach.TABLE if key.round_id is None else Reach.ROUND
        raise ScopeMissing(
            f"the link {key.name!r} is for one {reach}, and this operation is not for links; expected an API key with"
            f" the scope {join_scopes(access.scopes)}"
        )
    if not has_scope(key.scopes, access.scopes):
        raise _missing(key, access.scopes)
    return key


def require_scope(scope: KeyScope) -> None:
    """
    Check that the key of the request has a scope that only some requests of the operation need.

    Raises:
        ScopeMissing: the key does not have the scope.
    """
    key = current_key()
    if not has_scope(key.scopes, (scope,)):
        raise _missing(key, (scope,))


def _missing(key: StoredKey, scopes: Scopes) -> ScopeMissing:
    held = ", ".join(repr(scope) for scope in key.scopes) or "no scope"
    kind = "key" if key.table_id is None else "link"
    return ScopeMissing(f"the {kind} {key.name!r} has {held}; expected a key with the scope {join_scopes(scopes)}")
