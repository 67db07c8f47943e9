"""The pages of API keys: the list, its files, creating and revoking; and the sessions that began with them."""

from datetime import datetime, timedelta
from urllib.parse import unquote
from uuid import uuid4
from xml.etree.ElementTree import Element

from werkzeug.test import TestResponse

from schemas.fields import show_time
from service.clubs.actions import create_key
from service.clubs.scopes import PRESET_DESCRIPTIONS, PRESET_SCOPES
from service.console.actions import SESSION_LIFETIME
from tests.service.console.test_disputes import csrf_of
from tests.service.console.test_signing_in import signed_in_with
from tests.service.disputes.test_dispute_authors import stored_club
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_lists import read_files
from tests.support.browser.console_visitor import Visitor, parse, table_cells, text_of
from tests.support.log_capture import Log

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
    assert visitor.get("/keys/new").status_code == visitor.get("/keys/sessions").status_code == 403
    assert "/console/keys" not in visitor.get("/links").text


# --- new keys ---


def inputs_of(document: Element) -> dict[str, str]:
    """Return the values of the inputs of a page by their IDs."""
    return {each.attrib["id"]: each.attrib.get("value", "") for each in document.iter("input") if each.attrib.get("id")}


def alert_of(response: TestResponse) -> str:
    [alert] = [each for each in parse(response).iter("div") if each.attrib.get("role") == "alert"]
    return "".join(alert.itertext())


def test_a_new_key_is_shown_once_with_a_link_that_signs_in(house: House, api: Api) -> None:
    visitor = Visitor.signed_in(house, api)
    assert "/console/keys/new" in {each.attrib["href"] for each in visitor.show("/keys").iter("a")}
    form = {"name": "bar tablet", "preset": "scorekeeper", "lifetime": "604800"}
    response = visitor.submit("/keys/new", "/keys/new", form)
    assert (response.status_code, response.headers["Cache-Control"]) == (200, "no-store")
    document = parse(response)
    assert "the only one that shows the key" in text_of(document)
    shown = inputs_of(document)
    [listed, _first] = api.get("/v1/keys")["keys"]
    assert (listed["name"], listed["scopes"]) == ("bar tablet", ["read", "score", "write"])
    lasts = datetime.fromisoformat(listed["expires_at"]) - datetime.fromisoformat(listed["created_at"])
    assert lasts == timedelta(days=7)
    tablet = Api(house.app, shown["secret"])
    assert tablet.get("/v1/tables").status == 200
    assert shown["secret"].startswith(listed["prefix"])
    for path in ("/keys", "/keys/new"):
        assert shown["secret"] not in visitor.get(path).text

    [code] = [each.attrib["src"] for each in document.iter("img")]
    assert unquote(code).startswith("data:image/svg+xml")
    path = shown["address"].removeprefix("http://localhost/console")
    opened = Visitor(house)
    assert opened.submit(path, "/sign-in", {}).location == "/console/"
    assert "bar tablet" in opened.get().text
    assert opened.get("/keys").status_code == 403, "it has the scopes of the new key"
    assert Visitor(house).send("/sign-in", {"code": path.rpartition("/")[2]}).status_code == 403, "it signs in once"


def test_the_form_describes_each_preset(house: House, api: Api) -> None:
    text = text_of(Visitor.signed_in(house, api).show("/keys/new"))
    for preset, description in PRESET_DESCRIPTIONS.items():
        assert f"{preset.capitalize()}, {description}. Scopes: {', '.join(PRESET_SCOPES[preset])}" in text
    assert "Your key cannot give" not in text
    assert "until it is revoked" in text


def test_a_preset_with_more_than_the_own_key_cannot_be_given(house: House, api: Api) -> None:
    visitor = signed_in_with(house, api, "admin", "read", "score", "write")
    page = visitor.show("/keys/new")
    choices = {each.attrib["value"]: "disabled" in each.attrib for each in page.iter("input") if is_radio(each)}
    assert choices == {"room": True, "scorekeeper": False, "auditor": True, "manager": True}
    assert "Your key cannot give tables, imports, webhooks" in text_of(page)
    before = house.count_records()
    refused = visitor.submit("/keys/new", "/keys/new", {"name": "their tablet", "preset": "room"})
    assert refused.status_code == 403
    assert alert_of(refused) == "Your key can give only what it is allowed to do itself. Choose less."
    assert inputs_of(parse(refused))["name"] == "their tablet"
    assert house.count_records() == before
    assert visitor.submit("/keys/new", "/keys/new", {"name": "tablet", "preset": "scorekeeper"}).status_code == 200


def is_radio(element: Element) -> bool:
    return element.attrib.get("type") == "radio"


def test_a_refused_form_creates_nothing_and_explains_why(house: House, api: Api) -> None:
    visitor = Visitor.signed_in(house, api)
    csrf = csrf_of(visitor.show("/keys/new"))
    before = house.count_records()
    for form, message in (
        ({"preset": "room"}, "Something is missing: the name."),
        ({"name": "tablet"}, "Something is missing: what the key is for."),
        ({"name": "tablet", "preset": "owner"}, "what the key is for is 'owner'"),
        ({"name": "tablet", "preset": "room", "lifetime": "soon"}, "how long the key is valid is 'soon'"),
    ):
        refused = visitor.send("/keys/new", {"csrf": csrf, **form})
        assert refused.status_code == 422, form
        assert message in alert_of(refused)
    assert house.count_records() == before


