"""The page of API keys: the list, its files, and revoking."""

from service.clubs.actions import create_key
from tests.service.console.test_signing_in import signed_in_with
from tests.service.disputes.test_dispute_authors import stored_club
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_lists import read_files
from tests.support.browser.console_visitor import Visitor, parse, text_of

XSS = "<script>alert(1)</script>"


def test_the_list_has_each_key_and_never_its_secret(house: House, api: Api) -> None:
    new_key = create_key(house.owner, stored_club(house, api), name="scoreboard", scopes=("read", "webhooks"))
    response = Visitor.signed_in(house, api).get("/keys")
    shown = text_of(parse(response))
    for text in ("scoreboard", new_key.key.prefix, "read, webhooks", "valid", "this session", "never"):
        assert text in shown
    assert new_key.secret not in response.text


def test_a_key_is_revoked_after_a_question(house: House, api: Api) -> None:
    new_key = create_key(house.owner, stored_club(house, api), name="lost")
    visitor = Visitor.signed_in(house, api)
    page = f"/keys/{new_key.key.id}/revoke"
    text = text_of(visitor.show(page))
    assert "lost" in text
    assert "cannot be undone" in text
    assert "signed in with this key" not in text
    assert Api(house.app, new_key.secret).get("/v1/tables").status == 200, "the question revokes nothing"
    assert visitor.submit(page, "/revoke", {}).location == "/console/keys"
    assert Api(house.app, new_key.secret).get("/v1/tables").status == 401
    assert "revoked" in text_of(visitor.show("/keys"))


def test_revoking_the_key_of_the_session_ends_it(house: House, api: Api) -> None:
    visitor = Visitor.signed_in(house, api)
    [own] = api.get("/v1/keys")["keys"]
    assert "signed in with this key" in text_of(visitor.show(f"/keys/{own['id']}/revoke"))
    assert visitor.submit(f"/keys/{own['id']}/revoke", "/revoke", {}).status_code == 303
    assert visitor.get("/keys").location.startswith("/console/sign-in")


def test_the_files_have_the_rows_of_the_api(house: House, api: Api) -> None:
    create_key(house.owner, stored_club(house, api), name="=1+1", scopes=("read",))
    visitor = Visitor.signed_in(house, api)
    rows = read_files(visitor, "/keys")
    assert [(row["id"], row["name"], row["scopes"].split()) for row in rows] == [
        (key["id"], key["name"], key["scopes"]) for key in api.get("/v1/keys")["keys"]
    ]
    assert "'=1+1" in visitor.get("/keys?format=csv").text, "no spreadsheet runs it"


def test_names_are_text(house: House, api: Api) -> None:
    new_key = create_key(house.owner, stored_club(house, api), name=XSS)
    visitor = Visitor.signed_in(house, api)
    for path in ("/keys", f"/keys/{new_key.key.id}/revoke"):
        assert XSS in text_of(visitor.show(path))


def test_keys_of_other_clubs_are_not_found(house: House, api: Api, other_api: Api) -> None:
    [theirs] = other_api.get("/v1/keys")["keys"]
    visitor = Visitor.signed_in(house, api)
    assert visitor.get(f"/keys/{theirs['id']}/revoke").status_code == 404
    [own] = api.get("/v1/keys")["keys"]
    own_page = visitor.show(f"/keys/{own['id']}/revoke")
    [csrf] = {each.attrib["value"] for each in own_page.iter("input") if each.attrib["name"] == "csrf"}
    assert visitor.send(f"/keys/{theirs['id']}/revoke", {"csrf": csrf}).status_code == 404
    assert other_api.get("/v1/keys").status == 200


def test_other_scopes_see_no_keys(house: House, api: Api) -> None:
    visitor = signed_in_with(house, api, "read", "write")
    assert visitor.get("/keys").status_code == 403
    assert visitor.get("/keys?format=csv").status_code == 403
    assert "/console/keys" not in visitor.get("/links").text
