"""What the client does when the way to the service, or the service, is not as it should be."""

import socket
import socketserver
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
import stamina
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from client.api import Client
from client.errors import ApiError, ClientError, RefusedError, TransportError, UnreadableError
from tests.support.client.faulty_server import (
    BUSY,
    DOWN,
    HTML,
    INCOMPLETE,
    NO_GATEWAY,
    NOTHING,
    UNCERTAIN,
    build_response,
    cut_off,
    faulty,
    problem,
)
from tests.support.client.run_ofc import ofc, ofc_process

ROUND = {"id": "1", "ruleset": "pineapple@1", "status": "open", "hands": 0, "seats": [], "next": None}
PROBLEM = {"title": "No", "code": "internal-error", "detail": "not now"}
OK = build_response(200, ROUND)
FAULTS = ["down", "gateway", "closed", "cut off", "busy"]
HAND = {"id": "1", "number": 1, "players": [], "exchanges": [], "transfers": [], "stacks": {}, "round": ROUND}
RECORDED = build_response(201, HAND, Idempotent_Replayed="true")


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


# --- certificates ---


def write_certificate(path: Path) -> Path:
    """Write a certificate of 127.0.0.1, signed by itself, and its key into a file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "service")]), datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    secret = key.private_bytes(serialization.Encoding.PEM, *plain)
    path.write_bytes(secret + certificate.public_bytes(serialization.Encoding.PEM))
    return path


@contextmanager
def https(certificate: Path, response: bytes) -> Iterator[str]:
    """Send a response to every request over HTTPS; yields the address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError), context.wrap_socket(self.request, server_side=True) as stream:
                stream.recv(65536)
                stream.sendall(response)

    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"https://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_an_https_service_needs_a_trusted_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = write_certificate(tmp_path / "service.pem")
    with https(certificate, OK) as url:
        with Client(url) as client, pytest.raises(TransportError, match="certificate verify failed"):
            client.get_round("1")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with Client(url) as client:
            assert client.get_round("1") == ROUND


def test_an_http_service_needs_no_certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "nowhere.pem"))
    with faulty(OK) as server, Client(server.url) as client:
        assert client.get_round("1") == ROUND


# --- retries where they are safe ---


def unavailable(seconds: str) -> bytes:
    document = {"title": "No", "code": "streams-full", "detail": "too many streams", "errors": []}
    return build_response(503, document, "application/problem+json", Retry_After=seconds)


def test_an_unavailable_service_is_called_again_after_the_stated_time() -> None:
    with faulty(unavailable("1"), OK) as server, Client(server.url) as client:
        started = time.monotonic()
        assert client.get_round("1") == ROUND
        assert time.monotonic() - started >= 1
        assert server.requests == ["GET /v1/rounds/1"] * 2


def test_a_service_that_stays_unavailable_is_reported_after_three_waits() -> None:
    with faulty(unavailable("0")) as server, Client(server.url) as client:
        with pytest.raises(TransportError, match="is not available: too many streams"):
            client.get_round("1")
        assert len(server.requests) == 4


def too_many(seconds: str) -> bytes:
    document = {"title": "No", "code": "rate-limited", "detail": "the limit of 3 requests a minute", "errors": []}
    return build_response(429, document, "application/problem+json", Retry_After=seconds)


def test_a_rate_limited_request_is_retried_after_the_stated_time() -> None:
    with faulty(too_many("1"), too_many("0"), OK) as server, Client(server.url) as client:
        pending_rank = time.monotonic()
        assert client.get_round("1") == ROUND
        assert time.monotonic() - pending_rank >= 1
        assert server.requests == ["GET /v1/rounds/1"] * 3


@pytest.mark.parametrize("seconds", ["86400", "", "soon", "-1"])
def test_a_long_retry_delay_is_reported_at_once(seconds: str) -> None:
    with faulty(too_many(seconds)) as server, Client(server.url) as client:
        with pytest.raises(ApiError, match="the limit of 3 requests a minute"):
            client.get_round("1")
        assert server.requests == ["GET /v1/rounds/1"]


@pytest.mark.parametrize("fault", [DOWN, NO_GATEWAY, NOTHING, cut_off(OK), BUSY], ids=FAULTS)
def test_a_read_request_is_retried(fault: bytes) -> None:
    with faulty(fault, fault, OK) as server, Client(server.url) as client:
        assert client.get_round("1") == ROUND
        assert server.requests == ["GET /v1/rounds/1"] * 3


@pytest.mark.parametrize("fault", [DOWN, NO_GATEWAY, NOTHING, cut_off(RECORDED), BUSY], ids=FAULTS)
def test_a_retried_hand_is_recorded_once(fault: bytes) -> None:
    with faulty(fault, RECORDED) as server, Client(server.url) as client:
        recorded = client.record_hand("1", {"number": 1})
        assert recorded == HAND
        assert recorded.is_replay
        assert server.requests == ["POST /v1/rounds/1/hands"] * 2


