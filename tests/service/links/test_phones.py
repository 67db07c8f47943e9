"""Links that sign a phone in once, and what the phone can do then: the scorekeeper of a club."""

import re
from datetime import datetime, timedelta
from functools import partial

import pytest

from service.clubs.actions import create_key
from service.console.actions import LINK_LIFETIME
from service.http.rate_limits import MOST_FAILURES
from tests.service.console.test_signing_in import console_link
from tests.service.disputes.test_dispute_authors import stored_club
from tests.service.http.test_other_clubs import SENT
from tests.service.links.linked_table import (
    ALLOWED,
    Played,
    code_of,
    draw_secret,
    link_to,
    phone_of,
    play_at,
    sign_in,
    table_of,
)
from tests.service.links.test_link_operations import PUBLIC
from tests.support.api_client import Api
from tests.support.application import House, open_house
from tests.support.browser.console_visitor import Visitor
from tests.support.check_club import check_everywhere
from tests.support.database.postgres import Server
from tests.support.import_lines import club_of
from tests.support.log_capture import Log
from tests.support.race import at_once
from tests.support.sample_rounds import SIXES, THREE, hand, open_round, operations, play

CLUB = {"add_table", "list_units"}
"""The operations that only a link to the club can be used for."""
REFERENCE = {"reference": "deal/1"}


# --- sign in ---


@pytest.mark.smoke
def test_a_phone_that_signs_in_has_a_link_to_the_club(house: House, api: Api) -> None:
    issued = api.request("POST", "/v1/phone-links")
    assert issued.headers["Cache-Control"] == "no-store"
    address, _, code = issued["url"].partition("#")
    assert address == "http://localhost/scorekeeper/"
    assert re.fullmatch(r"ofc_phone_[\w-]{43}", code)
    assert [warning["code"] for warning in issued["warnings"]] == ["link-loopback"]
    secret = draw_secret()
    link = sign_in(house, code, secret, label="Anna's phone")
    assert (link.status, link["kind"], link["label"]) == (201, "club", "Anna's phone")
    assert (link["table"], link["table_name"], link["round"]) == (None, None, None)
    assert link["scopes"] == ["read", "write", "tables", "correct"]
    [listed] = api.get("/v1/links?kind=club")["links"]
    assert listed["id"] == link["id"]
    life = datetime.fromisoformat(listed["expires_at"]) - datetime.fromisoformat(listed["created_at"])
    assert life == timedelta(days=30)
    assert Api(house.app, secret).get("/v1/link").document == link.document
    everything = house.query("SELECT to_jsonb(link)::text FROM links AS link WHERE id = %s", link["id"])
    assert secret not in str(everything)


def test_a_link_that_signs_a_phone_in_is_valid_for_ten_minutes(house: House, api: Api) -> None:
    code = code_of(api)
    [(created, expires)] = house.query(
        "SELECT created_at, expires_at FROM console_sessions WHERE kind = 'phone' AND club_id = %s", club_of(house, api)
    )
    assert expires - created == LINK_LIFETIME
    house.change(
        "UPDATE console_sessions SET created_at = now() - interval '1 hour', expires_at = now() WHERE club_id = %s",
        club_of(house, api),
    )
    refused = sign_in(house, code, draw_secret())
    assert (refused.status, refused["code"]) == (410, "link-ended")
    assert api.get("/v1/links?kind=club")["links"] == []


def test_a_link_that_is_opened_on_two_phones_signs_in_the_first(house: House, api: Api) -> None:
    code, first, second = code_of(api), draw_secret(), draw_secret()
    assert sign_in(house, code, first).status == 201
    refused = sign_in(house, code, second)
    assert (refused.status, refused["code"]) == (410, "link-ended")
    assert Api(house.app, second).get("/v1/link").status == 401
    assert len(api.get("/v1/links?kind=club")["links"]) == 1


def test_a_repeated_request_returns_the_same_link(house: House, api: Api) -> None:
    code, secret = code_of(api), draw_secret()
    first, second = (sign_in(house, code, secret) for _ in range(2))
    assert first.document == second.document
    assert len(api.get("/v1/links?kind=club")["links"]) == 1
    # The next link signs in a phone that has none yet.
    assert sign_in(house, code_of(api), secret).document == first.document


def test_of_requests_at_once_one_phone_is_signed_in(house: House, api: Api) -> None:
    for same in (True, False):
        code, secret = code_of(api), draw_secret()
        drawn = [secret if same else draw_secret() for _ in range(20)]
        responses = at_once(*(partial(sign_in, house, code, each) for each in drawn))
        assert sorted(each.status for each in responses) == ([201] * 20 if same else [201] + [410] * 19)
        assert len({each["id"] for each in responses if each.status == 201}) == 1
    assert len(api.get("/v1/links?kind=club")["links"]) == 2


