"""The nginx of docs/nginx.conf in front of the service."""

import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.support.certificates import Certificate, make_certificate
from tests.support.database.postgres import Server as Postgres
from tests.support.server_process import running, wait_until
from tests.support.slow_clients import dripping
from tests.support.worker_process import lines_of, rounds_to_import

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
SITE = Path(__file__).parents[3] / "docs" / "nginx.conf"
NAME = "ofc.example.org"

pytestmark = pytest.mark.skipif(
    NGINX is None, reason="nginx is not installed; as root, .ci/run installs it from Debian"
)


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def does_listen(port: int) -> bool:
    with closing(socket.socket()) as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def write_configuration(directory: Path, certificate: Certificate, port: int, service_port: str) -> Path:
    """Write a configuration with the site of docs/, with other addresses and files."""
    site = SITE.read_text()
    for written, here in {
        "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
        "127.0.0.1:8000": f"127.0.0.1:{service_port}",
        f"/etc/ssl/certs/{NAME}.pem": str(certificate.certificate),
        f"/etc/ssl/private/{NAME}.key": str(certificate.key),
    }.items():
        assert site.count(written) == 1, f"docs/nginx.conf does not say {written} once"
        site = site.replace(written, here)
    (directory / "site.conf").write_text(site)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"  {kind}_temp_path {directory / kind};\n" for kind in kinds)
    user = "user root;\n" if os.geteuid() == 0 else ""
    main = directory / "nginx.conf"
    main.write_text(
        f"{user}daemon off;\npid {directory / 'pid'};\nerror_log {directory / 'error.log'};\nevents {{}}\n"
        f"http {{\n  access_log off;\n{paths}  include {directory / 'site.conf'};\n}}\n"
    )
    return main


@contextmanager
def nginx_before(service_url: str, directory: Path) -> Iterator[tuple[int, Certificate]]:
    """Run nginx in front of a service, and yield its port and certificate."""
    assert NGINX is not None
    directory.mkdir()
    certificate = make_certificate(directory / "tls", name=NAME)
    port = free_port()
    configuration = write_configuration(directory, certificate, port, service_url.rpartition(":")[2])
    error_log = directory / "error.log"
    nginx = subprocess.Popen([NGINX, "-p", str(directory), "-c", str(configuration), "-e", str(error_log)])
    try:
        assert wait_until(lambda: does_listen(port)), error_log.read_text()
        yield port, certificate
    finally:
        nginx.terminate()
        nginx.wait(timeout=60)


@pytest.fixture(scope="module")
def proxied(embedded_postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    """Return a client of the service behind nginx, with a key."""
    logins = embedded_postgres.create_database()
    directory: Path = tmp_path_factory.mktemp("proxied")
    database = {"OFC_DATABASE_URL": logins.service, "OFC_OWNER_URL": logins.owner}
    with (
        running(directory, **database, OFC_TRUSTED_PROXIES="1", OFC_RATE_LIMIT="6000", OFC_CONCURRENCY="1") as service,
        nginx_before(service.url, directory / "nginx") as (port, _),
    ):
        key = (directory / "api-key").read_text().strip()
        with httpx2.Client(
            base_url=f"https://127.0.0.1:{port}",
            headers={"Authorization": f"Bearer {key}", "Host": NAME},
            verify=False,
            trust_env=False,
            timeout=30,
        ) as client:
            yield client
    embedded_postgres.drop_database(logins)


def connect(proxied: httpx2.Client, sent: bytes) -> socket.socket:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    address = (proxied.base_url.host, proxied.base_url.port or 0)
    client = context.wrap_socket(socket.create_connection(address, timeout=30))
    client.sendall(sent)
    return client


def test_nginx_forwards_requests_and_hides_the_metrics(proxied: httpx2.Client) -> None:
    assert proxied.get("/readyz").json() == {"status": "ok"}
    assert proxied.post("/v1/tables", json={"name": "behind nginx", "ruleset": "pineapple"}).status_code == 201
    assert proxied.get("/metrics").status_code == 403


def test_large_imports_and_exports_pass_through_nginx(proxied: httpx2.Client) -> None:
    lines = lines_of(rounds_to_import(800))
    assert len(lines) > 1024 * 1024, "more than nginx lets any other request have"
    headers = {"Content-Type": "application/x-ndjson"}
    job = proxied.post("/v1/imports", content=lines, headers=headers).json()
    assert wait_until(lambda: proxied.get(f"/v1/imports/{job['id']}").json()["state"] == "succeeded", 60)
    assert len(proxied.get("/v1/export").text.splitlines()) == 800


def test_the_console_has_a_secure_cookie_and_receives_files_through_nginx(proxied: httpx2.Client) -> None:
    key = proxied.headers["Authorization"].removeprefix("Bearer ")
    with httpx2.Client(
        base_url=proxied.base_url, headers={"Host": NAME}, verify=False, trust_env=False, timeout=30
    ) as browser:
        origin = {"Origin": f"https://{NAME}", "Sec-Fetch-Site": "same-origin"}
        signed_in = browser.post("/console/sign-in", data={"key": key}, headers=origin)
        assert signed_in.status_code == 303, signed_in.text
        assert "; Secure" in signed_in.headers["Set-Cookie"]
        cookie = {"Cookie": signed_in.headers["Set-Cookie"].partition(";")[0]}
        page = browser.get("/console/jobs/import", headers=cookie)
        match = re.search('name="csrf" value="([0-9a-f]{64})"', page.text)
        assert match is not None
        content = b'{"not": "a round"}\n' * 100_000
        form, file = {"csrf": match[1], "state": "final"}, {"file": ("rounds.ndjson", content)}
        sent = browser.post("/console/jobs/import", data=form, files=file, headers=origin | cookie)
        assert sent.status_code == 303, sent.text
        assert "100,000 lines" in browser.get(sent.headers["Location"], headers=cookie).text


def test_nginx_buffers_slow_clients(proxied: httpx2.Client) -> None:
    key = proxied.headers["Authorization"]
    head = f"POST /v1/tables HTTP/1.1\r\nHost: {NAME}\r\nAuthorization: {key}\r\nContent-Length: 50\r\n\r\n".encode()
    clients = [connect(proxied, sent) for sent in (head, b"GET /healthz HTTP/1.1\r\nX-A: ") for _ in range(40)]
    try:
        with dripping(clients, b"a"):
            for number in range(20):
                assert proxied.get("/healthz", timeout=5).status_code == 200
                new_table = {"name": f"table {number}", "ruleset": "pineapple"}
                assert proxied.post("/v1/tables", json=new_table, timeout=5).status_code == 201
        assert "ofc_requests_in_flight" not in proxied.get("/healthz").text
    finally:
        for client in clients:
            client.close()


def test_the_forwarded_address_is_limited(proxied: httpx2.Client) -> None:
    def get_status(address: str) -> int:
        headers = {"Authorization": "Bearer ofc_nobodys", "X-Forwarded-For": address}
        return proxied.get("/v1/tables", headers=headers).status_code

    # Whoever asks cannot name an address: nginx adds the one that it sees, and only that one is believed.
    assert [get_status(f"198.51.100.{number}") for number in range(62)][-1] == 429
