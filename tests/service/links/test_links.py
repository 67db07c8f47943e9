"""Links: how they are issued, listed and revoked, and when they end."""

import re
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from uuid import UUID

import pytest

from service.clubs.actions import create_key, find_club, revoke_key, rotate_key
from tests.service.links.linked_table import issue, issue_to_round, link_to, secret_of, table_of
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.import_lines import club_of
from tests.support.log_capture import Log
from tests.support.sample_rounds import NOBODYS, SIXES, THREE, hand, open_round, play, walk

SECRET = r"ofc_link_[0-9A-Za-z]{43}"
SCOREKEEPER = ["read", "write", "correct"]


def key_with(house: House, api: Api, *scopes: str, lifetime: timedelta | None = None) -> Api:
    """Return a client with another key of a client's club."""
    [(name,)] = house.query("SELECT name FROM clubs WHERE id = %s", club_of(house, api))
    new_key = create_key(house.owner, find_club(house.owner, name), name="other", scopes=scopes, lifetime=lifetime)
    return Api(house.app, new_key.secret)


def life_of(issued: ApiResponse) -> timedelta:
    return datetime.fromisoformat(issued["expires_at"]) - datetime.fromisoformat(issued["created_at"])


def key_id(house: House, api: Api) -> UUID:
    [(id_,)] = house.query("SELECT id FROM api_keys WHERE secret_sha256 = sha256(%s)", str(api.key).encode())
    return UUID(str(id_))


# --- issue ---


@pytest.mark.smoke
def test_a_viewer_link_for_a_day_is_the_default(house: House, api: Api) -> None:
    table = table_of(api)
    issued = issue(api, table)
    assert (issued["kind"], issued["label"], issued["scopes"], issued["table"]) == ("viewer", "viewer", ["read"], table)
    assert issued["key"] == str(key_id(house, api))
    assert life_of(issued) == timedelta(hours=24)
    assert (issued["revoked_at"], issued["last_used_at"]) == (None, None)
    assert issued.headers["Cache-Control"] == "no-store"


def test_a_scorekeeper_link_has_the_secret_in_the_fragment_of_its_address(house: House, api: Api) -> None:
    issued = issue(api, table_of(api), kind="scorekeeper", label="Anna's phone", expires_in=60)
    address = urlsplit(issued["url"])
    assert (address.scheme, address.netloc, address.path, address.query) == ("http", "localhost", "/scorekeeper/", "")
    assert re.fullmatch(SECRET, address.fragment)
    assert (issued["label"], issued["scopes"], life_of(issued)) == ("Anna's phone", SCOREKEEPER, timedelta(minutes=1))
    everything = house.query("SELECT to_jsonb(link)::text FROM links AS link WHERE id = %s", issued["id"])
    assert address.fragment not in str(everything)


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"kind": "owner"}, "#/kind"),
        ({"kind": None}, "#/kind"),
        ({"label": ""}, "#/label"),
        ({"label": "x" * 101}, "#/label"),
        ({"label": "phone\u202e"}, "#/label"),
        ({"expires_in": 59}, "#/expires_in"),
        ({"expires_in": 366 * 86_400 + 1}, "#/expires_in"),
        ({"scopes": ["*"]}, "#/scopes"),
        ({"table": "kitchen"}, "#/table"),
        ({"table": None}, "#/table"),
        ({"round": NOBODYS}, "#/round"),
    ],
)
def test_an_invalid_request_creates_no_link(house: House, api: Api, body: dict[str, object], pointer: str) -> None:
    table = table_of(api)
    before = house.count_records()
    refused = api.post("/v1/links", {"table": table, **body})
    assert (refused.status, set(refused.mistakes)) == (422, {pointer})
    assert house.count_records() == before


def test_a_link_has_at_most_the_scopes_of_its_key(house: House, api: Api) -> None:
    table = table_of(api)
    recorder = key_with(house, api, "read", "write")
    assert issue(recorder, table, kind="scorekeeper")["scopes"] == ["read", "write"]
    writer = key_with(house, api, "write")
    for kind, needed in (("scorekeeper", "'read' and 'write'"), ("viewer", "'read'")):
        refused = writer.post("/v1/links", {"table": table, "kind": kind})
        assert (refused.status, refused["code"]) == (403, "scope-missing")
        assert refused["detail"].endswith(
            f"lacks the scope 'read', and a link has at most the scopes of its key; expected a key with {needed}"
        )


def test_a_changed_record_of_a_link_gives_it_no_scope_that_its_key_lacks(house: House, api: Api) -> None:
    table = table_of(api)
    link = link_to(house, key_with(house, api, "read", "write"), table)
    house.change("UPDATE links SET scopes = '{read,write,correct,correct-final}' WHERE table_id = %s", table)
    assert link.get("/v1/link").status == 200
    round_id = open_round(link, table)["id"]
    refused = link.post(f"/v1/rounds/{round_id}/corrections", {"reason": "misread", "version": 1, "patch": []})
    assert (refused.status, refused["code"]) == (403, "scope-missing")
    assert "the link 'scorekeeper' has 'read', 'write'; expected a key with the scope 'correct'" in refused["detail"]


