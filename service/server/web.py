"""
A web process: Hypercorn, which waits for slow clients, and the application, which runs in threads.

`service/server/processes.py` starts one or several of them on an open socket.
"""

import asyncio
import logging
import os
import resource
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from typing import Any, Final

from flask import Flask
from hypercorn.asyncio import serve
from hypercorn.config import Config
from hypercorn.middleware import AsyncioWSGIMiddleware

from service.config import read_transfer_seconds
from service.http.request_body import BODY_STATE, MOST_BYTES, MOST_LARGE_BYTES, BodyState
from service.http.services import find_services
from service.logs import start_logging
from service.memory import limit_arenas
from service.metrics.workers import take_place
from service.places import MOST_LISTENERS

Scope = Any
"""A request, as ASGI has it."""

_THREADS: Final = MOST_LISTENERS + 8
"""The threads that run the application: eight more than can wait for events."""
LARGE_PATHS: Final = ("/v1/imports", "/console/jobs/import")
"""Where bodies over `MOST_BYTES` are accepted."""
_MOST_LARGE: Final = 8
"""The largest number of large bodies that a process holds at once."""
_PIECE_BYTES: Final = 64 * 1024
"""A response is sent in pieces of so many bytes."""
_MOST_FILES: Final = 65_536
_LONGER: Final = 5
"""A large body can take so many times longer."""


class BufferingServer:
    """
    An ASGI application that runs a WSGI application in threads, none of which waits for a client.

    A thread starts when the complete body of a request was received, and ends when its response is computed. Only a
    streamed response waits, when `MOST_BYTES` of it are not sent yet. A body that is not held in memory is discarded,
    and the header `BODY_STATE` says why.
    """

    def __init__(self, app: Flask, seconds: int) -> None:
        """
        Create the ASGI application.

        Args:
            app: the WSGI application.
            seconds: the time in which a body must be received, and a piece of a response be taken.
        """
        self._respond = AsyncioWSGIMiddleware(_beginning(app), MOST_LARGE_BYTES)
        self._seconds = seconds
        self._large = 0

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Respond to a request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close"})
        if scope["type"] != "http":
            return
        if not _is_unambiguous(scope):
            await send({"type": "http.response.start", "status": 400, "headers": [(b"connection", b"close")]})
            await send({"type": "http.response.body"})
            return
        can_be_large = _is_for_large(scope) and self._large < _MOST_LARGE
        self._large += can_be_large
        try:
            body, state = await self._receive(receive, can_be_large=can_be_large)
            if state is BodyState.TOO_LARGE and _is_for_large(scope) and not can_be_large:
                state = BodyState.TOO_MANY
            if state is not BodyState.LEFT:
                await self._answer(_describe(scope, len(body), state), body, receive, send)
        finally:
            self._large -= can_be_large

    async def _receive(self, receive: Any, *, can_be_large: bool) -> tuple[bytes, BodyState]:
        """Return the body of a request, and whether the application can use it."""
        body, state, has_more = bytearray(), BodyState.COMPLETE, True
        try:
            async with asyncio.timeout(self._seconds * (_LONGER if can_be_large else 1)):
                while has_more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return b"", BodyState.LEFT
                    body += message["body"]
                    has_more = message["more_body"]
                    if len(body) > (MOST_LARGE_BYTES if can_be_large else MOST_BYTES):
                        state = BodyState.TOO_LARGE
                        body.clear()
        except TimeoutError:
            return b"", BodyState.INCOMPLETE
        return bytes(body) if state is BodyState.COMPLETE else b"", state

    async def _answer(self, scope: Scope, body: bytes, receive: Any, send: Any) -> None:
        left = asyncio.ensure_future(_wait_until_left(receive))
        blocks: deque[Any] = deque()
        received = iter([{"type": "http.request", "body": body, "more_body": False}])

        async def give_body() -> Any:
            return next(received)

        async def send_blocks() -> None:
            while blocks:
                for piece in _cut(blocks.popleft()):
                    if left.done():
                        raise ConnectionError
                    async with asyncio.timeout(self._seconds):
                        await send(piece)

        async def add_block(block: Any) -> None:
            if sum(len(each.get("body", b"")) for each in blocks) > MOST_BYTES:
                await send_blocks()
            blocks.append(block)

        try:
            # The thread raises what `add_block` raises, which ends a streamed response.
            with suppress(ConnectionError, TimeoutError):
                await self._respond(scope, give_body, add_block)
                await send_blocks()
        finally:
            left.cancel()


