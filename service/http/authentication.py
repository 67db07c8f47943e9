"""Who asks: the key, its club, and the one transaction of the request."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import partial, wraps
from hashlib import sha256
from threading import BoundedSemaphore
from typing import Any, Final

from flask import Response, current_app, g, request

from schemas.access import parse_token
from service.clubs.queries import keys
from service.clubs.queries.keys import StoredKey
from service.clubs.scopes import Scope, name_scopes, opens
from service.db import Database, Session, Transaction
from service.errors import KeyMissing, KeyUnknown, NotFound, ScopeMissing, TooManyRequests
from service.http.dry_run import is_dry_run
from service.http.headers import NOT_KEPT
from service.http.idempotency import answer_once, read_retry_key
from service.http.rate_limits import count_found, count_request
from service.http.request_body import BodyAwaited, is_body_awaited, receive_body
from service.links.actions import check_link

READING: Final = ("GET", "HEAD")
_SCHEME: Final = "bearer"

MOST_STREAMS: Final = 2
"""So many responses of a process may be streamed at once: half of its threads, so that other requests have the rest."""
_STREAMS_RETRY_SECONDS: Final = 5
_streams: Final = BoundedSemaphore(MOST_STREAMS)

Scopes = tuple[Scope, ...]


def database() -> Database:
    """Give the application's database."""
    found: Database = current_app.extensions["ofc_database"]
    return found


def with_key(view: Callable[..., Any], scopes: Scopes) -> Callable[..., Any]:
    """Let a view work in one transaction of the club whose key the request carries; it commits when the view ends."""

    @wraps(view)
    def guarded(*arguments: Any, **options: Any) -> Any:
        secret_sha256 = admit()
        receive_body_of(secret_sha256, scopes)
        with database().session() as session:
            key = find_key(session, secret_sha256, scopes)
            with _transaction_of(key, session) as transaction:
                g.transaction = transaction
                return view(*arguments, **options)

    return guarded


def with_key_to_record(view: Callable[..., Response], scopes: Scopes) -> Callable[..., Response]:
    """
    Let a view record in one transaction of the club whose key the request carries; it commits when the view ends.

    A request that was sent before is answered as it was then; a dry run is rolled back.
    """

    @wraps(view)
    def guarded(*arguments: Any, **options: Any) -> Response:
        secret_sha256 = admit()
        receive_body_of(secret_sha256, scopes)
        with database().session() as session:
            key = find_key(session, secret_sha256, scopes)
            is_dry = is_dry_run()
            # A key that cannot be read is refused in a dry run too, which answers as the real one would.
            sent_key = read_retry_key()
            retry_key = None if is_dry else sent_key
            with session.transaction(
                key.club_id, actor=key.id, request_id=g.request_id, rolled_back=is_dry
            ) as transaction:
                g.transaction = transaction
                work = partial(view, *arguments, **options)
                return work() if retry_key is None else answer_once(transaction, retry_key, work)

    return guarded


def with_key_to_stream(view: Callable[..., Response], scopes: Scopes) -> Callable[..., Response]:
    """
    Let a view read in the club whose key the request carries, from one moment, for as long as its answer is being sent.

    The transaction ends with the answer's last byte, or when whoever asked has gone.
    """

    @wraps(view)
    def guarded(*arguments: Any, **options: Any) -> Response:
        secret_sha256 = admit()
        with ExitStack() as opened:
            if not _streams.acquire(blocking=False):
                raise TooManyRequests(
                    f"{MOST_STREAMS} exports are being read from this process already; send the request again when"
                    " one of them has ended",
                    _STREAMS_RETRY_SECONDS,
                )
            opened.callback(_streams.release)
            session = opened.enter_context(database().session())
            g.transaction = session.reading(find_key(session, secret_sha256, scopes).club_id)
            answer = view(*arguments, **options)
            sending = opened.pop_all()
        answer.response = _until_sent(answer.response, sending)
        answer.call_on_close(sending.close)
        return answer

    return guarded


def with_key_to_upload(view: Callable[..., Response], scopes: Scopes) -> Callable[..., Response]:
    """Let a view read its body as it comes, once the key is found; it begins its transactions itself."""

    @wraps(view)
    def guarded(*arguments: Any, **options: Any) -> Response:
        secret_sha256 = admit()
        with database().session() as session:
            find_key(session, secret_sha256, scopes)
        if is_body_awaited():
            raise BodyAwaited
        return view(*arguments, **options)

    return guarded


