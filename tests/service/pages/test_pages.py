"""The pages for people: whole, well-formed, safe, and alone in the world."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

import html5lib
import pytest
from flask.testing import FlaskClient

from service.examples import PROBLEMS, read_examples
from service.http.problems import KINDS
from service.openapi import contract_of
from tests.support.api_client import Document
from tests.support.application import House

Read = Callable[[str], ElementTree.Element]
PAGES = ["/", "/docs", "/problems", *(f"/problems/{code}" for code in KINDS)]


@pytest.fixture(scope="module")
def client(house: House) -> FlaskClient:
    """Somebody who has no key."""
    return house.app.test_client()


@pytest.fixture(scope="module")
def contract(house: House) -> Document:
    return contract_of(house.app.extensions["ofc_contract"])


@pytest.fixture(scope="module")
def read(client: FlaskClient) -> Read:
    """Reads a page as strictly as no browser does."""

    @cache
    def strictly(path: str) -> ElementTree.Element:
        answer = client.get(path)
        assert answer.status_code == 200
        assert answer.content_type == "text/html; charset=utf-8"
        parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
        page: ElementTree.Element = parser.parse(answer.get_data(as_text=True))
        return page

    return strictly


def text_of(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def part(page: ElementTree.Element, id_: str) -> ElementTree.Element:
    [found] = page.findall(f".//*[@id='{id_}']")
    return found


def operations(contract: Document) -> Iterator[tuple[str, str, Document, list[Document]]]:
    for path, item in contract["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                yield method, path, operation, [*item.get("parameters", []), *operation.get("parameters", [])]


# --- every page ---


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_well_formed_and_says_what_it_is(read: Read, path: str) -> None:
    page = read(path)
    assert page.get("lang") == "en"
    assert len(page.findall(".//h1")) == 1
    assert "Tablestakes" in text_of(page.find(".//title"))
    assert len(page.findall(".//main")) == 1
    ids = [element.get("id") for element in page.iter() if element.get("id")]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_loads_its_own_style_and_nothing_else(client: FlaskClient, read: Read, path: str) -> None:
    page = read(path)
    assert [link.get("href") for link in page.findall(".//link")] == ["/static/style.css"]
    for tag in ("script", "img", "iframe", "style", "form", "object", "video", "base", "meta[@http-equiv]"):
        assert page.findall(f".//{tag}") == [], tag
    assert [element.tag for element in page.iter() if {"src", "style", "onclick", "onload"} & set(element.keys())] == []
    with client.get("/static/style.css") as style:
        assert style.content_type.startswith("text/css")
        assert re.findall(r"url\(|@import|https?:", style.get_data(as_text=True)) == []


@pytest.mark.parametrize("path", [*PAGES, "/static/style.css", "/problems/no-luck"])
def test_a_page_tells_browsers_to_load_nothing_else(client: FlaskClient, path: str) -> None:
    with client.get(path) as answer:
        headers = answer.headers
    policy = dict(rule.strip().split(" ", 1) for rule in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == policy["frame-ancestors"] == "'none'"
    assert policy["style-src"] == "'self'"
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
            answer = client.get(parts.path)
            assert answer.status_code == 200, target
            there = read(parts.path) if answer.mimetype == "text/html" else None
        if parts.fragment:
            assert there is not None
            part(there, unquote(parts.fragment))


def test_the_first_page_leads_to_the_others(read: Read) -> None:
    links = {link.get("href") for link in read("/").findall(".//main//a")}
    assert links == {"/docs", "/openapi.yaml", "/problems", "/v1/rulesets"}


def test_a_problem_is_shown_as_it_was_once_answered(read: Read) -> None:
    for code, example in read_examples()[PROBLEMS].items():
        shown = read(f"/problems/{code}").find(".//pre/code")
        assert json.loads("".join(shown.itertext())) == example


# --- the page of the API ---


@pytest.fixture(scope="module")
def page(read: Read) -> ElementTree.Element:
    return read("/docs")


def test_every_operation_is_on_the_page_and_in_the_contents(page: ElementTree.Element, contract: Document) -> None:
    contents = {link.get("href") for link in page.findall(".//nav[@class='contents']//a")}
    shown = [article.get("id") for article in page.findall(".//article")]
    assert sorted(shown) == sorted(operation["operationId"] for _, _, operation, _ in operations(contract))
    for method, path, operation, _ in operations(contract):
        name = operation["operationId"]
        article = part(page, name)
        assert text_of(article.find("h3")) == f"{method.upper()} {path}"
        assert f"#{name}" in contents
        [section] = [tag for tag in operation["tags"] if article in part(page, tag).findall("article")]
        assert f"#{section}" in contents
        summary = operation["summary"].replace("`", "")
        assert summary in text_of(article)
        assert operation.get("description", "").replace("`", "").split("\n")[0] in text_of(article)


def test_every_parameter_answer_and_problem_is_on_the_page(page: ElementTree.Element, contract: Document) -> None:
    for _, _, operation, parameters in operations(contract):
        article = part(page, operation["operationId"])
        rows = {text_of(row.find("th/code")): text_of(row) for row in article.findall(".//tbody/tr")}
        for parameter in parameters:
            assert f"in the {parameter['in']}" in rows[parameter["name"]]
            assert ("optional" in rows[parameter["name"]]) != bool(parameter.get("required"))
        links = {link.get("href") for link in article.findall(".//a")}
        for status in operation["responses"]:
            if int(status) >= 400:
                assert f"#problems-{status}" in links
            else:
                assert any(text_of(said).startswith(status) for said in article.findall(".//span[@class='status']"))


def test_an_operation_says_which_key_it_needs(page: ElementTree.Element, contract: Document) -> None:
    says = {
        operation["operationId"]: text_of(part(page, operation["operationId"]).find("p[@class='access']"))
        for _, _, operation, _ in operations(contract)
    }
    assert says["check_health"] == "No key is required."
    assert says["list_rulesets"] == "No key is required; with one, the response includes the club's own data."
    assert says["get_round"] == "Requires a key with the scope 'read'."
    assert says["record_hand"] == says["erase_player"] == "Requires a key with the scope 'write'."
    assert says["get_import"] == "Requires a key with the scope 'imports' or 'read'."


def test_every_shape_is_on_the_page_with_its_fields(page: ElementTree.Element, contract: Document) -> None:
    for name, schema in contract["components"]["schemas"].items():
        section = part(page, f"shape-{name}")
        fields = {text_of(row.find("th/code")): text_of(row.find("th")) for row in section.findall(".//tbody/tr")}
        assert set(fields) == set(schema.get("properties", {}))
        optional = {field for field, said in fields.items() if "optional" in said}
        assert optional == set(fields) - set(schema.get("required", []))


def test_every_example_of_the_contract_is_on_the_page(page: ElementTree.Element, contract: Document) -> None:
    shown = ["".join(code.itertext()) for code in page.findall(".//pre/code")]
    for name, example in contract["components"]["examples"].items():
        value = example["value"]
        if name.endswith(".request"):
            continue
        assert any(text == value or read_json(text) == value for text in shown), name


def read_json(text: str) -> object:
    """What a text says as one JSON document; None where it is none, or several."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def heard_by_curl(command: str) -> list[str]:
    """What a shell makes of a command."""
    script = 'curl() { printf "%s\\0" "$@"; }; OFC_API_KEY=ofc_key; ' + command
    said = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, check=True).stdout
    return said.split("\0")[:-1]