def test_a_link_expires_with_its_key_at_the_latest(house: House, api: Api) -> None:
    table = table_of(api)
    lent = key_with(house, api, "*", lifetime=timedelta(hours=1))
    issued = issue(lent, table)
    [(ends,)] = house.query("SELECT expires_at FROM api_keys WHERE id = %s", key_id(house, lent))
    assert datetime.fromisoformat(issued["expires_at"]) == ends


def test_links_of_unknown_tables_and_of_other_clubs_are_not_found(api: Api, other_api: Api) -> None:
    table = table_of(api)
    link = issue(api, table)["id"]
    for stranger, place in ((other_api, table), (api, NOBODYS)):
        assert stranger.post("/v1/links", {"table": place}).status == 404
        assert stranger.get(f"/v1/links?table={place}")["links"] == []
    assert other_api.get("/v1/links")["links"] == []
    assert other_api.delete(f"/v1/links/{link}").status == api.delete(f"/v1/links/{NOBODYS}").status == 404
    assert api.get(f"/v1/links?table={table}")["links"][0]["revoked_at"] is None


# --- list and revoke ---


def test_links_are_listed_newest_first_and_not_among_the_keys(house: House, api: Api) -> None:
    table, other = table_of(api), table_of(api, "attic")
    labels = [f"phone {number}" for number in range(3)]
    issued = [issue(api, table, label=label) for label in labels]
    issue(api, other)
    pages = list(walk(api, f"/v1/links?table={table}&limit=2"))
    listed = [link for page in pages for link in page["links"]]
    assert [link["label"] for link in listed] == labels[::-1]
    assert listed == [
        {k: v for k, v in each.document.items() if k not in ("url", "board_url", "warnings")} for each in issued[::-1]
    ]
    assert [key["name"] for key in api.get("/v1/keys")["keys"]] == ["first"]
    assert not any(secret_of(each) in str(pages) for each in issued)


def test_links_are_listed_by_what_they_show_their_kind_and_their_state(house: House, api: Api) -> None:
    table, other = table_of(api), table_of(api, "attic")
    round_id = str(open_round(api, table)["id"])
    lent = issue(key_with(house, api, "*"), table, label="of a key that ends")
    issued = {
        "at table": issue(api, table, kind="scorekeeper"),
        "elsewhere": issue(api, other),
        "to round": issue_to_round(api, round_id, kind="player", player="ann"),
        "lost": issue(api, table),
    }
    assert api.delete(f"/v1/links/{issued['lost']['id']}").status == 204
    assert api.delete(f"/v1/keys/{lent['key']}").status == 204
    names = {each["id"]: name for name, each in issued.items()} | {lent["id"]: "of an ended key"}
    for query, expected in {
        "": ["lost", "to round", "elsewhere", "at table", "of an ended key"],
        f"?table={table}": ["lost", "to round", "at table", "of an ended key"],
        f"?round={round_id}": ["to round"],
        "?kind=viewer": ["lost", "elsewhere", "of an ended key"],
        "?state=valid": ["to round", "elsewhere", "at table"],
        "?state=ended": ["lost", "of an ended key"],
        f"?state=valid&table={other}&kind=viewer": ["elsewhere"],
    }.items():
        assert [names[each["id"]] for each in api.get(f"/v1/links{query}")["links"]] == expected, query
    assert api.get("/v1/links?state=lost").status == api.get("/v1/links?table=friday").status == 422


def test_a_used_link_is_listed_with_the_time_of_its_use(house: House, api: Api) -> None:
    table = table_of(api)
    link_to(house, api, table).get("/v1/link")
    [listed] = api.get(f"/v1/links?table={table}")["links"]
    assert listed["last_used_at"] is not None


def test_a_revoked_link_opens_nothing_and_a_second_revocation_changes_nothing(house: House, api: Api) -> None:
    table = table_of(api)
    issued, other = issue(api, table), link_to(house, api, table)
    link = Api(house.app, secret_of(issued))
    assert link.get("/v1/link").status == 200
    address = f"/v1/links/{issued['id']}"
    assert api.delete(address).status == 204
    revoked = api.get(f"/v1/links?table={table}")["links"][1]["revoked_at"]
    events = house.count_records()["events"]
    assert api.delete(address).status == 204
    assert api.get(f"/v1/links?table={table}")["links"][1]["revoked_at"] == revoked
    assert house.count_records()["events"] == events
    refused = link.get("/v1/link")
    assert (refused.status, refused["code"]) == (401, "key-unknown")
    assert other.get("/v1/link").status == 200


