"""
Requests hidden in others: what a proxy and the service could take for different requests is refused by the service.

Bytes go to a real server. Hidden in each is a request, with a key that opens the club, that would make a table.
"""

import re
import socket
from contextlib import suppress

import h2.connection
import h2.events
import pytest

from tests.support.shared_server import Served

BODY = b'{"name": "smuggled", "ruleset": "pineapple"}'


def hidden(served: Served) -> bytes:
    """A whole request that would make a table."""
    key = served.headers["Authorization"].encode()
    head = b"POST /v1/tables HTTP/1.1\r\nHost: x\r\nAuthorization: %s\r\nContent-Type: application/json\r\n" % key
    return head + b"Content-Length: %d\r\n\r\n%s" % (len(BODY), BODY)


def outer(served: Served, framing: bytes, version: bytes = b"1.1") -> bytes:
    """The head of a request whose body has the framing given."""
    key = served.headers["Authorization"].encode()
    begins = b"POST /v1/score HTTP/%s\r\nHost: x\r\nAuthorization: %s\r\n" % (version, key)
    return begins + b"Content-Type: application/json\r\n" + framing + b"\r\n\r\n"


SILENCE = 1.5
"""After so many seconds without a byte, an open connection has nothing more to say."""


def send(served: Served, sent: bytes) -> tuple[list[int], bytes]:
    """Send bytes, and return the statuses of the responses, and all bytes received until silence or the end."""
    host, _, port = served.url.removeprefix("http://").partition(":")
    received = b""
    with socket.create_connection((host, int(port)), timeout=15) as client, suppress(OSError):
        client.sendall(sent)
        client.settimeout(SILENCE)
        while chunk := client.recv(65536):
            received += chunk
    # What was sent before is handled before what is asked now: one process handles both.
    assert served.get("/readyz") == {"status": "ok"}
    return [int(status) for status in re.findall(rb"HTTP/1\.[01] (\d{3}) ", received)], received


def tables(served: Served) -> int:
    return served.records.count_records()["tables"]