def test_a_key_that_ends_creates_keys_that_end_with_it(house: House, api: Api) -> None:
    club, ends = stored_club(house, api), timedelta(days=2)
    own = create_key(house.owner, club, name="office", scopes=("admin", "read", "score", "write"), lifetime=ends)
    visitor = Visitor.signed_in(house, Api(house.app, own.secret))
    page = visitor.show("/keys/new")
    assert [each.text for each in page.iter("option")] == ["as long as your key", "for 1 day"]
    form = {"name": "tablet", "preset": "scorekeeper", "lifetime": ""}
    assert visitor.submit("/keys/new", "/keys/new", form).status_code == 200
    assert api.get("/v1/keys")["keys"][0]["expires_at"] == show_time(own.key.expires_at)
    late = visitor.submit("/keys/new", "/keys/new", {**form, "lifetime": "31536000"})
    assert (late.status_code, alert_of(late)) == (
        422,
        "The new key would end later than your key. Choose an earlier time.",
    )


def test_a_new_key_is_shown_without_a_link_if_the_address_is_not_known(house: House, api: Api) -> None:
    visitor, elsewhere = Visitor(house), {"base_url": "http://evil.example"}
    assert visitor.send("/sign-in", {"key": str(api.key)}, **elsewhere).status_code == 303
    csrf = csrf_of(parse(visitor.get("/keys/new", **elsewhere)))
    form = {"csrf": csrf, "name": "tablet", "preset": "room", "lifetime": ""}
    document = parse(visitor.send("/keys/new", form, **elsewhere))
    shown = inputs_of(document)
    assert Api(house.app, shown["secret"]).get("/v1/tables").status == 200
    assert "address" not in shown
    assert list(document.iter("img")) == []
    assert "'evil.example', which is not known to be an address of this service" in text_of(document)


# --- sessions ---


def sessions_of(visitor: Visitor, path: str = "/keys/sessions") -> list[list[str]]:
    """Return the key, the state and the button of each session of the list."""
    rows = table_cells(visitor.show(path), "Sessions of the console")[1:]
    return [[row[0], row[2], row[-1]] for row in rows]


def test_a_session_is_listed_with_its_key_and_ends_with_it(house: House, api: Api) -> None:
    tablet = create_key(house.owner, stored_club(house, api), name="tablet", scopes=("read",))
    manager = Visitor.signed_in(house, api)
    holder = Visitor.signed_in(house, Api(house.app, tablet.secret))
    path = f"/keys/sessions?key={tablet.key.id}"
    assert f"/console{path}" in {each.attrib["href"] for each in manager.show("/keys").iter("a")}
    assert sessions_of(manager, path) == [["tablet", "open", "End"]]
    assert sessions_of(manager) == [["tablet", "open", "End"], ["first this session", "open", "End"]]
    [row] = read_files(manager, path)
    assert row["key"] == str(tablet.key.id)
    assert datetime.fromisoformat(row["expires_at"]) - datetime.fromisoformat(row["created_at"]) == SESSION_LIFETIME
    question = f"/keys/{tablet.key.id}/revoke"
    assert "1 open session of this console" in text_of(manager.show(question))
    assert manager.submit(question, "/revoke", {}).status_code == 303
    assert sessions_of(manager, path) == [["tablet", "key revoked", ""]]
    assert "open session" not in text_of(manager.show(question))
    assert "/console/sign-in" in holder.get().location


def test_one_session_is_ended_and_others_go_on(house: House, api: Api, log: Log) -> None:
    manager, lost, other = (Visitor.signed_in(house, api) for _ in range(3))
    _newest, ended, own = read_files(manager, "/keys/sessions")
    end = f"/{ended['id']}/end"
    csrf = csrf_of(manager.show("/keys/sessions"))
    assert manager.submit("/keys/sessions", end, {}).location == "/console/keys/sessions"
    assert "/console/sign-in" in lost.get().location
    assert (manager.get().status_code, other.get().status_code) == (200, 200)
    assert [state for _, state, _ in sessions_of(manager)] == ["open", "ended", "open"]
    assert [row["id"] for row in read_files(manager, "/keys/sessions?state=ended")] == [ended["id"]]
    [stored] = house.query("SELECT ended_at FROM console_sessions WHERE id = %s", ended["id"])
    assert manager.send(f"/keys/sessions{end}", {"csrf": csrf}).status_code == 303
    assert house.query("SELECT ended_at FROM console_sessions WHERE id = %s", ended["id"]) == [stored]
    logged = [(each["session"], each["by"]) for each in log.events if each["event"] == "console_session_ended"]
    assert logged == [(ended["id"], own["id"])] * 2


def test_ending_the_own_session_signs_out(house: House, api: Api) -> None:
    visitor = Visitor.signed_in(house, api)
    [own] = read_files(visitor, "/keys/sessions")
    assert visitor.submit("/keys/sessions", f"/{own['id']}/end", {}).status_code == 303
    assert "/console/sign-in" in visitor.get("/keys/sessions").location


def test_sessions_of_other_clubs_are_not_found(house: House, api: Api, other_api: Api) -> None:
    stranger, visitor = Visitor.signed_in(house, other_api), Visitor.signed_in(house, api)
    [theirs] = read_files(stranger, "/keys/sessions")
    [own] = read_files(visitor, "/keys/sessions")
    assert own["id"] != theirs["id"]
    for key_id in (theirs["key"], str(uuid4())):
        assert visitor.get(f"/keys/sessions?key={key_id}").status_code == 404
        assert visitor.get(f"/keys/sessions?key={key_id}&format=csv").status_code == 404
    csrf = csrf_of(visitor.show("/keys/sessions"))
    link = api.request("POST", "/v1/console-links")["id"]
    for session_id in (theirs["id"], link, str(uuid4())):
        refused = visitor.send(f"/keys/sessions/{session_id}/end", {"csrf": csrf})
        assert refused.status_code == 404
        assert "no session" in alert_of(refused)
    assert stranger.get().status_code == 200
