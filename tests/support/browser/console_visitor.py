"""Uses the console as a browser without scripts does: it follows links, fills forms and stores the cookie."""

import csv
import io
import re
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

import html5lib
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.exceptions import HTTPException
from werkzeug.http import parse_options_header
from werkzeug.test import TestResponse

from service.console.views.session import COOKIE, PATH
from tests.support.api_client import Api
from tests.support.application import House

OPEN_TO_ALL: Final = {"console.show_sign_in", "console.show_link"}
"""The pages that need no session."""
REDIRECTING: Final = {"console.reopen_case", "console.reopen_proposal"}
"""The addresses of forms, which lead to the page of their dispute or proposal."""


class Visitor:
    """A browser that shows pages of the console."""

    def __init__(self, house: House) -> None:
        self.browser = house.app.test_client()

    @classmethod
    def signed_in(cls, house: House, api: Api) -> "Visitor":
        """Return a browser that has signed in with the key of an API client."""
        visitor = cls(house)
        response = visitor.sign_in(api)
        assert response.status_code == 303, response.text
        return visitor

    def sign_in(self, api: Api, **form: str) -> TestResponse:
        assert api.key is not None
        return self.send("/sign-in", {"key": api.key, **form})

    def get(self, path: str = "/", **options: Any) -> TestResponse:
        return self.browser.get(PATH + path, **options)

    def show(self, path: str = "/") -> Element:
        """Return the document of a page that exists."""
        response = self.get(path)
        assert response.status_code == 200, response.text
        return parse(response)

    def send(self, path: str, form: dict[str, Any], **options: Any) -> TestResponse:
        """Send a form as it is."""
        return self.browser.post(PATH + path, data=form, **options)

    def submit(self, page: str, action: str, form: dict[str, str]) -> TestResponse:
        """
        Submit the form of a page whose address ends with `action`, with its hidden fields and these values.

        Fields that the form lacks cannot be sent, as in a browser.
        """
        document = self.show(page)
        [element] = [each for each in document.iter("form") if each.attrib["action"].endswith(action)]
        fields = {
            each.attrib["name"]: each.attrib.get("value", "")
            for tag in ("input", "select", "textarea", "button")
            for each in element.iter(tag)
            if "name" in each.attrib
        }
        assert form.keys() <= fields.keys(), f"the form has the fields {sorted(fields)}"
        hidden = {
            each.attrib["name"]: each.attrib["value"]
            for each in element.iter("input")
            if each.attrib.get("type") == "hidden"
        }
        return self.browser.post(element.attrib["action"], data=hidden | form)

    @property
    def cookie(self) -> str | None:
        cookie = self.browser.get_cookie(COOKIE, path=PATH)
        return None if cookie is None else cookie.value


def list_endpoints(app: Flask) -> set[str]:
    """Return the endpoints of all pages of the console that need a session."""
    return {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("console.")
        and "GET" in (rule.methods or ())
        and rule.endpoint not in OPEN_TO_ALL | REDIRECTING
    }


def discover_pages(app: Flask, browser: FlaskClient) -> dict[str, str]:
    """
    Return an address of each page that links lead to from the home page, by its endpoint.

    Links to files and to other pages of the same list are not followed.
    """
    addresses = app.url_map.bind("localhost")
    pages = {"console.show_home": f"{PATH}/"}
    waiting = [*pages.values()]
    while waiting:
        response = browser.get(waiting.pop(0))
        if response.status_code != HTTPStatus.OK or response.mimetype != "text/html":
            continue
        for link in parse(response).iter("a"):
            parts = urlsplit(link.attrib.get("href", ""))
            if not parts.path.startswith(f"{PATH}/") or "format=" in parts.query or "cursor=" in parts.query:
                continue
            try:
                endpoint = str(addresses.match(unquote(parts.path), "GET")[0])
            except HTTPException:
                continue
            if endpoint not in pages:
                pages[endpoint] = link.attrib["href"]
                waiting.append(link.attrib["href"])
    return {endpoint: address for endpoint, address in pages.items() if endpoint in list_endpoints(app)}


def parse(response: TestResponse) -> Element:
    """Return the document of a page."""
    assert response.mimetype == "text/html", response.text
    document: Element = html5lib.parse(response.text, namespaceHTMLElements=False)
    return document


def text_of(document: Element) -> str:
    """Return what a page shows below its menu."""
    [main] = document.iter("main")
    return " ".join("".join(main.itertext()).split())


def is_attachment(response: TestResponse, name: str, form: str) -> bool:
    """Return whether a response is a file to download, with its name and a date."""
    kind, options = parse_options_header(response.headers["Content-Disposition"])
    stem, _, date = options["filename"].removesuffix(f".{form}").partition(f"{name}-")
    return (kind, stem) == ("attachment", "") and re.fullmatch(r"\d{4}-\d\d-\d\d", date) is not None


def rows_of(response: TestResponse) -> list[dict[str, str]]:
    """Read a CSV file that was sent as an attachment."""
    assert response.status_code == 200, response.text
    assert response.content_type == "text/csv; charset=utf-8"
    assert "attachment" in response.headers["Content-Disposition"]
    return list(csv.DictReader(io.StringIO(response.text, newline=""), strict=True))


def table_cells(document: Element, label: str) -> list[list[str]]:
    """Return the cells of the table that is labelled so, row by row."""
    [table] = [each for each in document.iter() if each.attrib.get("aria-label") == label and each.tag == "div"]
    return [
        [" ".join("".join(cell.itertext()).split()) for cell in row if cell.tag in ("th", "td")]
        for row in table.iter("tr")
    ]
