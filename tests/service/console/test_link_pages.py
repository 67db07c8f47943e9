"""The pages of links: to tables, and to rounds."""

from urllib.parse import unquote
from uuid import uuid4

import pytest

from tests.service.console.test_signing_in import signed_in_with
from tests.service.links.linked_table import issue, secret_of
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_lists import count_statements, read_files
from tests.support.browser.console_visitor import Visitor, parse, text_of
from tests.support.sample_rounds import add_table, complete_round

XSS = "<script>alert(1)</script>"


def test_the_list_has_the_links_of_all_tables(house: House, api: Api) -> None:
    kitchen, attic = add_table(api, name="kitchen"), add_table(api, name="attic")
    issue(api, kitchen, kind="scorekeeper", label="Anna's phone")
    issued = issue(api, attic, kind="player", player="ben")
    response = Visitor.signed_in(house, api).get("/links")
    shown = text_of(parse(response))
    for text in ("Anna's phone", "scorekeeper", "kitchen", "attic", "ben", "valid", "first"):
        assert text in shown
    assert secret_of(issued) not in response.text


def test_the_filter_selects_the_page_and_its_files(house: House, api: Api) -> None:
    kitchen, attic = add_table(api, name="kitchen"), add_table(api, name="attic")
    issue(api, kitchen, kind="scorekeeper", label="scorekeeper")
    issue(api, attic, kind="viewer", label="viewer")
    lost = issue(api, kitchen, kind="viewer", label="lost")
    assert api.request("DELETE", f"/v1/links/{lost['id']}").status == 204
    visitor = Visitor.signed_in(house, api)
    for query, labels in {
        "": ["lost", "viewer", "scorekeeper"],
        "?table=kitchen": ["lost", "scorekeeper"],
        "?kind=viewer": ["lost", "viewer"],
        "?state=ended": ["lost"],
        "?state=valid&table=kitchen&kind=": ["scorekeeper"],
    }.items():
        assert [row["label"] for row in read_files(visitor, f"/links{query}")] == labels, query
        document = visitor.show(f"/links{query}")
        assert [each.findtext("th/bdi") for each in document.iter("tr") if each.find("td") is not None] == labels
    assert "No link matches" in text_of(visitor.show("/links?table=kitchen&kind=player"))


def test_a_phone_is_signed_in_with_a_code_and_revoked(house: House, api: Api) -> None:
    visitor = Visitor.signed_in(house, api)
    shown = visitor.submit("/phones/new", "/phones/new", {})
    assert shown.status_code == 200
    [address] = [each.get("value") for each in parse(shown).iter("input") if each.get("id") == "address"]
    place, _, code = str(address).partition("#")
    assert place == "http://localhost/scorekeeper/"
    secret = f"ofc_link_{uuid4().hex:a<43}"
    link = Api(house.app, None).post("/v1/phones", {"code": code, "secret": secret, "label": XSS})
    assert link.status == 201, link
    listed = visitor.get("/links?kind=club")
    assert "All tables" in text_of(parse(listed))
    assert XSS not in listed.text
    assert code not in listed.text
    path = f"/links/{link['id']}/revoke"
    assert "opens the club no longer" in " ".join(text_of(visitor.show(path)).split())
    visitor.submit(path, path, {})
    assert Api(house.app, secret).get("/v1/link").status == 401
    # A code is for keys that can create tables.
    reader = signed_in_with(house, api, "read", "write")
    assert reader.get("/phones/new").status_code == 403
    assert "Sign a phone in" not in reader.get("/links").text


@pytest.mark.parametrize("query", ["?kind=other", "?state=x", "?cursor=1"])
def test_invalid_filters_are_refused_in_words(house: House, api: Api, query: str) -> None:
    response = Visitor.signed_in(house, api).get(f"/links{query}")
    assert response.status_code == 422
    assert "expected" in text_of(parse(response))