ROUND_OR_TABLE = {**ROUND, "name": "kitchen"}
RECORDED_OTHER = build_response(200, ROUND_OR_TABLE)
OTHERS: dict[str, Callable[[Client], object]] = {
    "add_table": lambda client: client.add_table({"name": "kitchen"}),
    "open_round": lambda client: client.open_round("1", {"seats": []}),
    "record_departure": lambda client: client.record_departure("1", {"seat": 1}),
    "close_round": lambda client: client.close_round("1", {"reason": "late"}),
    "undo_hand": lambda client: client.undo_hand("1", {"number": 1}),
}


@pytest.mark.parametrize("operation", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize(
    "fault",
    [DOWN, NO_GATEWAY, NOTHING, cut_off(OK), BUSY, UNCERTAIN, INCOMPLETE],
    ids=[*FAULTS, "uncertain", "incomplete"],
)
def test_an_uncertain_request_is_retried_under_the_same_key(
    operation: Callable[[Client], object], fault: bytes
) -> None:
    with faulty(fault, fault, RECORDED_OTHER) as server, Client(server.url) as client:
        assert operation(client) == ROUND_OR_TABLE
        [key] = set(server.keys)
        assert key is not None
        assert len(server.keys) == 3
        operation(client)
        assert server.keys[-1] not in (None, key)


def test_a_refused_request_is_not_retried() -> None:
    with faulty(problem(422, "hand-invalid", "no")) as server, Client(server.url) as client:
        with pytest.raises(ApiError) as refused:
            client.record_hand("1", {})
        assert (refused.value.code, len(server.requests)) == ("hand-invalid", 1)


# --- and given up after a while ---


def test_retries_end_if_the_service_stays_down(tmp_path: Path) -> None:
    with faulty(DOWN) as server:
        result = ofc("round", "list", OFC_URL=server.url)
        assert result.code == 3
        assert result.err == f"Error: {server.url} is not available: the database does not answer\n"
        assert len(server.requests) == 4


def test_a_busy_round_is_refused_after_retries() -> None:
    with faulty(BUSY) as server:
        result = ofc("round", "list", OFC_URL=server.url)
        assert result.code == 1
        assert "No (busy)" in result.err
        assert "somebody else is changing the same round" in result.err


def test_an_unreachable_service_is_an_error_within_seconds() -> None:
    url = f"http://127.0.0.1:{closed_port()}"
    started = time.monotonic()
    result = ofc_process("round", "list", OFC_URL=url)
    assert result.code == 3
    reason = f"{url} does not respond (connection refused); is the service running there?"
    assert result.err == f"Waiting: {reason}\nError: {reason}\n"
    assert time.monotonic() - started < 30


def test_an_unknown_host_name_is_a_one_line_error() -> None:
    result = ofc("ruleset", "list", OFC_URL="http://tablestakes.invalid")
    assert result.code == 3
    assert result.err.startswith("Error: http://tablestakes.invalid does not respond (")
    assert result.err.count("\n") == 1


def test_a_connection_that_always_breaks_is_a_one_line_error() -> None:
    with faulty(cut_off(OK)) as server:
        result = ofc("ruleset", "list", OFC_URL=server.url)
    assert result.code == 3
    assert result.err.startswith(f"Error: {server.url} does not respond (")


# --- another server responds ---


@pytest.mark.parametrize(
    ("other", "summary"),
    [
        (HTML, "200 Because with text/html"),
        (build_response(404, "<h1>Not here</h1>", "text/html"), "404 Because with text/html"),
        (build_response(200, "{", "application/json"), "200 Because with application/json"),
        (build_response(200, ["a list"]), "200 Because with application/json"),
        (build_response(200, {"a": "strange object"}), "200 Because with application/json"),
        (build_response(302, "", "text/plain", Location="https://example.net/"), "302 Because with text/plain"),
        (build_response(400, {"code": 7}), "400 Because with application/json"),
        (build_response(200, "[" * 100_000), "200 Because with application/json"),
        (build_response(200, {"rulesets": [{}]}), "200 Because with application/json"),
        (build_response(200, {"rulesets": [None, 7]}), "200 Because with application/json"),
        (build_response(500, {**PROBLEM, "errors": [1, 2]}), "500 Because with application/json"),
        (build_response(500, {**PROBLEM, "errors": None}), "500 Because with application/json"),
        (
            build_response(500, {**PROBLEM, "errors": [{"pointer": None, "detail": "no"}]}),
            "500 Because with application/json",
        ),
        (build_response(400, {**PROBLEM, "title": None}), "400 Because with application/json"),
    ],
)
def test_another_server_is_a_one_line_error(other: bytes, summary: str) -> None:
    with faulty(other) as server:
        result = ofc("ruleset", "list", OFC_URL=server.url)
    assert result.code == 3
    assert (
        result.err
        == f"Error: {server.url} responded {summary}, which is not a response of Tablestakes; is the address right?\n"
    )


STRANGE: dict[str, list[object]] = {
    "tables": [{}, 7, {"id": 7, "name": "friday"}, {"id": "1", "name": None}],
    "rounds": [{}, None, {**ROUND, "next": {}}, {**ROUND, "seats": [{"seat": 1}]}, {**ROUND, "hands": "2"}],
}


@pytest.mark.parametrize(("name", "item"), [(name, item) for name, items in STRANGE.items() for item in items])
def test_a_list_from_another_server_is_a_one_line_error(name: str, item: object) -> None:
    friday = build_response(200, {"tables": [{"id": "1", "name": "friday", "ruleset": "pineapple@1"}]})
    for command in (["round", "show", "friday"], ["hand", "add", "friday"]):
        with faulty(*([friday] if name == "rounds" else []), build_response(200, {name: [item]})) as server:
            result = ofc(*command, OFC_URL=server.url)
        assert (result.code, result.out) == (3, "")
        assert result.err.endswith(" which is not a response of Tablestakes; is the address right?\n")


@pytest.mark.parametrize("document", [{}, {**ROUND, "ruleset": 1}, {"ruleset": "pineapple", "seats": [], "hands": [1]}])
def test_a_round_from_another_server_is_rejected(document: object) -> None:
    with faulty(build_response(200, document)) as server, Client(server.url) as client:
        for read in (client.get_round, client.get_document, client.get_table, client.get_ruleset):
            with pytest.raises(TransportError, match="which is not a response of Tablestakes"):
                read("1")


def test_a_gateway_without_a_service_is_a_one_line_error() -> None:
    with faulty(NO_GATEWAY) as server:
        result = ofc("ruleset", "list", OFC_URL=server.url)
    assert result.code == 3
    assert "responded 502 Because with text/html" in result.err


# --- addresses and keys ---


@pytest.mark.parametrize(
    "url", ["localhost:8000", "127.0.0.1", "http://", "ftp://127.0.0.1", "http://[::1", "http://127.0.0.1:99999", "x"]
)
def test_an_invalid_address_is_a_one_line_error(url: str) -> None:
    result = ofc("--url", url, "ruleset", "list")
    assert result.code == 2
    assert result.err == f"Error: {url!r} is not the URL of a service; expected a URL such as http://127.0.0.1:8000\n"


def test_an_address_may_have_a_path_and_end_in_a_slash() -> None:
    with faulty(OK) as server, Client(f"{server.url}/ofc/") as client:
        client.get_round("1")
        assert server.requests == ["GET /ofc/v1/rounds/1"]


@pytest.mark.parametrize("key", ["ключ", "two keys", "a\nb"])
def test_an_invalid_key_is_a_one_line_error_that_does_not_show_it(key: str) -> None:
    result = ofc("ruleset", "list", OFC_API_KEY=key)
    assert result.code == 2
    assert result.err.startswith("Error: the key has a space, a line break or an invalid character")
    assert key not in result.err


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "cannot be read: no such file or directory"),
        (b"\xff\xfe", "cannot be read: it is not text"),
        (b"\n", "is empty; expected one key"),
    ],
)
def test_an_empty_key_file_is_a_one_line_error(tmp_path: Path, content: bytes | None, why: str) -> None:
    path = tmp_path / "api-key"
    if content is not None:
        path.write_bytes(content)
    result = ofc("--key-file", path, "ruleset", "list")
    assert (result.code, result.err) == (2, f"Error: the key file {path} {why}\n")


def test_the_key_file_option_overrides_the_environment(tmp_path: Path) -> None:
    result = ofc("--key-file", tmp_path / "nowhere", "ruleset", "list", OFC_API_KEY="abc")
    assert result.code == 2
    assert "nowhere cannot be read" in result.err


# --- the tree of errors ---


def test_every_error_of_the_client_has_one_base_class() -> None:
    kinds: list[type[Exception]] = [TransportError, UnreadableError, RefusedError, ApiError]
    assert all(issubclass(kind, ClientError) for kind in kinds)
    assert issubclass(ApiError, RefusedError)
    assert [TransportError("").code, UnreadableError("").code] == ["transport", "unreadable"]


def test_a_refusal_has_the_code_of_the_service() -> None:
    error = ApiError({"title": "No", "code": "hand-conflict", "detail": "recorded otherwise", "errors": []})
    assert (error.code, str(error)) == ("hand-conflict", "recorded otherwise")
    error.move_pointers("hands", 2)
    assert error.problem["errors"] == [
        {"pointer": "#/hands/2", "code": "hand-conflict", "detail": "recorded otherwise"}
    ]
