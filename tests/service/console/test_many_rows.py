"""No page of the console sends more statements because it has more rows, whichever pages there are."""

import re
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from werkzeug.http import parse_options_header

from tests.service.links.linked_table import issue
from tests.support.api_client import Api
from tests.support.api_disputes import opened
from tests.support.application import House
from tests.support.auditors import proposed
from tests.support.browser.console_visitor import Visitor, discover_pages, list_endpoints, parse
from tests.support.database.recorded_statements import recorded_statements
from tests.support.sample_rounds import COMPLETE, document_of, post_document

FORMS = {
    "console.confirm_join": "/console/player-aliases/join?player=ann&alias=bob0",
    "console.compare_rulesets": "/console/rulesets/compare?from=pineapple&to=progressive",
    "console.show_new_recomputation": "/console/jobs/recomputation",
}
"""The pages to which a form or a tab of a list leads."""
UNKNOWN = "console.show_unknown"
WITHOUT_FILES = {
    "console.show_correction": "a preview of what is not stored; the page of the revision has its figures as files",
    "console.show_explanation": "a page to print or to save; the page of the hand has its figures as files",
    "console.show_proposal": "what it has changed is in the files of the revisions of the round, once it is confirmed",
    "console.show_ruleset": "its fields are columns of the comparison of two rulesets, which has files",
}
"""The pages with a table and without a file, and why."""


def add_rows(api: Api, numbers: range) -> None:
    """Record rounds at tables and with players of their own, disputes, payments, claims, aliases, links and jobs."""
    for number in numbers:
        sitting = {1: "ann 100", 2: f"bob{number} 100", 3: f"cyd{number} 100"}
        for reference in ("first", "second"):
            document = document_of(table=f"table {number}", sitting=sitting, hands=COMPLETE, reference=reference)
            response = post_document(api, document)
            assert response.status == 201, response
        api.put(f"/v1/players/bob{number}", {"display_name": f"Bob {number}"})
        opened(api, response["round"]["id"])
        proposed(api, response["round"]["id"])
        webhook = api.post("/v1/webhooks", {"url": f"https://club.example/{number}", "kinds": ["hand.recorded"]})
        assert webhook.status == 201, webhook
        table = api.get(f"/v1/rounds/{response['round']['id']}")["table"]
        paid = {"payer": f"cyd{number}", "payee": "ann", "unit": table, "amount": 1, "reference": f"paid {number}"}
        assert api.post("/v1/payments", paid).status == 201
        claimed = paid | {"amount": 2, "reference": f"claimed {number}"}
        assert api.post("/v1/payment-claims", claimed).status == 201
        assert api.post("/v1/players/ann/aliases", {"alias": f"ann {number}"}).status == 201
        issue(api, table, kind="viewer", label=f"screen {number}")
        job = api.post("/v1/recomputations", {"mode": "audit", "scope": {"table": table}, "reason": f"check {number}"})
        assert job.status == 202, job


def count_statements(visitor: Visitor, addresses: dict[str, str]) -> dict[str, int]:
    counted: dict[str, int] = {}
    for endpoint, address in addresses.items():
        with recorded_statements() as sent:
            response = visitor.browser.get(address)
        assert response.status_code == 200, (address, response.status_code)
        counted[endpoint] = len(sent)
    return counted


@pytest.mark.no_cover
def test_no_page_sends_more_statements_for_more_rows(house: House, api: Api) -> None:
    add_rows(api, range(2))
    visitor = Visitor.signed_in(house, api)
    pages = FORMS | discover_pages(house.app, visitor.browser)
    assert list_endpoints(house.app) - pages.keys() == {UNKNOWN}
    few = count_statements(visitor, pages)
    add_rows(api, range(2, 20))
    many = count_statements(visitor, pages)
    more: dict[str, Any] = {name: (few[name], many[name]) for name in pages if many[name] > few[name]}
    assert more == {}, "statements with few and with many rows"


def test_every_file_has_a_name_of_its_own_and_the_date(house: House, api: Api) -> None:
    add_rows(api, range(2))
    visitor = Visitor.signed_in(house, api)
    pages = FORMS | discover_pages(house.app, visitor.browser)
    named: dict[str, set[str]] = defaultdict(set)
    today = datetime.now(UTC).date()
    for address in pages.values():
        response = visitor.browser.get(address)
        if response.mimetype != "text/html":
            continue
        for link in parse(response).iter("a"):
            if "download" not in link.attrib:
                continue
            path = urljoin(address, link.attrib["href"])
            sent = visitor.browser.get(path, buffered=True)
            assert sent.status_code == 200, path
            kind, options = parse_options_header(sent.headers["Content-Disposition"])
            stem, dot, ending = options["filename"].rpartition(".")
            assert (kind, dot) == ("attachment", "."), path
            assert stem.endswith((f"-{today}", f"-{today + timedelta(days=1)}")), path
            named[f"{stem}.{ending}"].add(f"{urlsplit(path).path} {re.findall('part=[^&]*', path)}")
    assert len(named) > 40
    assert {name: paths for name, paths in named.items() if len(paths) > 1} == {}


def test_every_page_with_a_table_has_its_files(house: House, api: Api) -> None:
    add_rows(api, range(2))
    visitor = Visitor.signed_in(house, api)
    pages = FORMS | discover_pages(house.app, visitor.browser)
    without = set()
    for endpoint, address in pages.items():
        response = visitor.browser.get(address)
        if response.mimetype != "text/html" or parse(response).find(".//table") is None:
            continue
        links = [each.attrib.get("href", "") for each in parse(response).iter("a")]
        if not {"csv", "json"} <= {form for form in ("csv", "json") if any(f"format={form}" in each for each in links)}:
            without.add(endpoint)
    assert without == WITHOUT_FILES.keys()
