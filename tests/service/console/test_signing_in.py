"""Sessions of the console: how they begin and end, and what they refuse."""

from datetime import timedelta
from typing import Any
from urllib.parse import unquote, urlencode
from uuid import UUID

import pytest

from service.clubs.actions import create_key
from service.console.actions import LINK_LIFETIME, SESSION_LIFETIME, issue_console_link
from service.http.rate_limits import MOST_FAILURES
from tests.service.disputes.test_dispute_authors import stored_club
from tests.service.links.linked_table import link_to, play_at
from tests.support.api_client import Api
from tests.support.application import House, open_house
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.database.postgres import Server
from tests.support.import_lines import club_of, database_of
from tests.support.log_capture import Log


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


def signed_in_with(house: House, api: Api, *scopes: str) -> Visitor:
    """Return a visitor with a key of the club that has these scopes."""
    key = create_key(house.owner, stored_club(house, api), name="limited", scopes=scopes)
    return Visitor.signed_in(house, Api(house.app, key.secret))


def console_link(house: House, api: Api) -> str:
    """Return the path of a new link for the key of a client."""
    [key] = api.get("/v1/keys")["keys"]
    with database_of(house).transaction(club_of(house, api)) as transaction:
        return f"/sign-in/{issue_console_link(transaction, UUID(key['id'])).secret}"


def test_a_key_begins_a_session(house: House, api: Api) -> None:
    visitor = Visitor(house)
    response = visitor.sign_in(api)
    assert response.status_code == 303
    assert response.location == "/console/"
    assert visitor.get().status_code == 200
    assert api.key not in visitor.get().text


def test_the_cookie_is_for_the_console_only_and_no_script_reads_it(house: House, api: Api) -> None:
    cookie = Visitor(house).sign_in(api).headers["Set-Cookie"]
    for part in ("HttpOnly", "SameSite=Strict", "Path=/console", "Expires="):
        assert part in cookie
    assert "Secure" not in cookie
    visitor = Visitor(house)
    assert (
        "Secure" in visitor.send("/sign-in", {"key": str(api.key)}, base_url="https://localhost").headers["Set-Cookie"]
    )


def test_no_page_is_stored_and_none_loads_anything_foreign(visitor: Visitor) -> None:
    for path in ("/", "/sign-in", "/sign-in/x"):
        response = visitor.get(path)
        assert response.headers["Cache-Control"] == "no-store"
        policy = response.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "form-action 'self'" in policy
        assert "unsafe" not in policy


@pytest.mark.parametrize("key", ["", "ofc_unknown", "ofc_" + "x" * 43, "\u2603", "x" * 10_000])
def test_other_keys_are_refused_in_words(house: House, key: str) -> None:
    response = Visitor(house).send("/sign-in", {"key": key})
    assert response.status_code == 403
    assert "unknown, expired or revoked" in text_of(parse(response))
    assert "Set-Cookie" not in response.headers


def test_links_to_tables_open_no_console(house: House, api: Api) -> None:
    linked = link_to(house, api, play_at(api, "kitchen").table)
    assert Visitor(house).sign_in(linked).status_code == 403


def test_without_a_session_a_page_asks_to_sign_in_and_is_shown_afterwards(house: House, api: Api) -> None:
    visitor = Visitor(house)
    response = visitor.get("/?tab=open")
    assert response.status_code == 303
    assert response.location == "/console/sign-in?next=/console/?tab%3Dopen"
    signed_in = visitor.submit("/sign-in?next=/console/?tab%3Dopen", "/sign-in", {"key": str(api.key)})
    assert signed_in.location == "/console/?tab=open"


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/console/",
        "//evil.example/console/",
        "/\\evil.example",
        "/v1/rounds",
        "console/",
        "//[console/",
        "/console/?x=\r\nX-Injected: 1",
        "/console/\n",
        "\t/console/",
        "/console/?x=\x00",
        f"/console/?x={'1' * 2_000}",
    ],
)
def test_no_address_leads_to_another_site(house: House, api: Api, address: str) -> None:
    assert Visitor(house).sign_in(api, next=address).location == "/console/"