def test_an_unknown_table_is_not_found(house: House, api: Api) -> None:
    visitor = Visitor.signed_in(house, api)
    assert "There is no table “unknown”." in text_of(visitor.show("/links?table=unknown"))
    response = visitor.get("/links?table=unknown&format=csv")
    assert response.status_code == 404
    assert "There is no table 'unknown'" in text_of(parse(response))


@pytest.mark.parametrize(
    ("kind", "path"),
    [("scorekeeper", "/scorekeeper/#ofc_link_"), ("viewer", "/links/ofc_link_"), ("player", "/links/")],
)
def test_an_issued_link_is_shown_once_with_its_code(house: House, api: Api, kind: str, path: str) -> None:
    table = add_table(api)
    visitor = Visitor.signed_in(house, api)
    form = {"table": "kitchen", "kind": kind, "player": "ben", "label": "", "expires_in": "43200"}
    response = visitor.submit("/links/new", "/links/new", form)
    assert response.status_code == 200
    document = parse(response)
    [address] = [each.attrib["value"] for each in document.iter("input") if each.attrib.get("id") == "address"]
    assert address.startswith(f"http://localhost{path}")
    [code] = [each.attrib["src"] for each in document.iter("img")]
    assert unquote(code).startswith("data:image/svg+xml")
    [link] = api.get(f"/v1/links?table={table}")["links"]
    assert (link["kind"], link["player"]) == (kind, "ben" if kind == "player" else None)
    assert Api(house.app, address.rpartition("/")[2].removeprefix("#")).get("/v1/link")["id"] == link["id"]
    assert address not in visitor.get("/links").text


def test_a_refused_form_is_shown_again_with_what_was_sent(house: House, api: Api) -> None:
    add_table(api)
    visitor = Visitor.signed_in(house, api)
    for changed, message in (
        ({"player": ""}, "player"),
        ({"table": "nowhere"}, "no table"),
        ({"label": "x" * 101}, "label"),
        ({"expires_in": "1"}, "how long the link is valid"),
    ):
        form = {"table": "kitchen", "kind": "player", "player": "ben", "label": XSS, "expires_in": "43200"} | changed
        response = visitor.submit("/links/new", "/links/new", form)
        assert response.status_code in (404, 422)
        document = parse(response)
        [alert] = [each for each in document.iter("div") if each.attrib.get("role") == "alert"]
        assert message in "".join(alert.itertext())
        values = {each.attrib.get("name"): each.attrib.get("value") for each in document.iter("input")}
        assert values["label"] == form["label"]


def test_a_link_is_revoked_after_a_question(house: House, api: Api) -> None:
    table = add_table(api)
    issued = issue(api, table, kind="viewer", label="hall")
    visitor = Visitor.signed_in(house, api)
    page = f"/links/{issued['id']}/revoke"
    assert "hall" in text_of(visitor.show(page))
    assert Api(house.app, secret_of(issued)).get("/v1/link").status == 200
    assert visitor.submit(page, "/revoke", {}).location == "/console/links"
    assert Api(house.app, secret_of(issued)).get("/v1/link").status == 401


def test_an_issued_link_to_a_round_shows_it_without_a_key(house: House, api: Api) -> None:
    round_id = complete_round(api)
    visitor = Visitor.signed_in(house, api)
    page = f"/links/new?round={round_id}"
    assert page in {
        each.attrib["href"].removeprefix("/console") for each in visitor.show(f"/rounds/{round_id}").iter("a")
    }
    form = {"kind": "viewer", "expires_in": "43200"}
    document = parse(visitor.submit(page, "/links/new", {"round": round_id, **form}))
    [address] = [each.attrib["value"] for each in document.iter("input") if each.attrib.get("id") == "address"]
    [code] = [each.attrib["src"] for each in document.iter("img")]
    assert unquote(code).startswith("data:image/svg+xml")
    assert address.startswith("http://localhost/links/ofc_link_")
    assert "Standings" in house.app.test_client().get(address.removeprefix("http://localhost")).text
    [listed] = read_files(visitor, "/links")
    assert (listed["round"], listed["kind"]) == (round_id, "viewer")
    assert f"/console/rounds/{round_id}" in {each.attrib.get("href") for each in visitor.show("/links").iter("a")}