def test_a_revoked_phone_opens_nothing_and_is_not_signed_in_again(house: House, api: Api) -> None:
    code, secret = code_of(api), draw_secret()
    link = sign_in(house, code, secret)
    assert api.delete(f"/v1/links/{link['id']}").status == 204
    phone = Api(house.app, secret)
    assert phone.get("/v1/link").status == phone.get("/v1/tables").status == 401
    assert phone.post("/v1/tables", {"name": "friday", "ruleset": "pineapple"}).status == 401
    # Its secret is used up too.
    for again in (code, code_of(api)):
        refused = sign_in(house, again, secret)
        assert (refused.status, refused["code"]) == (410, "link-ended")
    assert api.get("/v1/tables")["tables"] == []


def test_a_link_that_signs_in_and_the_phone_end_with_the_key(house: House, api: Api) -> None:
    lent = create_key(house.owner, stored_club(house, api), name="lent", scopes=("read", "write", "tables"))
    lender = Api(house.app, lent.secret)
    phone, code = phone_of(house, lender), code_of(lender)
    assert phone.get("/v1/link")["scopes"] == ["read", "write", "tables"]
    assert api.delete(f"/v1/keys/{lent.key.id}").status == 204
    assert phone.get("/v1/link").status == 401
    assert sign_in(house, code, draw_secret()).status == 410


@pytest.mark.parametrize("lacking", ["read", "write", "tables"])
def test_a_key_that_lacks_a_scope_of_the_phone_signs_none_in(house: House, api: Api, lacking: str) -> None:
    scopes = [scope for scope in ("read", "write", "tables") if scope != lacking]
    key = create_key(house.owner, stored_club(house, api), name="limited", scopes=scopes)
    refused = Api(house.app, key.secret).request("POST", "/v1/phone-links")
    assert (refused.status, refused["code"]) == (403, "scope-missing")
    assert f"'{lacking}'" in refused["detail"]


def test_other_codes_sign_no_phone_in(house: House, api: Api) -> None:
    console = console_link(house, api).rpartition("/")[2]
    for code in (console, str(api.key), "ofc_phone_unknown", str(link_to(house, api, table_of(api)).key)):
        assert sign_in(house, code, draw_secret()).status == 410, code
    # And the code of a phone is neither a key nor signs in to the console.
    code = code_of(api)
    assert Api(house.app, code).get("/v1/link").status == 401
    assert Visitor(house).send("/sign-in", {"code": code}).status_code == 403
    assert sign_in(house, code, draw_secret()).status == 201


@pytest.mark.parametrize("secret", ["", "short", f"ofc_link_{'x' * 42}-", "x" * 52, f"ofc_link_{'x' * 44}"])
def test_a_secret_that_is_none_of_a_link_is_refused(house: House, api: Api, secret: str) -> None:
    refused = sign_in(house, code_of(api), secret)
    assert (refused.status, set(refused.mistakes)) == (422, {"#/secret"})


def test_the_secret_of_another_link_is_refused(house: House, api: Api, other_api: Api) -> None:
    taken = [str(link_to(house, each, table_of(each)).key) for each in (api, other_api)]
    for secret in taken:
        refused = sign_in(house, code_of(api), secret)
        assert (refused.status, refused["code"]) == (410, "link-ended")
    assert api.get("/v1/links?kind=club")["links"] == []


def test_unknown_codes_are_counted_as_unknown_keys_are(embedded_postgres: Server) -> None:
    with open_house(embedded_postgres, rate_limit=1000) as limited:
        statuses = [sign_in(limited, f"guess {number}", draw_secret()).status for number in range(MOST_FAILURES + 1)]
    assert statuses == [410] * MOST_FAILURES + [429]


# --- what a phone can do ---


def test_a_phone_creates_tables_and_keeps_score_at_all(house: House, api: Api) -> None:
    before = table_of(api, "kitchen")
    phone = phone_of(house, api)
    created = phone.post("/v1/tables", {"name": "friday", "ruleset": "pineapple", "point_value": 10, "unit": "EUR"})
    assert created.status == 201, created
    assert {each["id"] for each in phone.get("/v1/tables")["tables"]} == {before, created["id"]}
    for table in (before, created["id"]):
        round_id = open_round(phone, table, SIXES)["id"]
        play(phone, round_id, hand(1, 1, THREE))
    actors = house.query(
        "SELECT DISTINCT actor::text FROM events WHERE kind = 'hand.recorded' AND club_id = %s", club_of(house, api)
    )
    assert actors == [(phone.get("/v1/link")["id"],)]
    check_everywhere(house, api)