@pytest.mark.parametrize(
    "address", ["/console/?x=%0D%0AX", f"/console/?x={'1' * 1_900}", "/console/players/\u0141ukasz"]
)
def test_a_page_to_show_afterwards_can_have_any_readable_address(house: House, api: Api, address: str) -> None:
    visitor = Visitor(house)
    assert visitor.get(f"/sign-in?{urlencode({'next': address})}").status_code == 200
    assert unquote(visitor.sign_in(api, next=address).location) == unquote(address)


def test_signing_out_ends_the_session(visitor: Visitor, house: House) -> None:
    secret = visitor.cookie
    assert secret is not None
    assert visitor.submit("/", "/sign-out", {}).location == "/console/sign-in"
    other = Visitor(house)
    other.browser.set_cookie("ofc_console", secret, path="/console")
    assert other.get().status_code == 303


def test_a_session_ends_with_its_key(house: House, api: Api) -> None:
    club = stored_club(house, api)
    key = create_key(house.owner, club, name="console", scopes=("read",))
    reader = Api(house.app, key.secret)
    visitor = Visitor.signed_in(house, reader)
    assert visitor.get().status_code == 200
    assert api.request("DELETE", f"/v1/keys/{key.key.id}").status == 204
    assert visitor.get().status_code == 303


def test_a_new_session_replaces_the_one_before(visitor: Visitor, house: House, api: Api) -> None:
    first = visitor.cookie
    assert visitor.sign_in(api).status_code == 303
    assert visitor.cookie != first
    assert first is not None
    other = Visitor(house)
    other.browser.set_cookie("ofc_console", first, path="/console")
    assert other.get().status_code == 303, "a session that somebody planted does not go on"


def test_a_planted_cookie_begins_no_session(house: House, api: Api) -> None:
    visitor = Visitor(house)
    visitor.browser.set_cookie("ofc_console", "planted", path="/console")
    visitor.sign_in(api)
    assert visitor.cookie != "planted"


def test_forms_of_other_sites_are_refused(visitor: Visitor) -> None:
    foreign = ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}, {"Origin": "null"})
    for headers in foreign:
        assert visitor.send("/sign-out", {}, headers=headers).status_code == 403
    assert visitor.send("/sign-out", {"csrf": "0" * 64}).status_code == 403
    assert visitor.send("/sign-out", {"other": "field"}).status_code == 403
    assert visitor.get().status_code == 200, "the session goes on"


def test_a_site_cannot_sign_a_visitor_in(house: House, api: Api) -> None:
    response = Visitor(house).send("/sign-in", {"key": str(api.key)}, headers={"Sec-Fetch-Site": "cross-site"})
    assert response.status_code == 403
    assert "Set-Cookie" not in response.headers


def test_a_link_signs_in_once(house: House, api: Api) -> None:
    path = console_link(house, api)
    visitor = Visitor(house)
    for _ in range(2):
        assert "signs you in" in text_of(visitor.show(path)), "looking at it does not use it up"
    assert visitor.submit(path, "/sign-in", {}).location == "/console/"
    again = Visitor(house)
    refused = again.submit(path, "/sign-in", {})
    assert refused.status_code == 403
    assert "used before, or has expired" in text_of(parse(refused))


def test_secrets_of_links_and_sessions_are_not_exchangeable(visitor: Visitor, house: House, api: Api) -> None:
    other = Visitor(house)
    other.browser.set_cookie("ofc_console", console_link(house, api).rpartition("/")[2], path="/console")
    assert other.get().status_code == 303
    assert other.send("/sign-in", {"code": str(visitor.cookie)}).status_code == 403


def test_lifetimes() -> None:
    assert timedelta(hours=12) == SESSION_LIFETIME
    assert timedelta(minutes=10) == LINK_LIFETIME


def test_failed_attempts_are_limited_as_those_of_keys_are(embedded_postgres: Server) -> None:
    with open_house(embedded_postgres, rate_limit=1_000) as limited:
        visitor = Visitor(limited)
        codes = [
            visitor.send("/sign-in", {"key": f"guess {number}"}).status_code for number in range(MOST_FAILURES + 1)
        ]
    assert codes == [403] * MOST_FAILURES + [429]