def with_link(view: Callable[..., Response]) -> Callable[..., Response]:
    """Let a view read the one round that the token in its address opens; it is told of the link, not of the token."""

    @wraps(view)
    def guarded(*arguments: Any, token: str, **options: Any) -> Response:
        token_sha256 = sha256(token.encode()).digest()
        count_request(token_sha256)
        signed = parse_token(token)
        with database().session() as session:
            if signed is not None:
                g.transaction = session.reading(signed.link.club_id)
            is_open = signed is not None and check_link(g.transaction, signed)
            count_found(token_sha256, is_known=is_open)
            if signed is None or not is_open:
                raise NotFound("the link is incomplete, has expired, or was revoked")
            answered = view(*arguments, link=signed.link, **options)
        answered.headers.update(NOT_KEPT)
        return answered

    return guarded


def _until_sent(blocks: Iterable[Any], sending: ExitStack) -> Iterator[Any]:
    with sending:
        yield from blocks


def with_key_if_any(view: Callable[..., Any], scopes: Scopes) -> Callable[..., Any]:
    """
    Let a view work without a key, or in its club where the request carries a key with one of the scopes.

    A key without them sees what everybody sees.
    """

    @wraps(view)
    def open_to_all(*arguments: Any, **options: Any) -> Any:
        # A key that cannot be read is a mistake, not a request without one.
        if not request.headers.get("Authorization"):
            return view(*arguments, **options)
        secret_sha256 = admit()
        with database().session() as session:
            key = authenticate(session, secret_sha256)
            if opens(key.scopes, scopes):
                g.transaction = session.reading(key.club_id)
            return view(*arguments, **options)

    return open_to_all


def _transaction_of(key: StoredKey, session: Session) -> AbstractContextManager[Transaction]:
    """Begin what the request needs: to read, one moment however many statements it takes; otherwise to write."""
    if request.method in READING:
        return nullcontext(session.reading(key.club_id))
    return session.transaction(key.club_id, actor=key.id, request_id=g.request_id)


def current_key() -> StoredKey:
    """Give the key that the request carries."""
    key: StoredKey = g.key
    return key


def current_transaction() -> Transaction:
    """Give the request's transaction."""
    transaction: Transaction = g.transaction
    return transaction


def transaction_if_any() -> Transaction | None:
    """Give the request's transaction, or None where it came without a key."""
    transaction: Transaction | None = g.get("transaction")
    return transaction


def admit() -> bytes:
    """
    Read the key that the request carries, count the request, and give the key's hash.

    Raises:
        KeyMissing: it carries none.
        TooManyRequests: it has to wait.
    """
    sent = request.authorization
    if sent is None or sent.type != _SCHEME or not sent.token:
        raise KeyMissing("the request carries no key; expected the header 'Authorization: Bearer KEY'")
    secret_sha256 = sha256(sent.token.encode()).digest()
    count_request(secret_sha256)
    return secret_sha256


def authenticate(session: Session, secret_sha256: bytes) -> StoredKey:
    """
    Find a key by the whole of it.

    Args:
        session: of the request.
        secret_sha256: the hash of what was sent.

    Raises:
        KeyUnknown: the key opens nothing.
    """
    key = keys.find(session, secret_sha256)
    count_found(secret_sha256, is_known=key is not None)
    if key is None:
        raise KeyUnknown("the key is not known, has expired, or was revoked")
    g.key = key
    return key


def find_key(session: Session, secret_sha256: bytes, scopes: Scopes) -> StoredKey:
    """
    Find a key, as `authenticate` does, that has one of the scopes.

    Raises:
        KeyUnknown: the key opens nothing.
        ScopeMissing: the key has none of the scopes.
    """
    key = authenticate(session, secret_sha256)
    if not opens(key.scopes, scopes):
        raise _missing(key, scopes)
    return key


def receive_body_of(secret_sha256: bytes, scopes: Scopes) -> None:
    """
    Receive the request's body, before a connection to the database is taken for longer than to find its key.

    Nobody's body is waited for whose key does not open the operation.

    Raises:
        KeyUnknown, ScopeMissing: as `find_key`, where the body is still to come.
        ClientDisconnected, RequestEntityTooLarge: as `receive_body`.
    """
    if is_body_awaited():
        with database().session() as session:
            find_key(session, secret_sha256, scopes)
    receive_body()


def require_scope(scope: Scope) -> None:
    """
    Let a request go on only where its key has a scope beside the operation's own, which only some requests need.

    Raises:
        ScopeMissing: the key has it not.
    """
    key = current_key()
    if not opens(key.scopes, (scope,)):
        raise _missing(key, (scope,))


def _missing(key: StoredKey, scopes: Scopes) -> ScopeMissing:
    held = ", ".join(repr(scope) for scope in key.scopes) or "no scope"
    return ScopeMissing(f"the key {key.name!r} has {held}; expected a key with {name_scopes(scopes)}")
