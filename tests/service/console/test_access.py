"""Every page and form of the console, whichever there are: without a session, without a scope, and in another club."""

from typing import Any
from urllib.parse import quote

import pytest

from service.clubs.actions import create_key
from tests.service.console.test_disputes import csrf_of
from tests.service.console.test_forms import FIELDS, addresses_of, records_of, send
from tests.service.console.test_signing_in import signed_in_with
from tests.service.disputes.test_dispute_authors import stored_club
from tests.service.rulesets.test_api_rulesets import OWN
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, list_endpoints, parse, text_of
from tests.support.sample_rounds import complete_round, document_of, post_document

UNKNOWN = "console.show_unknown"
"""The page of all other addresses."""
TABLE = "their secret table"
PLAYER = "zoe-of-theirs"


def pages_of(house: House, records: dict[str, Any]) -> dict[str, str]:
    """Return the address of each page below the console that needs a session, with the IDs of records."""
    adapter = house.app.url_map.bind("localhost")
    endpoints = list_endpoints(house.app) - {UNKNOWN}
    addresses = {}
    for rule in house.app.url_map.iter_rules():
        if rule.endpoint in endpoints and "GET" in (rule.methods or ()):
            values = {name: records[name] for name in rule.arguments if name not in (rule.defaults or {})}
            path = adapter.build(rule.endpoint, values | (rule.defaults or {}), method="GET")
            addresses[rule.rule] = path.removeprefix("/console")
    return addresses


def all_records_of(api: Api) -> dict[str, Any]:
    """Record one of each kind in the club of a client, and return what addresses name them by."""
    ruleset = api.post("/v1/rulesets", OWN)
    assert ruleset.status == 201, ruleset
    document = document_of(table=TABLE, sitting={1: f"{PLAYER} 100", 2: "bob 100", 3: "cyd 100"})
    assert post_document(api, document).status == 201
    return records_of(api) | {"number": 1, "player": PLAYER, "reference": f"{ruleset['name']}@{ruleset['version']}"}


@pytest.fixture
def theirs(other_api: Api) -> dict[str, Any]:
    return all_records_of(other_api)


def test_every_page_needs_a_session_and_a_scope(house: House, api: Api) -> None:
    records = all_records_of(api)
    without_scope = signed_in_with(house, api, "score")
    for rule, address in pages_of(house, records).items():
        signed_out = Visitor(house).get(address)
        assert (signed_out.status_code, signed_out.location.partition("?")[0]) == (303, "/console/sign-in"), rule
        refused = without_scope.get(address)
        assert refused.status_code == 403, rule
        assert "scope" in text_of(parse(refused)), rule
        assert TABLE not in signed_out.text + refused.text, rule


def test_no_page_shows_records_of_another_club(house: House, api: Api, theirs: dict[str, Any]) -> None:
    visitor = Visitor.signed_in(house, api)
    named = 0
    for rule, address in pages_of(house, theirs).items():
        response = visitor.get(address)
        if "<" in rule:
            assert response.status_code == 404, rule
            named += 1
        for value in (TABLE, PLAYER):
            if value not in address:
                assert value not in response.text, rule
    assert named > 15


@pytest.mark.parametrize("form", ["csv", "json"])
def test_no_filter_finds_records_of_another_club(house: House, api: Api, theirs: dict[str, Any], form: str) -> None:
    """A name or an ID that the club does not have is an error instead of an empty file; a part of a name is none."""
    complete_round(api, name="ours", sitting={1: "ann 50", 2: "dan 50", 3: "eve 50"})
    visitor = Visitor.signed_in(house, api)
    table, player = quote(TABLE), quote(PLAYER)
    unknown = [
        f"/rounds?table={table}", f"/rounds?player={player}", f"/disputes?table={table}",
        f"/ledger?table={table}", f"/ledger?player={player}", f"/players?table={table}",
        f"/statement?period=all&player={player}",
        *(f"/plots?plot={plot}&table={theirs['table_id']}" for plot in ("net", "sources", "caps")),
        f"/plots?plot=stacks&round={theirs['round_id']}",
        f"/audit?table={table}", f"/links?table={table}", f"/keys/sessions?key={theirs['key_id']}",
        f"/rulesets/compare?from=pineapple&to={theirs['reference']}",
        f"/rulesets/what-if?table={table}&ruleset=pineapple",
    ]  # as a table  # fmt: skip
    empty = [
        f"/tables?name={table}",
        f"/statement?period=all&table={theirs['table_id']}",
        f"/plots?plot=net&player={player}",
        f"/audit?round={theirs['round_id']}",
    ]
    for address in (*unknown, *empty):
        is_unknown = address in unknown
        response = visitor.get(f"{address}&format={form}", buffered=True)
        assert response.status_code == (404 if is_unknown else 200), address
        assert (response.mimetype == "text/html") is is_unknown, address
        pages = [parse(response)] if is_unknown else []
        pages.append(parse(visitor.get(address)))
        for value in (theirs["round_id"], theirs["table_id"], "saturday", "bob", "cyd"):
            assert is_unknown or value not in response.text, address
            # The page repeats what was written into the filter, and nothing else.
            for page in pages:
                assert value in address or value not in text_of(page), (address, value)
        if is_unknown:
            assert "There is no" in text_of(pages[0]), address


def test_a_session_whose_key_is_revoked_opens_no_page_and_sends_no_form(house: House, api: Api) -> None:
    records = all_records_of(api)
    key = create_key(house.owner, stored_club(house, api), name="revoked")
    visitor = Visitor.signed_in(house, Api(house.app, key.secret))
    form = {**FIELDS, "csrf": csrf_of(visitor.show("/"))}
    secret = visitor.cookie
    assert secret is not None
    assert api.request("DELETE", f"/v1/keys/{key.key.id}").status == 204
    before = house.count_records()
    for address in pages_of(house, records).values():
        visitor.browser.set_cookie("ofc_console", secret, path="/console")
        assert "/console/sign-in" in visitor.get(address).location, address
    for endpoint, address in addresses_of(house, records).items():
        visitor.browser.set_cookie("ofc_console", secret, path="/console")
        response = send(visitor, endpoint, address, form)
        assert (response.status_code, "/console/sign-in" in response.location) == (303, True), endpoint
    assert house.count_records() == before