def test_a_page_without_its_scope_explains_which_it_needs(house: House, api: Api) -> None:
    visitor = signed_in_with(house, api, "imports")
    response = visitor.get("/keys")
    assert response.status_code == 403
    assert "expected a key with the scope 'admin'" in text_of(parse(response))
    assert visitor.get().location == "/console/jobs", "the first page that the key can open"


def test_the_menu_has_the_pages_of_the_scopes(house: House, api: Api) -> None:
    for scope, titles in {
        "admin": ["Links", "Keys"],
        "webhooks": ["Webhooks"],
        "audit": ["Audit trail"],
        "imports": ["Jobs"],
    }.items():
        visitor = signed_in_with(house, api, scope)
        menu = next(visitor.show(visitor.get().location.removeprefix("/console")).iter("nav"))
        assert [link.text for link in menu.iter("a")] == titles, scope


def test_a_key_that_opens_no_page_learns_why(house: House, api: Api) -> None:
    response = signed_in_with(house, api, "score").get()
    assert response.status_code == 403
    assert "expected a key with the scope 'read'" in text_of(parse(response))


def test_an_unknown_page_is_not_found(visitor: Visitor, house: House) -> None:
    response = visitor.get("/unknown/page")
    assert response.status_code == 404
    assert "no page" in text_of(parse(response))
    assert response.headers["Cache-Control"] == "no-store"
    assert Visitor(house).get("/unknown/page").status_code == 303, "strangers learn nothing"


@pytest.mark.parametrize(
    ("settings", "headers", "is_secure"),
    [
        ({"trusted_proxies": 1}, {"X-Forwarded-Proto": "https"}, True),
        ({"trusted_proxies": 1}, {"X-Forwarded-Proto": "https, http"}, False),
        ({"trusted_proxies": 2}, {"X-Forwarded-Proto": "http, https, http"}, True),
        ({"trusted_proxies": 2}, {"X-Forwarded-Proto": "https"}, True),
        ({"trusted_proxies": 1}, {}, False),
        ({}, {"X-Forwarded-Proto": "https"}, False),
        ({"trusted_proxies": 1, "public_url": "https://localhost"}, {}, True),
        ({"trusted_proxies": 1, "public_url": "https://other.example"}, {}, False),
    ],
)
def test_the_cookie_is_secure_behind_a_proxy_with_tls(
    embedded_postgres: Server, settings: dict[str, Any], headers: dict[str, str], is_secure: bool
) -> None:
    with open_house(embedded_postgres, **settings) as proxied:
        key = str(proxied.new_client().key)
        cookie = Visitor(proxied).send("/sign-in", {"key": key}, headers=headers).headers["Set-Cookie"]
    assert ("Secure" in cookie) == is_secure


def test_a_proxy_that_changes_the_host_needs_the_public_address(embedded_postgres: Server) -> None:
    headers = {"Origin": "https://ofc.example:8443"}
    for public_url, status in (("https://ofc.example:8443", 303), ("", 403)):
        with open_house(embedded_postgres, public_url=public_url) as proxied:
            key = str(proxied.new_client().key)
            assert Visitor(proxied).send("/sign-in", {"key": key}, headers=headers).status_code == status


@pytest.mark.parametrize(
    ("settings", "forwarded", "own", "foreign"),
    [
        ({}, {}, "http://localhost", "https://localhost"),
        ({"trusted_proxies": 1}, {"X-Forwarded-Proto": "https"}, "https://localhost", "http://localhost"),
        ({"public_url": "https://localhost"}, {}, "https://localhost", "http://localhost"),
    ],
)
def test_a_form_of_another_scheme_at_the_same_host_is_refused(
    embedded_postgres: Server, settings: dict[str, Any], forwarded: dict[str, str], own: str, foreign: str
) -> None:
    with open_house(embedded_postgres, **settings) as house:
        form = {"key": str(house.new_client().key)}
        statuses = [
            Visitor(house).send("/sign-in", form, headers={**forwarded, "Origin": origin}).status_code
            for origin in (own, foreign)
        ]
    assert statuses == [303, 403]


