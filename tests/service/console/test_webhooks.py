"""The pages of webhooks: add, change, pause, test, remove, secrets and deliveries."""

from uuid import uuid4

import pytest

from tests.service.console.test_jobs import csrf_of
from tests.service.console.test_signing_in import signed_in_with
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.browser.console_lists import read_files
from tests.support.browser.console_visitor import Visitor, parse, text_of

URL = "https://club.example/webhooks"
XSS = "<script>alert(1)</script>"


def add(api: Api, **more: object) -> ApiResponse:
    added = api.post("/v1/webhooks", {"url": URL, "kinds": ["round.completed"], **more})
    assert added.status == 201, added
    return added


def test_a_webhook_is_added_and_its_secret_shown_once(house: House, api: Api) -> None:
    visitor = Visitor.signed_in(house, api)
    assert "no webhook" in text_of(visitor.show("/webhooks"))
    form = {"url": f" {URL} ", "description": "scores", "kind:round.completed": "yes", "kind:hand.recorded": "yes"}
    response = visitor.submit("/webhooks/new", "/webhooks/new", form)
    [webhook] = api.get("/v1/webhooks")["webhooks"]
    assert (webhook["url"], webhook["description"], webhook["state"]) == (URL, "scores", "active")
    assert webhook["kinds"] == ["hand.recorded", "round.completed"]
    secret = api.get(f"/v1/webhooks/{webhook['id']}/secret")["secret"]
    values = [each.attrib.get("value") for each in parse(response).iter("input")]
    assert secret in values
    for path in ("/webhooks", f"/webhooks/{webhook['id']}", f"/webhooks/{webhook['id']}/edit"):
        assert secret not in visitor.get(path).text
    assert URL in text_of(visitor.show("/webhooks"))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"url": "nonsense"}, "the address is 'nonsense'"),
        ({"url": "http://127.0.0.1/"}, "127.0.0.1"),
        ({"kind:round.completed": None}, "kinds"),
        ({"description": "x" * 201}, "description"),
    ],
)
def test_a_refused_form_is_shown_again(house: House, api: Api, changed: dict[str, str | None], message: str) -> None:
    visitor = Visitor.signed_in(house, api)
    form = {"url": URL, "description": XSS, "kind:round.completed": "yes"} | changed
    sent = {name: value for name, value in form.items() if value is not None}
    response = visitor.submit("/webhooks/new", "/webhooks/new", sent)
    assert response.status_code == 422
    document = parse(response)
    assert message in text_of(document)
    [form_shown] = [each for each in document.iter("form") if each.attrib["action"].endswith("/webhooks/new")]
    [notice] = [each for each in document.iter() if each.attrib.get("role") == "alert"]
    assert notice in list(form_shown.iter()), "it is shown once, at the form"
    assert "autofocus" in notice.attrib
    values = {each.attrib.get("name"): each for each in document.iter("input")}
    assert values["description"].attrib["value"] == form["description"]
    assert ("checked" in values["kind:round.completed"].attrib) == ("kind:round.completed" in sent)
    assert api.get("/v1/webhooks")["webhooks"] == []


def test_a_webhook_is_changed_paused_and_enabled(house: House, api: Api) -> None:
    webhook = add(api)["id"]
    visitor = Visitor.signed_in(house, api)
    page = f"/webhooks/{webhook}"
    form = {"url": f"{URL}/2", "description": "", "kind:dispute.opened": "yes"}
    assert visitor.submit(f"{page}/edit", "/edit", form).location == f"/console{page}"
    changed = api.get(f"/v1{page}")
    assert (changed["url"], changed["kinds"], changed["state"]) == (f"{URL}/2", ["dispute.opened"], "active")
    assert visitor.submit(page, "/state", {"state": "disabled"}).location == f"/console{page}"
    assert api.get(f"/v1{page}")["state"] == "disabled"
    shown = text_of(visitor.show(page))
    assert "on request" in shown
    assert "Send a test message" not in shown
    visitor.submit(f"{page}/edit", "/edit", form)
    assert api.get(f"/v1{page}")["state"] == "disabled", "a change does not enable it"
    visitor.submit(page, "/state", {"state": "active"})
    assert api.get(f"/v1{page}")["state"] == "active"
    refused = visitor.send(f"{page}/state", {"state": "other", "csrf": csrf_of(visitor, page)})
    assert refused.status_code == 422


def test_two_people_who_change_a_webhook_keep_the_changes_of_each_other(house: House, api: Api) -> None:
    webhook = add(api)["id"]
    page = f"/webhooks/{webhook}"
    visitor = Visitor.signed_in(house, api)
    opened = parse(visitor.get(f"{page}/edit"))
    hidden = {
        each.attrib["name"]: each.attrib["value"] for each in opened.iter("input") if each.get("type") == "hidden"
    }
    later = {"url": f"{URL}/2", "kinds": ["round.completed", "hand.recorded"], "description": "first"}
    assert api.patch(f"/v1{page}", later).status == 200
    form = {**hidden, "url": URL, "description": "second", "kind:dispute.opened": "yes"}
    assert visitor.send(f"{page}/edit", form).location == f"/console{page}"
    changed = api.get(f"/v1{page}")
    assert (changed["url"], changed["description"]) == (f"{URL}/2", "second")
    assert changed["kinds"] == ["hand.recorded", "dispute.opened"], "round.completed was removed on the page"


