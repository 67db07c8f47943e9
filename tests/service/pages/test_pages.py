"""The pages for people: whole, well-formed, safe, and alone in the world."""

import json
import re
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import html5lib
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from service.examples import PROBLEMS, read_examples
from service.http.problem_kinds import PROBLEM_KINDS
from service.http.services import services_of
from service.openapi import build_contract
from service.pages import views
from tests.support.application import House

Read = Callable[[str], ElementTree.Element]
PAGES = ["/", "/docs", "/problems", *(f"/problems/{code}" for code in PROBLEM_KINDS)]


@pytest.fixture(scope="module")
def client(house: House) -> FlaskClient:
    """Somebody who has no key."""
    return house.app.test_client()


@pytest.fixture(scope="module")
def read(client: FlaskClient) -> Read:
    """Reads a page as strictly as no browser does."""

    @cache
    def strictly(path: str) -> ElementTree.Element:
        with client.get(path) as response:
            assert response.status_code == 200
            assert response.content_type == "text/html; charset=utf-8"
            parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
            page: ElementTree.Element = parser.parse(response.get_data(as_text=True))
        return page

    return strictly


def text_of(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def part(page: ElementTree.Element, id_: str) -> ElementTree.Element:
    [element] = page.findall(f".//*[@id='{id_}']")
    return element


def policy_of(response: TestResponse) -> dict[str, str]:
    rules = (rule.strip().partition(" ") for rule in response.headers["Content-Security-Policy"].split(";"))
    return {name: value for name, _, value in rules}


# --- every page ---


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_well_formed_and_has_a_title(read: Read, path: str) -> None:
    page = read(path)
    assert page.get("lang") == "en"
    assert len(page.findall(".//h1")) == 1
    assert "Tablestakes" in text_of(page.find(".//title"))
    assert len(page.findall(".//main")) == 1
    ids = [element.get("id") for element in page.iter() if element.get("id")]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_no_inline_script_or_style(read: Read, path: str) -> None:
    page = read(path)
    for tag in ("img", "iframe", "style", "form", "object", "video", "base", "meta[@http-equiv]"):
        assert page.findall(f".//{tag}") == [], tag
    for script in page.iter("script"):
        assert script.get("src"), ElementTree.tostring(script)
        assert not (script.text or "").strip()
    inline = [(element.tag, name) for element in page.iter() for name in element.attrib if re.match("on|style$", name)]
    assert inline == []


@pytest.mark.parametrize("path", PAGES)
def test_a_page_loads_only_files_of_the_service_that_its_policy_allows(
    client: FlaskClient, read: Read, path: str
) -> None:
    page, policy = read(path), policy_of(client.get(path))
    loaded = [(link.get("href"), "style-src", "text/css") for link in page.iter("link")]
    loaded += [(script.get("src"), "script-src", "text/javascript") for script in page.iter("script")]
    assert loaded
    for address, directive, content_type in loaded:
        parts = urlsplit(str(address))
        assert (parts.scheme, parts.netloc) == ("", ""), address
        assert policy[directive] == "'self'"
        with client.get(str(address)) as response:
            assert response.status_code == 200, address
            assert response.mimetype == content_type
            assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
            digest = sha256(response.get_data()).hexdigest()
        assert parts.query == f"v={digest[:16]}"


@pytest.mark.parametrize("name", ["style.css", "reference.css", "reference.js", "reference/swagger-ui.css"])
def test_a_file_of_a_page_loads_nothing_from_another_host(client: FlaskClient, name: str) -> None:
    with client.get(f"/static/{name}") as response:
        text = response.get_data(as_text=True)
    loaded = re.findall(r"url\(\s*['\"]?([^'\")]*)", text)
    assert [address for address in loaded if not address.startswith("data:")] == []
    assert "@import" not in text
    if not name.startswith("reference/"):
        assert "//" not in re.sub(r"(?m)^\s*//.*$", "", text)


@pytest.mark.parametrize("query", ["", "?v=0000000000000000", "?v="])
def test_a_file_without_its_hash_in_the_address_is_revalidated(client: FlaskClient, query: str) -> None:
    with client.get(f"/static/style.css{query}") as response:
        assert response.headers["Cache-Control"] == "no-cache"
        tag = response.headers["ETag"]
    with client.get(f"/static/style.css{query}", headers={"If-None-Match": tag}) as response:
        assert response.status_code == 304


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_revalidated(client: FlaskClient, path: str) -> None:
    assert client.get(path).headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize("path", [*PAGES, "/static/style.css", "/static/none.css", "/problems/no-luck"])
def test_a_page_forbids_everything_but_files_of_the_service(client: FlaskClient, path: str) -> None:
    with client.get(path) as response:
        headers, policy = response.headers, policy_of(response)
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
    assert policy["style-src"] == "'self'"
    scripts = {"script-src": "'self'", "connect-src": "'self'", "img-src": "data:"} if path == "/docs" else {}
    common = {"default-src", "base-uri", "form-action", "frame-ancestors", "style-src"}
    assert {name: value for name, value in policy.items() if name not in common} == scripts
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("path", PAGES)
def test_every_link_leads_somewhere_in_the_service(client: FlaskClient, read: Read, path: str) -> None:
    page = read(path)
    targets = {str(link.get("href")) for link in page.findall(".//a")}
    assert targets
    for target in targets:
        parts = urlsplit(target)
        assert (parts.scheme, parts.netloc) == ("", ""), target
        there = page if not parts.path else None
        if parts.path:
            with client.get(parts.path, follow_redirects=True) as response:
                assert response.status_code == 200, target
                there = read(response.request.path) if response.mimetype == "text/html" else None
        if parts.fragment:
            assert there is not None
            part(there, unquote(parts.fragment))


def test_the_first_page_leads_to_the_others(read: Read) -> None:
    links = {link.get("href") for link in read("/").findall(".//main//a")}
    assert links == {"/console/", "/docs", "/scorekeeper/", "/openapi.yaml", "/problems", "/v1/rulesets"}


def test_a_stored_problem_is_shown_again(read: Read) -> None:
    for code, example in read_examples()[PROBLEMS].items():
        shown = read(f"/problems/{code}").find(".//pre/code")
        assert json.loads("".join(shown.itertext())) == example


# --- the API reference ---


def test_the_reference_reads_the_openapi_document_of_the_service(client: FlaskClient, read: Read) -> None:
    address = str(part(read("/docs"), "reference").get("data-document"))
    assert address == "/openapi-audit.yaml"
    with client.get(address) as response:
        assert response.mimetype == "application/yaml"


def test_the_reference_leads_on_without_javascript(read: Read) -> None:
    [fallback] = read("/docs").iter("noscript")
    assert "needs JavaScript" in text_of(fallback)
    assert {link.get("href") for link in fallback.iter("a")} == {"/openapi.yaml", "/problems"}


def test_every_request_of_the_openapi_document_has_what_the_reference_shows(house: House) -> None:
    contract = build_contract(services_of(house.app).contract)
    operations = [
        (item.get("parameters", []), operation)
        for item in contract["paths"].values()
        for operation in item.values()
        if "operationId" in operation
    ]
    assert operations
    for shared, operation in operations:
        for parameter in (*shared, *operation.get("parameters", [])):
            assert "example" in parameter or not parameter.get("required"), (operation["operationId"], parameter)
        for media in operation.get("requestBody", {}).get("content", {}).values():
            assert media["examples"], operation["operationId"]
        # The page describes keys by the one security scheme.
        assert all(set(requirement) <= {"key"} for requirement in operation["security"])


@pytest.mark.parametrize("missing", ["reference/swagger-ui-bundle.js", "reference/swagger-ui.css", None])
def test_a_missing_reference_page_is_reported(
    client: FlaskClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str | None
) -> None:
    for name in ("style.css", "reference.css", "reference.js", *views.SWAGGER_UI):
        if missing is not None and name != missing:
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text("")
    (tmp_path / "style.css").touch()
    monkeypatch.setattr(views, "STATIC", tmp_path)
    response = client.get("/docs")
    page = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(response.get_data(as_text=True))
    assert response.status_code == 200
    assert "The files of the API reference are not installed: run make setup" in text_of(page.find(".//main"))
    assert list(page.iter("script")) == []
    assert {link.get("href") for link in page.findall(".//main//a")} == {"/openapi.yaml", "/problems"}


def test_npm_installs_packages_by_their_hashes_from_any_registry_without_scripts() -> None:
    web = Path(__file__).parents[3] / "web"
    packages = json.loads((web / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    dependencies = json.loads((web / "package.json").read_text(encoding="utf-8"))["dependencies"]
    installed = {name.removeprefix("node_modules/"): package for name, package in packages.items() if name}
    assert dependencies == {name: installed[name]["version"] for name in dependencies}
    for name, package in installed.items():
        assert package["integrity"].startswith("sha512-"), name
        assert "resolved" not in package, name
    assert "ignore-scripts=true" in (web / ".npmrc").read_text(encoding="utf-8").splitlines()