def test_a_revocation_is_permanent(house: House, api: Api) -> None:
    table = table_of(api)
    issued = issue(api, table)
    api.delete(f"/v1/links/{issued['id']}")
    for change in ("UPDATE links SET revoked_at = NULL WHERE id = %s", "DELETE FROM links WHERE id = %s"):
        with pytest.raises(Exception, match="on links is refused"):
            house.change(change, issued["id"])


# --- the end of a link ---


def test_a_link_ends_when_it_expires(house: House, api: Api) -> None:
    table = table_of(api)
    issued = issue(api, table, expires_in=60)
    link = Api(house.app, secret_of(issued))
    assert link.get("/v1/link").status == 200
    house.change(
        "UPDATE links SET created_at = now() - interval '2 days', expires_at = now() - interval '1 second'"
        " WHERE id = %s",
        issued["id"],
    )
    assert link.get("/v1/link").status == link.get(f"/v1/tables/{table}").status == 401


def test_a_link_ends_with_the_key_that_issued_it(house: House, api: Api) -> None:
    table = table_of(api)
    makers = [
        key_with(house, api, "*"),
        key_with(house, api, "*"),
        key_with(house, api, "*", lifetime=timedelta(days=1)),
    ]
    links = [link_to(house, maker, table) for maker in makers]
    lasting = link_to(house, api, table)
    assert {link.get("/v1/link").status for link in links} == {200}
    assert api.delete(f"/v1/keys/{key_id(house, makers[0])}").status == 204
    rotate_key(house.owner, str(makers[1].key))
    house.change(
        "UPDATE api_keys SET created_at = now() - interval '2 days', expires_at = now() WHERE id = %s",
        key_id(house, makers[2]),
    )
    assert {link.get("/v1/link").status for link in links} == {401}
    assert lasting.get("/v1/link").status == 200


def test_a_link_is_valid_while_its_key_is_being_replaced(house: House, api: Api) -> None:
    maker = key_with(house, api, "*")
    link = link_to(house, maker, table_of(api))
    rotate_key(house.owner, str(maker.key), timedelta(hours=1))
    assert link.get("/v1/link").status == 200
    revoke_key(house.owner, str(maker.key))
    assert link.get("/v1/link").status == 401


@pytest.mark.parametrize("changed", [lambda s: s[:-1] + ("a" if s[-1] != "a" else "b"), lambda s: s[:-1], str.upper])
def test_a_forged_link_opens_nothing(house: House, api: Api, changed: object) -> None:
    assert callable(changed)
    forged = changed(str(link_to(house, api, table_of(api)).key))
    refused = Api(house.app, forged).get("/v1/link")
    assert (refused.status, refused["code"]) == (401, "key-unknown")


# --- the link of a request ---


def test_the_link_of_a_request_names_its_table(house: House, api: Api) -> None:
    table = table_of(api, "friday")
    issued = issue(api, table, kind="scorekeeper", label="Anna's phone")
    response = Api(house.app, secret_of(issued)).get("/v1/link")
    same = {name: issued[name] for name in ("id", "label", "kind", "scopes", "table", "round", "expires_at")}
    assert response.document == {**same, "table_name": "friday"}


def test_a_key_is_not_a_link(api: Api) -> None:
    refused = api.get("/v1/link")
    assert (refused.status, refused["code"]) == (404, "not-found")
    assert "authenticated with a key" in refused["detail"]


# --- the audit trail ---


def test_the_link_is_the_actor_of_what_is_done_with_it(house: House, api: Api) -> None:
    table = table_of(api)
    issued = issue(api, table, kind="scorekeeper", label="Anna's phone")
    link = Api(house.app, secret_of(issued))
    round_id = open_round(link, table, SIXES)["id"]
    play(link, round_id, hand(1, 1, THREE))
    api.delete(f"/v1/links/{issued['id']}")
    trail = house.query(
        "SELECT kind, actor::text, convert_from(content, 'UTF8') FROM events WHERE club_id = %s ORDER BY id",
        club_of(house, api),
    )
    actors = {kind: actor for kind, actor, _ in trail}
    maker = str(key_id(house, api))
    assert actors["link.issued"] == actors["link.revoked"] == maker
    assert actors["round.opened"] == actors["hand.recorded"] == issued["id"]
    assert not any("Anna" in content or secret_of(issued) in content for _, _, content in trail)


def test_only_auditors_see_events_about_links(house: House, api: Api) -> None:
    table = table_of(api)
    link = link_to(house, api, table)
    refused = link.get("/v1/events?kind=link.issued")
    assert (refused.status, refused["code"]) == (403, "scope-missing")


# --- the log ---


def test_the_secret_of_a_link_is_in_no_log(house: House, api: Api, log: Log) -> None:
    table = table_of(api)
    link = link_to(house, api, table)
    link.get("/v1/link")
    link.get(f"/v1/tables/{table}?secret={link.key}")
    assert "ofc_link_" not in "".join(map(str, log.lines))