def test_a_session_ends_after_twelve_hours(visitor: Visitor, house: House, api: Api) -> None:
    began = "SELECT created_at, expires_at FROM console_sessions WHERE club_id = %s"
    [(begun, end)] = house.query(began, club_of(house, api))
    assert end - begun == SESSION_LIFETIME
    house.change(
        "UPDATE console_sessions SET created_at = now() - interval '12 hours', expires_at = now() WHERE club_id = %s",
        club_of(house, api),
    )
    assert visitor.get().status_code == 303


def test_a_session_ends_when_its_key_expires(house: House, api: Api) -> None:
    club = stored_club(house, api)
    key = create_key(house.owner, club, name="short", scopes=("read",), lifetime=timedelta(minutes=5))
    visitor = Visitor.signed_in(house, Api(house.app, key.secret))
    assert visitor.get().status_code == 200
    [(end,)] = house.query("SELECT expires_at FROM console_sessions WHERE key_id = %s", key.key.id)
    assert end == key.key.expires_at
    house.change("UPDATE api_keys SET created_at = now() - interval '1 day' WHERE id = %s", key.key.id)
    house.change("UPDATE api_keys SET expires_at = now() WHERE id = %s", key.key.id)
    assert visitor.get().status_code == 303


def test_the_log_has_the_session_of_each_change(visitor: Visitor, house: House, api: Api, log: Log) -> None:
    [(session,)] = house.query("SELECT id FROM console_sessions WHERE club_id = %s", club_of(house, api))
    key = create_key(house.owner, stored_club(house, api), name="lost", scopes=("read",))
    visitor.submit(f"/keys/{key.key.id}/revoke", "/revoke", {})
    visitor.submit("/keys", "/sign-out", {})
    [event] = house.query(
        "SELECT actor, request_id FROM events WHERE kind = 'key.revoked' AND club_id = %s", club_of(house, api)
    )
    [request] = [each for each in log.events if each.get("request_id") == event[1]]
    assert request["session"] == str(session)
    assert request["key"] == str(event[0])
    assert request["operation"] == "console.revoke_key"
    assert [each["session"] for each in log.events if each["event"] == "console_signed_out"] == [str(session)]


def test_the_api_issues_links(house: House, api: Api) -> None:
    issued = api.request("POST", "/v1/console-links")
    assert issued.status == 201
    assert issued.headers["Cache-Control"] == "no-store"
    address, _, code = issued["url"].rpartition("/")
    assert address == "http://localhost/console/sign-in"
    assert [warning["code"] for warning in issued["warnings"]] == ["link-loopback"]
    visitor = Visitor(house)
    assert visitor.submit(f"/sign-in/{code}", "/sign-in", {}).location == "/console/"
    assert visitor.get().status_code == 200


def test_a_link_ends_with_its_key(house: House, api: Api) -> None:
    key = create_key(house.owner, stored_club(house, api), name="lost", scopes=("read",))
    code = Api(house.app, key.secret).request("POST", "/v1/console-links")["url"].rpartition("/")[2]
    assert api.request("DELETE", f"/v1/keys/{key.key.id}").status == 204
    assert Visitor(house).send("/sign-in", {"code": code}).status_code == 403


def test_an_expired_link_does_not_sign_in(house: House, api: Api) -> None:
    code = console_link(house, api).rpartition("/")[2]
    house.change(
        "UPDATE console_sessions SET created_at = now() - interval '1 hour', expires_at = now() WHERE club_id = %s",
        club_of(house, api),
    )
    assert Visitor(house).send("/sign-in", {"code": code}).status_code == 403


def test_a_link_cannot_be_issued_for_an_unknown_host(api: Api) -> None:
    issued = api.request("POST", "/v1/console-links", base_url="http://evil.example")
    assert issued.status == 409
    assert issued["code"] == "link-address-unknown"


def test_links_to_tables_issue_no_link(house: House, api: Api) -> None:
    linked = link_to(house, api, play_at(api, "kitchen").table)
    assert linked.request("POST", "/v1/console-links").status == 403