FRAMINGS: dict[str, tuple[bytes, bytes]] = {
    "length and chunks": (b"Content-Length: 5\r\nTransfer-Encoding: chunked", b"0\r\n\r\n"),
    "chunks and length": (b"Transfer-Encoding: chunked\r\nContent-Length: 4", b"0\r\n\r\n"),
    "two lengths": (b"Content-Length: 2\r\nContent-Length: 3", b"{}"),
    "a list of lengths": (b"Content-Length: 2, 3", b"{}"),
    "a length with a sign": (b"Content-Length: +2", b"{}"),
    "a negative length": (b"Content-Length: -1", b"{}"),
    "a hexadecimal length": (b"Content-Length: 0x2", b"{}"),
    "a length as Python writes it": (b"Content-Length: 1_0", b"{}"),
    "a blank before the colon": (b"Content-Length : 2", b"{}"),
    "a blank before the coding's colon": (b"Transfer-Encoding : chunked", b"0\r\n\r\n"),
    "a coding that nobody knows": (b"Transfer-Encoding: xchunked", b"0\r\n\r\n"),
    "a coding after a tab": (b"Transfer-Encoding: \x0bchunked", b"0\r\n\r\n"),
    "a coding that is none any more": (b"Transfer-Encoding: identity, chunked", b"0\r\n\r\n"),
    "a coding beside chunks": (b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", b"0\r\n\r\n"),
    "chunks twice": (b"Transfer-Encoding: chunked, chunked", b"0\r\n\r\n"),
    "two codings": (b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", b"0\r\n\r\n"),
    "a negative chunk": (b"Transfer-Encoding: chunked", b"-1\r\n"),
    "a chunk as Python writes it": (b"Transfer-Encoding: chunked", b"0x2\r\n{}\r\n0\r\n\r\n"),
    "a chunk that does not end": (b"Transfer-Encoding: chunked", b"2\r\n{}XX0\r\n\r\n"),
    "chunks with half a line break": (b"Transfer-Encoding: chunked", b"2\n{}\n0\n\n"),
    "a lone carriage return": (b"X-A: a\rContent-Length: 2", b"{}"),
    "a null in a header": (b"X-A: a\x00b\r\nContent-Length: 2", b"{}"),
    "a blank in a name": (b"X A: a\r\nContent-Length: 2", b"{}"),
}


@pytest.mark.parametrize("kind", FRAMINGS)
def test_a_request_with_two_ends_is_refused_and_nothing_after_it_is_parsed(served: Served, kind: str) -> None:
    framing, body = FRAMINGS[kind]
    before = tables(served)
    statuses, received = send(served, outer(served, framing) + body + hidden(served))
    # A body whose end is not found yet has no response.
    assert statuses in ([400], [501], []), received
    assert tables(served) == before
    # The refusal repeats nothing of the request.
    assert len(received) < 300


def test_chunks_are_not_understood_in_the_older_version(served: Served) -> None:
    before = tables(served)
    sent = outer(served, b"Transfer-Encoding: chunked", version=b"1.0") + b"0\r\n\r\n" + hidden(served)
    assert send(served, sent)[0] in ([400], [501])
    assert tables(served) == before


@pytest.fixture(params=["without a key", "with a wrong key", "too large", "nowhere", "get"])
def unread(request: pytest.FixtureRequest, served: Served) -> bytes:
    """The head of a request whose body the service has no reason to read."""
    inner = len(hidden(served))
    length = b"Content-Length: %d\r\n\r\n" % inner
    return {
        "without a key": b"POST /v1/tables HTTP/1.1\r\nHost: x\r\n" + length,
        "with a wrong key": b"POST /v1/tables HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ofc_no\r\n" + length,
        "too large": outer(served, b"Content-Length: %d" % (2 * 1024 * 1024 + inner)) + b" " * 2 * 1024 * 1024,
        "nowhere": b"POST /nowhere HTTP/1.1\r\nHost: x\r\n" + length,
        "get": b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + length,
    }[request.param]


def test_an_unread_body_is_never_parsed_as_a_request(served: Served, unread: bytes) -> None:
    before = tables(served)
    statuses, received = send(served, unread + hidden(served))
    assert len(statuses) <= 1, received
    assert tables(served) == before


@pytest.mark.parametrize(
    ("sent", "statuses"),
    [
        (b"GET /%s HTTP/1.1\r\nHost: x\r\n\r\n" % (b"a" * 300_000), {431}),
        (b"GET / HTTP/1.1\r\nHost: x\r\nX-A: %s\r\n\r\n" % (b"a" * 300_000), {431}),
        (b"GET / HTTP/1.1\r\nHost: x\r\n%s\r\n" % b"".join(b"X-%d: a\r\n" % number for number in range(30_000)), {431}),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, secret\r\n\r\n", {501}),
        (b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", {400, 505}),
        (b"GET / HTTP/1.1\r\n\r\n", {400}),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", set()),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 20 + b"\r\n\r\n", {400}),
    ],
    ids=[
        "a very long line",
        "a very long header",
        "many headers",
        "an unknown coding",
        "no version",
        "no host",
        "another protocol",
        "encrypted",
    ],
)
def test_heads_are_bounded_and_what_is_no_request_is_refused(served: Served, sent: bytes, statuses: set[int]) -> None:
    codes, received = send(served, sent)
    # A client refused while sending may find the connection closed before it reads the response.
    assert set(codes) <= statuses
    assert codes or not statuses or len(sent) > 20_000
    # The refusal repeats nothing of the request.
    assert len(received) < 300


def test_a_request_in_http_2_is_refused(served: Served) -> None:
    host, _, port = served.url.removeprefix("http://").partition(":")
    client = h2.connection.H2Connection()
    client.initiate_connection()
    key = served.headers["Authorization"]
    head = [
        (":method", "GET"),
        (":path", "/v1/tables"),
        (":scheme", "http"),
        (":authority", "x"),
        ("authorization", key),
    ]
    client.send_headers(1, head, end_stream=True)
    statuses = []
    with socket.create_connection((host, int(port)), timeout=15) as connection:
        connection.sendall(client.data_to_send())
        while not statuses:
            for event in client.receive_data(connection.recv(65536)):
                if isinstance(event, h2.events.ResponseReceived):
                    statuses += [value for name, value in event.headers if name == b":status"]
    assert statuses == [b"400"]


def test_the_server_does_not_reveal_its_software(served: Served) -> None:
    received = send(served, b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")[1]
    for word in (b"hypercorn", b"h11", b"Werkzeug", b"Flask", b"Python"):
        assert word.lower() not in received.lower()


MOST = 1024 * 1024


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (BODY + b" " * (MOST - len(BODY)), 201),
        (BODY + b" " * (MOST - len(BODY) + 1), 413),
        (BODY + b" " * (MOST - len(BODY)) + b"}} and more", 413),
        (b" " * MOST + BODY, 413),
        (BODY + b" " * 3 * MOST, 413),
    ],
    ids=["just the largest", "a byte too large", "more than it seems", "nothing and then more", "far too large"],
)
def test_a_body_in_chunks_is_read_whole_or_refused(served: Served, body: bytes, status: int) -> None:
    before = tables(served)
    pieces = (body[begin : begin + 60_000] for begin in range(0, len(body), 60_000))
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    head = outer(served, b"Transfer-Encoding: chunked\r\nConnection: close").replace(b"/v1/score", b"/v1/tables")
    statuses, received = send(
        served, head.replace(b"\r\n\r\n", b"\r\nIdempotency-Key: %d\r\n\r\n" % hash(body)) + chunks + b"0\r\n\r\n"
    )
    # A client that sends too much may find the connection closed before it reads the response.
    assert statuses == [status] or (statuses == [] and len(body) > 2 * MOST), received
    assert tables(served) == before + (status == 201)