def test_a_secret_is_rotated_after_a_question(house: House, api: Api) -> None:
    webhook = add(api)["id"]
    page = f"/webhooks/{webhook}"
    before = api.get(f"/v1{page}/secret")["secret"]
    visitor = Visitor.signed_in(house, api)
    assert before not in visitor.get(f"{page}/rotate").text
    for overlap in ("", "-1", "x", "604801", "\u0662"):
        refused = visitor.send(f"{page}/rotate", {"overlap": overlap, "csrf": csrf_of(visitor, f"{page}/rotate")})
        assert refused.status_code == 422
    assert api.get(f"/v1{page}/secret")["secret"] == before
    response = visitor.submit(f"{page}/rotate", "/rotate", {"overlap": "3600"})
    after = api.get(f"/v1{page}/secret")["secret"]
    assert after != before
    assert after in response.text
    assert before not in response.text
    assert "Signed with the previous secret too" in text_of(visitor.show(page))


def test_a_webhook_is_removed_after_a_question(house: House, api: Api) -> None:
    page = f"/webhooks/{add(api)['id']}"
    visitor = Visitor.signed_in(house, api)
    assert "cannot be undone" in text_of(visitor.show(f"{page}/remove"))
    assert api.get(f"/v1{page}").status == 200
    assert visitor.submit(f"{page}/remove", "/remove", {}).location == "/console/webhooks"
    assert api.get(f"/v1{page}").status == 404


def test_a_test_message_is_sent_and_sent_again(house: House, api: Api) -> None:
    webhook = add(api)["id"]
    page = f"/webhooks/{webhook}"
    visitor = Visitor.signed_in(house, api)
    assert "No message was sent to this webhook yet" in text_of(visitor.show(page))
    assert visitor.submit(page, "/test", {}).location == f"/console{page}"
    [delivery] = api.get(f"/v1{page}/deliveries")["deliveries"]
    assert delivery["kind"] == "webhook.test"
    house.change(
        "UPDATE webhook_deliveries SET state = 'dead_lettered', ended_at = now(), last_status = 500, last_error = %s"
        " WHERE id = %s",
        XSS,
        delivery["id"],
    )
    document = visitor.show(f"{page}?state=dead_lettered")
    assert XSS in text_of(document)
    assert "500" in text_of(document)
    assert "No message is in this state" in text_of(visitor.show(f"{page}?state=waiting"))
    assert visitor.submit(page, "/redeliver", {}).location == f"/console{page}"
    assert api.get(f"/v1{page}/deliveries")["deliveries"][0]["state"] == "waiting"
    assert api.patch(f"/v1{page}", {"state": "disabled"}).status == 200
    refused = visitor.send(f"{page}/deliveries/{delivery['id']}/redeliver", {"csrf": csrf_of(visitor, page)})
    assert refused.status_code == 409
    assert "the webhook is disabled" in text_of(parse(refused)).lower()
    assert f"/console{page}?format=csv" in {link.attrib["href"] for link in parse(refused).iter("a")}


def test_the_files_have_the_rows_of_the_api(house: House, api: Api) -> None:
    webhook = add(api, description="=1+1")["id"]
    for _ in range(3):
        assert api.request("POST", f"/v1/webhooks/{webhook}/test").status == 202
    visitor = Visitor.signed_in(house, api)
    [row] = read_files(visitor, "/webhooks")
    assert (row["id"], row["url"], row["description"]) == (webhook, URL, "=1+1")
    assert "secret" not in row
    rows = read_files(visitor, f"/webhooks/{webhook}")
    assert rows == [dict(each) for each in api.get(f"/v1/webhooks/{webhook}/deliveries")["deliveries"]]
    assert read_files(visitor, f"/webhooks/{webhook}?state=delivered") == []


def test_text_is_text(house: House, api: Api) -> None:
    webhook = add(api, description=XSS, url=f"{URL}?a='\"<b>")["id"]
    visitor = Visitor.signed_in(house, api)
    for path in ("", f"/{webhook}", f"/{webhook}/edit", f"/{webhook}/remove", f"/{webhook}/rotate"):
        document = visitor.show(f"/webhooks{path}")
        assert len(list(document.iter("script"))) == 1, path
        assert not next(document.iter("main")).findall(".//b/b")


def test_webhooks_of_other_clubs_are_not_found(house: House, api: Api, other_api: Api) -> None:
    theirs = add(other_api)["id"]
    delivery = other_api.request("POST", f"/v1/webhooks/{theirs}/test")["id"]
    visitor = Visitor.signed_in(house, api)
    csrf = csrf_of(visitor, "/webhooks/new")
    for webhook in (theirs, uuid4()):
        page = f"/webhooks/{webhook}"
        for path in ("", "/edit", "/remove", "/rotate", "?format=csv"):
            assert visitor.get(page + path).status_code == 404, path
        form = {"csrf": csrf, "url": URL, "kind:round.completed": "yes", "overlap": "0", "state": "disabled"}
        for path in ("edit", "state", "remove", "rotate", "test", f"deliveries/{delivery}/redeliver"):
            assert visitor.send(f"{page}/{path}", form).status_code == 404, path
    assert other_api.get(f"/v1/webhooks/{theirs}")["state"] == "active"
    own = add(api)["id"]
    assert visitor.send(f"/webhooks/{own}/deliveries/{delivery}/redeliver", {"csrf": csrf}).status_code == 404


def test_other_scopes_see_no_webhooks(house: House, api: Api) -> None:
    webhook = add(api)["id"]
    visitor = signed_in_with(house, api, "read", "admin")
    for path in ("", "/new", f"/{webhook}", f"/{webhook}?format=json"):
        assert visitor.get(f"/webhooks{path}").status_code == 403, path
    sent = visitor.send(f"/webhooks/{webhook}/test", {"csrf": csrf_of(visitor, "/keys")})
    assert sent.status_code == 403