async def _wait_until_left(receive: Any) -> None:
    """Wait until the client has closed the connection; discard what it sends of a body that is not used."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _cut(block: Any) -> Iterator[Any]:
    """Cut a block of a response into pieces, each of which a slow client can take in time."""
    content = block.get("body")
    if not content:
        yield block
        return
    for begin in range(0, len(content), _PIECE_BYTES):
        yield {**block, "body": content[begin : begin + _PIECE_BYTES]}


def _describe(scope: Scope, length: int, state: BodyState) -> Scope:
    """Return the request with the length of its body, which a chunked one lacks, and the state of the body."""
    state_name, framing = BODY_STATE.lower().encode(), (b"content-length", b"transfer-encoding")
    headers = [(name, value) for name, value in scope["headers"] if name != state_name]
    if state is not BodyState.COMPLETE:
        return {**scope, "headers": [*headers, (state_name, state.encode())]}
    kept = [(name, value) for name, value in headers if name not in framing]
    return {**scope, "headers": [*kept, (b"content-length", b"%d" % length)] if len(kept) < len(headers) else kept}


def _is_unambiguous(scope: Scope) -> bool:
    """
    Return whether a proxy sees the same requests as the service.

    Others can disagree about the end of a body with two lengths, and about HTTP/2 without TLS, which Hypercorn accepts.
    """
    names = [name for name, _ in scope["headers"] if name in (b"content-length", b"transfer-encoding")]
    return len(names) < 2 and scope["http_version"] in ("1.0", "1.1")


def _is_for_large(scope: Scope) -> bool:
    return scope["method"] == "POST" and scope["path"] in LARGE_PATHS


def _beginning(app: Flask) -> Callable[[Any, Any], Iterator[bytes]]:
    """Return an application whose responses begin with an empty block; Hypercorn refuses those without a block."""

    def respond(environ: Any, start_response: Any) -> Iterator[bytes]:
        blocks = app(environ, start_response)
        try:
            yield b""
            yield from blocks
        finally:
            getattr(blocks, "close", lambda: None)()

    return respond


def _configure(seconds: int, descriptor: str, certificate: str | None = None, key: str | None = None) -> Config:
    config = Config()
    config.ssl_handshake_timeout = seconds
    config.bind = [f"fd://{descriptor}"]
    config.certfile, config.keyfile = certificate, key
    config.alpn_protocols = ["http/1.1"]
    config.errorlog = logging.getLogger("hypercorn")
    config.include_server_header = False
    config.h11_max_incomplete_size = 64 * 1024
    # Longer than clients reuse idle connections: a request must not meet one that closes. Hypercorn keeps a connection
    # that its client has closed for so long too, so it must not be much longer.
    config.keep_alive_timeout = min(20, seconds)
    config.keep_alive_max_requests = sys.maxsize
    # Longer than a wait for a lock (10 s) and for an unconfirmed commit (15 s), which end with a response of their own.
    config.graceful_timeout = 20
    return config


async def _serve(app: Flask, seconds: int, config: Config) -> None:
    """Serve until SIGTERM. Requests that wait for events then end at once, and others in `graceful_timeout`."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.set_default_executor(ThreadPoolExecutor(_THREADS))
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    loop.set_exception_handler(_report_exception)
    services = find_services(app)
    if services is not None:
        services.is_stopping = stop.is_set
    await serve(BufferingServer(app, seconds), config, shutdown_trigger=stop.wait, mode="asgi")


def _report_exception(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log an exception, except that a connection is lost: Hypercorn ends then, and the client is the cause."""
    if not isinstance(context.get("exception"), OSError):
        loop.default_exception_handler(context)


def _raise_limit_of_files() -> None:
    """Allow as many open files, and so connections, as the system does, up to a bound."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, _MOST_FILES)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def main(application: str, place: str, workers: str, descriptor: str, *tls: str) -> None:
    """
    Serve an application on an open socket.

    Args:
        application: its module and name; the module is imported after the slot is taken.
        place: the slot of the process for its metrics, from 0.
        workers: the number of web processes, which share the rate limits.
        descriptor: the number of the open socket.
        tls: the files of a certificate and its key.
    """
    start_logging()
    limit_arenas()
    _raise_limit_of_files()
    take_place(int(place))
    module, _, name = application.partition(":")
    app: Flask = getattr(import_module(module), name)
    services = find_services(app)
    if services is not None and services.rate_limits is not None:
        services.rate_limits.workers = int(workers)
    seconds = read_transfer_seconds(os.environ)
    asyncio.run(_serve(app, seconds, _configure(seconds, descriptor, *tls)))


if __name__ == "__main__":
    main(*sys.argv[1:])
