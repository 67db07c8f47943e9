"""`ofc-server up --tls-cert --tls-key`: HTTPS without a proxy."""

import os
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from service.pages.views import STATIC
from tests.support.certificates import Certificate, make_certificate
from tests.support.server_process import Running, command

BUNDLE = "reference/swagger-ui-bundle.js"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture(scope="module")
def service(files: Certificate, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    options = ["--tls-cert", str(files.certificate), "--tls-key", str(files.key)]
    up = Running(tmp_path_factory.mktemp("up") / "ofc", options=options, OFC_TRANSFER_SECONDS="2")
    yield up
    up.close()


def connect(service: Running, files: Certificate) -> httpx2.Client:
    trusting = ssl.create_default_context(cafile=files.authority)
    headers = {"Authorization": f"Bearer {(service.directory / 'api-key').read_text().strip()}"}
    return httpx2.Client(base_url=service.url, headers=headers, verify=trusting, timeout=60, trust_env=False)


@pytest.fixture
def client(service: Running, files: Certificate) -> Iterator[httpx2.Client]:
    with connect(service, files) as client:
        yield client


def test_addresses_are_printed_as_https(service: Running) -> None:
    assert service.url.startswith("https://127.0.0.1:")
    assert f"Ready on {service.url}\n" in service.output
    assert f"once within 10 minutes: {service.url}/console/sign-in/" in service.output


def test_a_client_that_trusts_the_authority_reads_and_records(client: httpx2.Client, service: Running) -> None:
    for _ in range(3):
        assert client.get("/healthz").status_code == 200
    table = client.post("/v1/tables", json={"name": "friday", "ruleset": "pineapple"}).json()["id"]
    issued = client.post("/v1/links", json={"table": table}).json()
    assert issued["url"].startswith(f"{service.url}/links/ofc_link_")
    assert [each["code"] for each in issued["warnings"]] == ["link-loopback"]


def test_a_client_that_does_not_trust_the_authority_connects_to_nothing(service: Running) -> None:
    with pytest.raises(httpx2.ConnectError, match="certificate"):
        httpx2.get(f"{service.url}/healthz", timeout=60, trust_env=False)


def test_long_bodies_and_responses_arrive_whole(client: httpx2.Client) -> None:
    response = client.get(f"/static/{BUNDLE}", headers={"Accept-Encoding": "identity"})
    assert response.content == (STATIC / BUNDLE).read_bytes()
    assert len(response.content) > 1_000_000
    refused = client.post("/v1/score", json={"ruleset": "x" * 200_000, "players": []})
    assert refused.status_code == 422
    refused = client.post("/v1/score", content=b" " * 3_000_000, headers={"Content-Type": "application/json"})
    assert refused.status_code == 413


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_the_connection_has_a_current_version_of_tls(
    service: Running, files: Certificate, version: ssl.TLSVersion
) -> None:
    context = ssl.create_default_context(cafile=files.authority)
    context.minimum_version = context.maximum_version = version
    with httpx2.Client(verify=context, timeout=60, trust_env=False) as client:
        assert client.get(f"{service.url}/healthz").status_code == 200


def test_clients_that_are_silent_or_speak_http_stop_nobody(
    client: httpx2.Client, service: Running, files: Certificate
) -> None:
    port = int(service.url.rpartition(":")[2])
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
    plain = socket.create_connection(("127.0.0.1", port))
    plain.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert client.get("/healthz").status_code == 200
    plain.settimeout(10)
    with suppress(ConnectionResetError):
        assert b"HTTP/1.1 200" not in plain.recv(1000)
    for each in silent:
        # The limit for the head of a request includes the handshake.
        each.settimeout(10)
        assert each.recv(1000) == b""
        each.close()
    plain.close()
    # The client's own connection has been idle as long as the silent ones, so that the server may be closing it.
    with connect(service, files) as later:
        assert later.get("/healthz").status_code == 200


def test_a_client_that_leaves_during_the_handshake_stops_nobody(client: httpx2.Client, service: Running) -> None:
    port = int(service.url.rpartition(":")[2])
    for begun in (b"", b"\x16", b"\x16\x03\x01\x02\x00\x01", os.urandom(300)):
        with socket.create_connection(("127.0.0.1", port)) as leaving:
            leaving.sendall(begun)
    assert client.get("/healthz").status_code == 200


def test_the_command_line_client_trusts_the_authority_of_ssl_cert_file(service: Running, files: Certificate) -> None:
    key = (service.directory / "api-key").read_text().strip()
    trusting = {"SSL_CERT_FILE": str(files.authority), "OFC_URL": service.url, "OFC_API_KEY": key}
    variables = {name: text for name, text in os.environ.items() if not name.startswith(("OFC_", "SSL_"))}
    listing = [sys.executable, "-m", "client", "table", "list"]
    done = subprocess.run(listing, env={**variables, **trusting}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    refused = subprocess.run(
        listing, env={**variables, **trusting, "SSL_CERT_FILE": ""}, capture_output=True, text=True, timeout=60
    )
    assert refused.returncode != 0
    assert "certificate" in refused.stderr.lower()


# --- refusals ---


def refuse(certificate: Path, key: Path) -> str:
    refused = command("up", "--port", "0", "--tls-cert", str(certificate), "--tls-key", str(key))
    assert refused.returncode == 1, refused.stderr
    assert "Traceback" not in refused.stderr
    return refused.stderr


def test_missing_and_unusable_files_are_named(files: Certificate, tmp_path: Path) -> None:
    missing, empty = tmp_path / "missing.pem", tmp_path / "empty.pem"
    empty.touch()
    for option, arguments in {
        "--tls-cert": [(missing, files.key), (tmp_path, files.key), (empty, files.key), (files.key, files.key)],
        "--tls-key": [
            (files.certificate, missing),
            (files.certificate, tmp_path),
            (files.certificate, empty),
            (files.certificate, files.certificate),
        ],
    }.items():
        for certificate, key in arguments:
            message = refuse(certificate, key)
            assert option in message
            assert str(certificate if option == "--tls-cert" else key) in message


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_key_that_may_not_be_read_is_named(files: Certificate, tmp_path: Path) -> None:
    key = tmp_path / "closed.key"
    key.write_bytes(files.key.read_bytes())
    key.chmod(0)
    assert f"The file {key} of --tls-key cannot be read: permission denied." in refuse(files.certificate, key)


def test_a_key_of_another_certificate_is_refused(files: Certificate, tmp_path: Path) -> None:
    other = make_certificate(tmp_path)
    assert "does not belong to the certificate" in refuse(files.certificate, other.key)


def test_an_encrypted_key_and_broken_files_are_refused(files: Certificate, tmp_path: Path) -> None:
    encrypted = make_certificate(tmp_path / "encrypted", passphrase=b"secret")
    assert "is encrypted" in refuse(encrypted.certificate, encrypted.key)
    broken = tmp_path / "broken.pem"
    broken.write_text(files.certificate.read_text().replace("M", "N", 3))
    assert "cannot be used" in refuse(broken, files.key)


def test_both_files_are_needed(files: Certificate) -> None:
    for options in (["--tls-cert", str(files.certificate)], ["--tls-key", str(files.key)]):
        refused = command("up", *options)
        assert refused.returncode == 2
        assert "--tls-cert and --tls-key belong together" in refused.stderr
