"""The pages that run in the browser: their headers, and what the service responds where they are not built."""

from pathlib import Path

import pytest
from flask.testing import FlaskClient

from service.pages import apps
from tests.support.application import House


@pytest.fixture
def client(house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FlaskClient:
    """Somebody without a key, of a service that has other built files."""
    monkeypatch.setattr(apps, "BUILT", tmp_path)
    monkeypatch.setattr(apps, "RULES", tmp_path / "rules")
    return house.app.test_client()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/scorekeeper/", "scorekeeper/index.html"),
        ("/scorekeeper/sw.js", "scorekeeper/sw.js"),
        ("/scorekeeper/rules/worker.js", "rules/worker.js"),
    ],
)
def test_a_built_file_is_sent_with_its_policy(client: FlaskClient, tmp_path: Path, path: str, name: str) -> None:
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text("content")
    with client.get(path) as response:
        assert response.status_code == 200
        assert response.get_data(as_text=True) == "content"
        assert response.headers["Content-Security-Policy"] == apps.POLICY
        assert response.headers["Cache-Control"] == "no-cache"
        assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", ["/scorekeeper/", "/scorekeeper/sw.js", "/scorekeeper/rules/worker.js"])
def test_a_page_that_is_not_built_is_not_found(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 404
    assert response.get_json()["code"] == "not-found"
    assert "make web" in response.get_json()["detail"]


def test_the_address_without_a_slash_redirects(client: FlaskClient) -> None:
    response = client.get("/scorekeeper")
    assert (response.status_code, response.headers["Location"]) == (308, "/scorekeeper/")


@pytest.mark.parametrize(
    "path",
    ["/scorekeeper/other", "/scorekeeper/../app.py", "/scorekeeper/%2e%2e/app.py", "/scorekeeper/rules/../views.py"],
)
def test_other_addresses_are_not_found(client: FlaskClient, path: str) -> None:
    assert client.get(path).status_code == 404