def test_operations_that_are_not_for_links_to_the_club_are_refused(house: House, club: Api, mine: Played) -> None:
    phone = phone_of(house, club)
    refused = set()
    for method, path, name in operations(club):
        if name in PUBLIC:
            continue
        path = path.replace("{reference}", "turbo").replace("{player}", "ann").replace("{address}", "1")
        body = {"json": SENT[name]} if SENT.get(name) else {"json": {}} if method in ("POST", "PUT", "PATCH") else {}
        response = phone.request(method, path, **body)
        if response.status == 403:
            refused.add(name)
            assert "is for one club, and this operation is not for links" in response["detail"], name
    assert refused == {name for _, _, name in operations(club)} - PUBLIC - ALLOWED - CLUB


def test_a_phone_does_not_set_what_links_do_not_set(house: House, api: Api) -> None:
    phone, metadata = phone_of(house, api), {"metadata": {"camera": "2"}}
    standing = {"charge_per": "hand", "charge_amount": 5}
    charges = {"charges": [{"player": "ann", "unit": "EUR", "amount": 50, "reason": "rake"}]}
    plain = {"name": "friday", "ruleset": "pineapple"}
    table = phone.post("/v1/tables", plain)["id"]
    opened = open_round(phone, table, SIXES)["id"]
    refused = [phone.post("/v1/tables", {**plain, "name": "attic", **more}) for more in (metadata, REFERENCE, standing)]
    refused += [phone.post(f"/v1/tables/{table_of(api)}/rounds", {**SENT["open_round"], **metadata})]
    refused += [
        phone.post(f"/v1/rounds/{opened}/hands", hand(1, 1, THREE, **more)) for more in (metadata, REFERENCE, charges)
    ]
    for response in refused:
        assert (response.status, response["code"]) == (403, "scope-missing"), response
    assert [each["name"] for each in api.get("/v1/tables?name=attic")["tables"]] == []
    assert phone.get(f"/v1/rounds/{opened}/hands")["hands"] == []
    assert api.get("/v1/ledger")["lines"] == []
    play(phone, opened, hand(1, 1, THREE))


def test_operations_for_links_to_the_club_are_refused_to_links_to_a_table(
    house: House, club: Api, mine: Played
) -> None:
    link = link_to(house, club, mine.table)
    for response in (link.post("/v1/tables", {"name": "attic", "ruleset": "pineapple"}), link.get("/v1/units")):
        assert (response.status, response["code"]) == (403, "scope-missing")


def test_records_of_another_club_are_not_found(house: House, club: Api, mine: Played, other_api: Api) -> None:
    theirs, phone = play_at(other_api, "friday"), phone_of(house, club)
    for path in (f"/v1/tables/{theirs.table}", f"/v1/rounds/{theirs.round}", f"/v1/hands/{theirs.hand}"):
        assert phone.get(path).status == 404
    assert phone.post(f"/v1/tables/{theirs.table}/rounds", SENT["open_round"]).status == 404
    assert theirs.table not in {each["id"] for each in phone.get("/v1/tables")["tables"]}
    # The name of a table is unique in the club only.
    assert phone.post("/v1/tables", {"name": "their attic", "ruleset": "pineapple"}).status == 201
    assert other_api.get("/v1/tables?name=their%20attic")["tables"] == []


def test_a_phone_has_idempotency_keys_of_its_own(house: House, api: Api) -> None:
    phones = [phone_of(house, api) for _ in range(2)]
    options = {"json": {"name": "friday", "ruleset": "pineapple"}, "headers": {"Idempotency-Key": "friday"}}
    other = {"json": {"name": "monday", "ruleset": "pineapple"}, "headers": {"Idempotency-Key": "friday"}}
    assert api.request("POST", "/v1/tables", **options).status == 201
    for phone, sent in zip(phones, (options, other), strict=True):
        assert phone.request("POST", "/v1/tables", **sent).status == 201
    assert sorted(each["name"] for each in api.get("/v1/tables")["tables"]) == ["friday", "monday"]


def test_a_phone_opens_no_console_and_no_page_of_a_link(house: House, api: Api) -> None:
    phone = phone_of(house, api)
    assert Visitor(house).send("/sign-in", {"key": str(phone.key)}).status_code == 403
    assert house.app.test_client().get(f"/links/{phone.key}").status_code == 404
    for path in ("/v1/console-links", "/v1/phone-links", "/v1/links", "/v1/keys"):
        assert phone.request("POST", path, json={}).status == 403, path


def test_the_codes_and_secrets_of_phones_are_in_no_log(house: House, api: Api, log: Log) -> None:
    code, secret = code_of(api), draw_secret()
    link = sign_in(house, code, secret)
    sign_in(house, code, draw_secret())
    assert sign_in(house, code, f"{secret}!").status == 422
    shown = "".join(map(str, log.lines))
    assert code not in shown
    assert secret not in shown
    [event] = [each for each in log.events if each["event"] == "phone_signed_in"]
    assert event["link"] == link["id"]
