"""Pages of other origins in a browser: those that the operator lists use the API with a key, others do not."""

from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx2
import pytest
from playwright.sync_api import BrowserContext, Page

from tests.support.server_process import Running, running

pytestmark = pytest.mark.thorough
PAGE = b"<!doctype html><title>A page of a club</title>"

CALL = """async ([url, method, headers, body, credentials]) => {
  try {
    const response = await fetch(url, { method, headers, body, credentials });
    const read = ["ETag", "Request-Id", "Location", "RateLimit-Policy", "Idempotent-Replayed"];
    const found = Object.fromEntries(read.map((name) => [name, response.headers.get(name)]));
    return { status: response.status, headers: found, text: await response.text() };
  } catch (error) {
    return { error: error.name };
  }
}"""


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a web server whose page is at two origins: `127.0.0.1`, which is listed, and `localhost`."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Page) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[Running]:
    listed = {"OFC_CORS_ORIGINS": f"http://127.0.0.1:{port}"}
    with running(tmp_path_factory.mktemp("up") / "ofc", **listed) as up:
        yield up


@pytest.fixture
def key(service: Running) -> str:
    return (service.directory / "api-key").read_text().strip()


def call(
    page: Page, url: str, key: str, method: str = "GET", body: str | None = None, credentials: str = "omit", **more: str
) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {key}", **{name.replace("_", "-"): value for name, value in more.items()}}
    if body is not None:
        headers["Content-Type"] = "application/json"
    response: dict[str, Any] = page.evaluate(CALL, [url, method, headers, body, credentials])
    return response


def list_tables(service: Running, key: str) -> list[dict[str, Any]]:
    headers = {"Authorization": f"Bearer {key}"}
    tables: list[dict[str, Any]] = httpx2.get(
        f"{service.url}/v1/tables", headers=headers, timeout=60, trust_env=False
    ).json()["tables"]
    return tables


def open_at(context: BrowserContext, host: str, port: int) -> Page:
    page = context.new_page()
    page.goto(f"http://{host}:{port}/")
    return page


def test_a_listed_origin_records_and_reads_with_a_key(
    context: BrowserContext, service: Running, port: int, key: str
) -> None:
    page = open_at(context, "127.0.0.1", port)
    send = partial(call, page, key=key)
    response = send(
        f"{service.url}/v1/tables",
        method="POST",
        body='{"name": "kitchen", "ruleset": "pineapple"}',
        Idempotency_Key="one",
    )
    assert response["status"] == 201, response
    [table] = list_tables(service, key)
    read = send(f"{service.url}/v1/tables/{table['id']}")
    assert read["status"] == 200
    assert read["headers"]["ETag"]
    assert read["headers"]["Request-Id"]
    same = send(f"{service.url}/v1/tables/{table['id']}", If_None_Match=read["headers"]["ETag"])
    assert same["status"] == 304
    unnamed = send(f"{service.url}/v1/players/ann", method="DELETE")
    assert unnamed["status"] == 204
    refused = send(f"{service.url}/v1/tables", method="POST", body="{}")
    assert refused["status"] == 422
    assert "validation" in refused["text"].lower()
    without_key = call(page, f"{service.url}/v1/tables", "ofc_nothing")
    assert without_key["status"] == 401


def test_credentials_of_the_browser_are_never_sent(
    context: BrowserContext, service: Running, port: int, key: str
) -> None:
    page = open_at(context, "127.0.0.1", port)
    assert call(page, f"{service.url}/v1/tables", key, credentials="include") == {"error": "TypeError"}


def test_another_origin_reads_and_records_nothing(
    context: BrowserContext, service: Running, port: int, key: str
) -> None:
    page = open_at(context, "localhost", port)
    assert call(page, f"{service.url}/v1/tables", key) == {"error": "TypeError"}
    attic = '{"name": "attic", "ruleset": "pineapple"}'
    assert call(page, f"{service.url}/v1/tables", key, method="POST", body=attic) == {"error": "TypeError"}
    assert "attic" not in [table["name"] for table in list_tables(service, key)]