@pytest.mark.parametrize("expires_in", ["soon", "59", "99999999999"])
def test_a_link_to_a_round_with_an_invalid_lifetime_is_refused(house: House, api: Api, expires_in: str) -> None:
    round_id = complete_round(api)
    form = {"round": round_id, "kind": "viewer", "expires_in": expires_in}
    response = Visitor.signed_in(house, api).submit(f"/links/new?round={round_id}", "/links/new", form)
    assert response.status_code == 422
    shown = text_of(parse(response))
    assert "how long the link is valid" in shown
    assert "this round, its settlement" in shown


def test_a_link_to_a_round_is_for_no_scorekeeper(house: House, api: Api) -> None:
    round_id = complete_round(api)
    form = {"round": round_id, "kind": "scorekeeper", "expires_in": "43200"}
    response = Visitor.signed_in(house, api).submit(f"/links/new?round={round_id}", "/links/new", form)
    assert response.status_code == 422
    assert "a scorekeeper's is for a table" in text_of(parse(response))


def test_a_link_to_a_round_needs_the_scope_and_a_round_of_the_club(house: House, api: Api, other_api: Api) -> None:
    page = f"/links/new?round={complete_round(api)}"
    assert signed_in_with(house, api, "read").get(page).status_code == 403
    assert Visitor.signed_in(house, other_api).get(page).status_code == 404
    assert Visitor.signed_in(house, api).get("/links/new?round=last").status_code == 404


def test_labels_are_text(house: House, api: Api) -> None:
    table = add_table(api, name=XSS)
    issued = issue(api, table, kind="player", player=XSS, label=XSS)
    visitor = Visitor.signed_in(house, api)
    for path in ("/links", f"/links/{issued['id']}/revoke", "/links/new"):
        document = visitor.show(path)
        assert len(list(document.iter("script"))) == 1, path
    assert text_of(visitor.show("/links")).count(XSS) >= 3


def test_the_number_of_statements_is_constant(house: House, api: Api) -> None:
    table = add_table(api)
    visitor = Visitor.signed_in(house, api)
    few = count_statements(visitor, "/links")
    for number in range(30):
        issue(api, table, kind="viewer", label=f"phone {number}")
    assert count_statements(visitor, "/links") == few


def test_links_of_other_clubs_are_not_found(house: House, api: Api, other_api: Api) -> None:
    table = add_table(other_api)
    theirs = issue(other_api, table, kind="viewer")
    own = issue(api, add_table(api), kind="viewer")
    visitor = Visitor.signed_in(house, api)
    assert visitor.get(f"/links/{theirs['id']}/revoke").status_code == 404
    assert visitor.get(f"/links/{uuid4()}/revoke").status_code == 404
    page = visitor.show(f"/links/{own['id']}/revoke")
    [csrf] = {each.attrib["value"] for each in page.iter("input") if each.attrib["name"] == "csrf"}
    assert visitor.send(f"/links/{theirs['id']}/revoke", {"csrf": csrf}).status_code == 404
    assert Api(house.app, secret_of(theirs)).get("/v1/link").status == 200


def test_a_key_of_the_scope_admin_revokes_and_issues_nothing(house: House, api: Api) -> None:
    table = add_table(api)
    issued = issue(api, table, kind="viewer")
    visitor = signed_in_with(house, api, "admin")
    assert "Issue a link" not in text_of(visitor.show("/links"))
    assert visitor.get("/links/new").status_code == 403
    assert visitor.submit(f"/links/{issued['id']}/revoke", "/revoke", {}).status_code == 303
    assert signed_in_with(house, api, "read").get("/links").status_code == 403