def test_every_command_asks_for_what_the_contract_says(page: ElementTree.Element, contract: Document) -> None:
    for method, path, operation, _ in operations(contract):
        name = operation["operationId"]
        [command] = ["".join(code.itertext()) for code in part(page, name).findall("pre/code")]
        address, *words = heard_by_curl(command)
        template = re.sub(r"\{\w+\}", r"[^/{}]+", path)
        needed = [
            each["name"] for each in operation.get("parameters", ()) if each["in"] == "query" and each.get("required")
        ]
        template += rf"\?{'&'.join(rf'{name}=[^&]+' for name in needed)}" if needed else ""
        assert re.fullmatch(rf"http://127\.0\.0\.1:8000{template}", address), address
        options = list(zip(words[::2], words[1::2], strict=True))
        assert ("-X", method.upper()) in options or method in ("get", "post")
        sends_key = ("-H", "Authorization: Bearer ofc_key") in options
        assert sends_key == (operation["security"] != [] and {} not in operation["security"])
        told = [contract["components"]["examples"][f"{name}.request"]["value"]] if "requestBody" in operation else []
        are_lines = any(isinstance(body, str) for body in told)
        bodies = [text if are_lines else json.loads(text) for option, text in options if option == "-d"]
        assert bodies == told
        # Without `-X`, curl posts just where there is a body.
        assert (method == "post" and ("-X", "POST") not in options) <= bool(bodies), command
