"""Static files are compressed for clients that accept gzip, with tags of their own."""

import gzip
import os
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from service.pages import apps, views
from tests.support.application import House

SCRIPT = "export const answer = 42;\n" * 200
GZIP = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.fixture
def client(house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """A client of a service that has other files."""
    monkeypatch.setattr(apps, "BUILT", tmp_path / "web")
    monkeypatch.setattr(views, "STATIC", tmp_path)
    (tmp_path / "web" / "assets").mkdir(parents=True)
    (tmp_path / "web" / "scorekeeper").mkdir()
    (tmp_path / "web" / "scorekeeper" / "index.html").write_text(SCRIPT)
    (tmp_path / "web" / "assets" / "scorekeeper-1.js").write_text(SCRIPT)
    (tmp_path / "web" / "assets" / "short.js").write_text("1")
    (tmp_path / "web" / "assets" / "icon.png").write_text(SCRIPT)
    (tmp_path / "web" / "assets" / "dense.zip").write_bytes(os.urandom(5000))
    return house.app.test_client()


@pytest.mark.parametrize("path", ["/static/web/assets/scorekeeper-1.js", "/scorekeeper/"])
def test_a_file_is_compressed_for_clients_that_accept_it(client: FlaskClient, path: str) -> None:
    with client.get(path, headers=GZIP) as packed, client.get(path) as plain:
        assert packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.data) == plain.data == SCRIPT.encode()
        assert int(packed.headers["Content-Length"]) == len(packed.data) < len(plain.data) / 10
        assert "Content-Encoding" not in plain.headers
        assert packed.headers["ETag"] != plain.headers["ETag"]
        for name in ("Content-Type", "Cache-Control", "Content-Security-Policy", "Vary", "Last-Modified"):
            assert packed.headers[name] == plain.headers[name], name
        assert "Accept-Encoding" in packed.headers["Vary"]


@pytest.mark.parametrize("headers", [GZIP, {}])
def test_a_tag_is_for_the_bytes_that_are_sent(client: FlaskClient, headers: dict[str, str]) -> None:
    path = "/static/web/assets/scorekeeper-1.js"
    with client.get(path, headers=headers) as first:
        tag = first.headers["ETag"]
    with client.get(path, headers={**headers, "If-None-Match": tag}) as again:
        assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
        assert "Accept-Encoding" in again.headers["Vary"]
    other = {} if headers else GZIP
    with client.get(path, headers={**other, "If-None-Match": tag}) as changed:
        assert changed.status_code == 200


def test_a_file_that_changed_is_compressed_again(client: FlaskClient, tmp_path: Path) -> None:
    path, file = "/static/web/assets/scorekeeper-1.js", tmp_path / "web" / "assets" / "scorekeeper-1.js"
    with client.get(path, headers=GZIP) as first:
        tag = first.headers["ETag"]
    file.write_text(SCRIPT.replace("42", "43"))
    os.utime(file, ns=(0, 10**18))
    with client.get(path, headers={**GZIP, "If-None-Match": tag}) as changed:
        assert gzip.decompress(changed.data).startswith(b"export const answer = 43")


@pytest.mark.parametrize("name", ["short.js", "icon.png", "dense.zip"])
def test_what_hardly_becomes_smaller_is_sent_as_it_is(client: FlaskClient, name: str) -> None:
    with client.get(f"/static/web/assets/{name}", headers=GZIP) as response:
        assert response.status_code == 200
        assert "Content-Encoding" not in response.headers


@pytest.mark.parametrize("accepted", ["identity", "gzip;q=0", "br"])
def test_gzip_is_sent_only_where_it_is_accepted(client: FlaskClient, accepted: str) -> None:
    with client.get("/scorekeeper/", headers={"Accept-Encoding": accepted}) as response:
        assert response.data == SCRIPT.encode()
        assert "Content-Encoding" not in response.headers


def test_a_part_of_a_file_is_a_part_of_the_file_itself(client: FlaskClient) -> None:
    headers = {**GZIP, "Range": "bytes=0-5"}
    with client.get("/static/web/assets/scorekeeper-1.js", headers=headers) as response:
        assert (response.status_code, response.data) == (206, b"export")


@pytest.mark.parametrize("path", ["/static/none.js", "/static/../views.py", "/static/%2e%2e/views.py", "/static/web"])
def test_other_files_are_not_found(client: FlaskClient, path: str) -> None:
    assert client.get(path, headers=GZIP).status_code == 404
