"""The pages of viewers' and players' links: what they show, what players do there, and what they refuse."""

import re
from xml.etree.ElementTree import Element

import html5lib
import pytest
from werkzeug.test import TestResponse

from service.clubs.actions import create_key, find_club
from tests.service.links.linked_table import issue, phone_of, play_at, secret_of, table_of
from tests.support.api_client import Api, ApiResponse
from tests.support.api_corrections import SWAPPED, correct
from tests.support.api_settlements import OTHER_HAND, make_final
from tests.support.application import House
from tests.support.check_club import check_everywhere
from tests.support.import_lines import club_of
from tests.support.log_capture import Log
from tests.support.sample_rounds import NOBODYS, SIXES, THREE, complete_round, hand, open_round, play

CONFIRM = {"action": "confirm", "revision": "1"}
CLAIM = "the third card on top was the three of diamonds"
DISPUTE = {"action": "dispute", "hand": "1", "claim": CLAIM}


class Visitor:
    """A browser with a link, which runs no script."""

    def __init__(self, house: House, issued: ApiResponse) -> None:
        self.address = f"/links/{secret_of(issued)}"
        self._browser = house.app.test_client()

    def get(self, path: str = "", headers: dict[str, str] | None = None) -> TestResponse:
        return self._browser.get(self.address + path, headers=headers)

    def send(self, round_id: str, form: dict[str, str]) -> TestResponse:
        return self.post(f"/rounds/{round_id}", form)

    def post(self, path: str, form: dict[str, str]) -> TestResponse:
        return self._browser.post(self.address + path, data=form)

    def show(self, path: str = "") -> str:
        return text_of(parse(self.get(path)))


def parse(page: TestResponse) -> Element:
    assert page.mimetype == "text/html", page.text
    document: Element = html5lib.parse(page.text, namespaceHTMLElements=False)
    return document


def text_of(element: Element) -> str:
    parts = [part for each in element.iter() if each.tag not in ("style", "title") for part in (each.text, each.tail)]
    return " ".join(" ".join(part for part in parts if part).split()) if element.tag != "html" else text_in(element)


def text_in(document: Element) -> str:
    [main] = document.iter("main")
    return " ".join("".join(main.itertext()).split())


def forms_of(page: TestResponse) -> list[str]:
    """Return the addresses to which the forms of a page are sent."""
    return [str(form.get("action")) for form in parse(page).iter("form")]


def policy_of(page: TestResponse) -> str:
    return page.headers["Content-Security-Policy"]


@pytest.fixture
def round_id(api: Api) -> str:
    return complete_round(api)


@pytest.fixture
def table(api: Api, round_id: str) -> str:
    return str(api.get(f"/v1/rounds/{round_id}")["table"])


@pytest.fixture
def ben(house: House, api: Api, table: str) -> Visitor:
    return Visitor(house, issue(api, table, kind="player", player="bob"))


@pytest.fixture
def viewer(house: House, api: Api, table: str) -> Visitor:
    return Visitor(house, issue(api, table))


# --- links ---


def test_the_link_of_a_viewer_has_its_secret_in_its_path(api: Api) -> None:
    issued = issue(api, table_of(api))
    assert re.fullmatch(r"http://localhost/links/ofc_link_[0-9A-Za-z]{43}", issued["url"])
    assert issued["board_url"] == f"http://localhost/board/#{secret_of(issued)}"
    assert issue(api, table_of(api, "attic"), kind="scorekeeper")["board_url"] is None


def test_the_link_of_a_player_has_a_player_and_their_name_as_label(house: House, api: Api) -> None:
    issued = issue(api, table_of(api), kind="player", player="bob")
    assert (issued["kind"], issued["player"], issued["label"]) == ("player", "bob", "bob")
    assert issued["scopes"] == ["read", "disputes"]
    check_everywhere(house, api)


@pytest.mark.parametrize(
    "fields",
    [{"kind": "player"}, {"kind": "viewer", "player": "bob"}, {"kind": "player", "player": ""}, {"player": "x"}],
)
def test_a_player_and_the_kind_player_belong_together(api: Api, fields: dict[str, str]) -> None:
    refused = api.post("/v1/links", {"table": table_of(api), **fields})
    assert (refused.status, set(refused.mistakes)) == (422, {"#/player"})


def test_the_secret_of_a_player_confirms_nothing_over_the_api(
    house: House, api: Api, table: str, round_id: str
) -> None:
    link = Api(house.app, secret_of(issue(api, table, kind="player", player="bob")))
    assert link.get(f"/v1/rounds/{round_id}").status == 200
    for path, body in (
        (f"/v1/rounds/{round_id}/confirmations", {"seat": 2}),
        ("/v1/disputes", {"round": round_id, "claim": CLAIM, "by": "bob"}),
    ):
        assert (link.post(path, body).status, link.post(path, body)["code"]) == (403, "scope-missing")


# --- what they show ---


def test_the_page_of_a_table_leads_to_its_rounds_and_to_the_scoreboard(viewer: Visitor, round_id: str) -> None:
    page = viewer.get()
    links = [str(link.get("href")) for link in parse(page).iter("a")]
    board, first, second, to_round = links
    assert (board, to_round) == (f"/board/#{viewer.address.rpartition('/')[2]}", f"{viewer.address}/rounds/{round_id}")
    assert first == second
    assert first.startswith(f"{viewer.address}/evenings/")
    assert "3 hands" in viewer.show()
    [title] = parse(page).iter("title")
    assert title.text == "kitchen"
    assert parse(page).get("lang") == "en"
    shown = viewer.get(f"/rounds/{round_id}")
    assert f'href="{viewer.address}/rounds/{round_id}/hands/1"' in shown.text
    explained = viewer.get(f"/rounds/{round_id}/hands/2")
    assert "<h2>Payments</h2>" in explained.text
    assert f'href="{viewer.address}/rounds/{round_id}/hands/3"' in explained.text
    for each in (page, shown, explained):
        assert each.headers["Cache-Control"] == "no-store"
        assert each.headers["Referrer-Policy"] == "no-referrer"
        assert "form-action 'self'" in policy_of(each)
        assert forms_of(each) == [f"{viewer.address}/language"]


def test_older_rounds_are_on_further_pages(house: House, api: Api) -> None:
    table = table_of(api)
    for number in range(32):
        opened = open_round(api, table, SIXES, reference=f"round {number}")["id"]
        assert api.post(f"/v1/rounds/{opened}/close", {"reason": "late"}).status == 200
    viewer = Visitor(house, issue(api, table))
    first = parse(viewer.get())
    [older] = [str(link.get("href")) for link in first.iter("a") if link.text == "Older rounds"]
    assert "round 31" in viewer.show()
    assert "round 0" in viewer.show(older.removeprefix(viewer.address))
    assert viewer.get("?cursor=nothing").status_code == 404


def test_the_page_of_a_player_marks_their_results(ben: Visitor, round_id: str) -> None:
    shown = ben.show(f"/rounds/{round_id}")
    assert "bob You" in shown
    assert "ann You" not in shown
    assert "Your page, bob." in ben.show()
    page = ben.get(f"/rounds/{round_id}")
    assert "form-action 'self'" in policy_of(page)
    assert "script" not in policy_of(page)


def test_a_link_of_a_player_who_is_not_in_the_round_has_no_forms(
    house: House, api: Api, table: str, round_id: str
) -> None:
    stranger = Visitor(house, issue(api, table, kind="player", player="zoe"))
    assert forms_of(stranger.get(f"/rounds/{round_id}")) == [f"{stranger.address}/language"]
    refused = stranger.send(round_id, CONFIRM)
    assert refused.status_code == 422
    assert api.get(f"/v1/rounds/{round_id}/settlement")["confirmed"] == []
    assert stranger.send(round_id, DISPUTE).status_code == 422
    assert api.get("/v1/disputes")["disputes"] == []


# --- what players do ---


def test_a_player_confirms_once_however_often_the_form_is_sent(
    house: House, api: Api, ben: Visitor, round_id: str
) -> None:
    for _ in range(3):
        response = ben.send(round_id, CONFIRM)
        assert (response.status_code, response.headers["Location"]) == (303, f"{ben.address}/rounds/{round_id}#you")
    assert api.get(f"/v1/rounds/{round_id}/settlement")["confirmed"] == [2]
    assert "You have confirmed these results." in ben.show(f"/rounds/{round_id}")
    [link] = api.get("/v1/links")["links"]
    actors = house.query(
        "SELECT actor FROM events WHERE club_id = %s AND kind = 'settlement.confirmed'", club_of(house, api)
    )
    assert [str(actor) for (actor,) in actors] == [link["id"]]
    check_everywhere(house, api)


def test_a_player_disputes_a_hand_once_however_often_the_form_is_sent(
    house: House, api: Api, ben: Visitor, round_id: str
) -> None:
    for _ in range(2):
        assert ben.send(round_id, DISPUTE).status_code == 303
    [dispute] = api.get("/v1/disputes")["disputes"]
    assert (dispute["by"], dispute["hand"], dispute["claim"]) == ("bob", 1, CLAIM)
    shown = ben.show(f"/rounds/{round_id}")
    assert f"You dispute hand 1: {CLAIM} (open)" in shown
    assert "The settlement is disputed" in shown
    refused = ben.send(round_id, CONFIRM)
    assert refused.status_code == 409
    assert "The round is disputed. Decide the dispute first." in text_in(parse(refused))
    check_everywhere(house, api)


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({**DISPUTE, "claim": ""}, "what is wrong"),
        ({**DISPUTE, "claim": "x" * 1001}, "what is wrong"),
        ({**DISPUTE, "hand": "99"}, "hand"),
        ({**DISPUTE, "hand": "one"}, "the hand is 'one'"),
        ({"action": "confirm"}, "the revision"),
        ({"action": "confirm", "revision": "-1"}, "the revision"),
        ({"action": "confirm", "revision": "7"}, "The results have changed since you opened this page."),
    ],
)
def test_a_refused_form_is_shown_again_with_the_reason(
    house: House, api: Api, ben: Visitor, round_id: str, form: dict[str, str], reason: str
) -> None:
    before = house.count_records()
    refused = ben.send(round_id, form)
    assert refused.status_code in (409, 422)
    document = parse(refused)
    [alert] = [each for each in document.iter("p") if each.get("role") == "alert"]
    assert reason in text_of(alert)
    if len(form.get("claim", "")) < 1000 and "claim" in form:
        assert [each.get("value") for each in document.iter("input") if each.get("name") == "claim"] == [form["claim"]]
    assert house.count_records() == before


def test_a_player_does_not_confirm_results_that_they_have_not_seen(api: Api, ben: Visitor, round_id: str) -> None:
    assert correct(api, round_id, patch=SWAPPED).status == 201
    refused = ben.send(round_id, CONFIRM)
    assert refused.status_code == 409
    assert "The results have changed since you opened this page." in text_in(parse(refused))
    assert ben.send(round_id, {**CONFIRM, "revision": "2"}).status_code == 303
    assert api.get(f"/v1/rounds/{round_id}/settlement")["confirmed"] == [2]


def test_open_and_final_rounds_have_no_button_to_confirm(house: House, api: Api, ben: Visitor, round_id: str) -> None:
    make_final(api, round_id)
    assert "Confirm these results" not in ben.show(f"/rounds/{round_id}")
    second = str(open_round(api, str(api.get(f"/v1/rounds/{round_id}")["table"]))["id"])
    play(api, second, hand(1, 1, THREE))
    assert "once the round has ended" in ben.show(f"/rounds/{second}")
    assert ben.send(second, CONFIRM).status_code == ben.send(second, DISPUTE).status_code == 409


def test_disputes_need_a_key_with_their_scope(house: House, api: Api, table: str, round_id: str) -> None:
    [(name,)] = house.query("SELECT name FROM clubs WHERE id = %s", club_of(house, api))
    key = create_key(house.owner, find_club(house.owner, name), name="recorder", scopes=("read", "write"))
    visitor = Visitor(house, issue(Api(house.app, key.secret), table, kind="player", player="bob"))
    assert "Something is wrong" not in visitor.show(f"/rounds/{round_id}")
    assert visitor.send(round_id, DISPUTE).status_code == 404
    assert visitor.send(round_id, CONFIRM).status_code == 303
    assert api.get("/v1/disputes")["disputes"] == []


@pytest.mark.parametrize("form", [CONFIRM, DISPUTE, {"claim": "x"}, {"action": "delete"}])
def test_a_viewer_changes_nothing(house: House, viewer: Visitor, round_id: str, form: dict[str, str]) -> None:
    before = house.count_records()
    assert viewer.send(round_id, form).status_code == 404
    assert house.count_records() == before


def test_other_bodies_than_forms_are_refused(house: House, ben: Visitor, round_id: str) -> None:
    browser = house.app.test_client()
    path = f"{ben.address}/rounds/{round_id}"
    for body, status in (
        ({"json": CONFIRM}, 415),
        ({"data": {str(number): "x" for number in range(20)}}, 400),
        ({"data": b"\xff=\xff", "content_type": "application/x-www-form-urlencoded"}, 404),
    ):
        refused = browser.post(path, **body)  # type: ignore[arg-type]  # bodies of several kinds
        assert (refused.status_code, refused.mimetype) == (status, "text/html")


# --- attacks ---


def test_a_link_shows_no_round_of_another_table_or_club(house: House, api: Api, other_api: Api, ben: Visitor) -> None:
    other, theirs = play_at(api, "monday"), play_at(other_api, "friday")
    before = house.count_records()
    for strange in (other, theirs):
        for round_id in (strange.round, strange.complete, NOBODYS):
            for path in (f"/rounds/{round_id}", f"/rounds/{round_id}/hands/1"):
                page = ben.get(path)
                assert (page.status_code, page.mimetype) == (404, "text/html")
            for form in (CONFIRM, DISPUTE):
                assert ben.send(round_id, form).status_code in (404, 422)
    assert house.count_records() == before
    assert other.complete not in ben.get().text


@pytest.mark.parametrize("kind", ["viewer", "player"])
def test_an_expired_or_revoked_link_is_a_410_and_a_forged_one_a_404(
    house: House, api: Api, table: str, round_id: str, kind: str
) -> None:
    fields = {"kind": kind, **({"player": "bob"} if kind == "player" else {})}
    revoked, expired = issue(api, table, **fields), issue(api, table, **fields)
    assert api.delete(f"/v1/links/{revoked['id']}").status == 204
    house.change(
        "UPDATE links SET created_at = now() - interval '2 days', expires_at = now() - interval '1 second'"
        " WHERE id = %s",
        expired["id"],
    )
    before = house.count_records()
    for issued in (revoked, expired):
        visitor = Visitor(house, issued)
        for page in (visitor.get(), visitor.get(f"/rounds/{round_id}"), visitor.send(round_id, CONFIRM)):
            assert page.status_code == 410
            [heading] = parse(page).iter("h1")
            assert heading.text == "This link has ended"
            assert parse(page).get("lang") == "en"
    secret = secret_of(issue(api, table))
    for forged in (
        secret[:-1] + ("a" if secret[-1] != "a" else "b"),
        secret[:-1],
        "ofc_link_",
        "x" * 5000,
        "%00",
        "%ff",
    ):
        page = house.app.test_client().get(f"/links/{forged}")
        assert (page.status_code, page.mimetype) == (404, "text/html"), forged
        [heading] = parse(page).iter("h1")
        assert heading.text == "This link does not work"
    assert house.count_records()["events"] == before["events"] + 1


def test_keys_and_links_of_scorekeepers_have_no_page(house: House, api: Api, table: str) -> None:
    scorekeeper = issue(api, table, kind="scorekeeper")
    assert Visitor(house, scorekeeper).get().status_code == 404
    assert house.app.test_client().get(f"/links/{api.key}").status_code == 404
    api.delete(f"/v1/links/{scorekeeper['id']}")
    assert Visitor(house, scorekeeper).get().status_code == 404


def test_the_secret_of_a_phone_opens_no_page_before_and_after_it_ends(house: House, api: Api) -> None:
    played, phone = play_at(api, "attic"), phone_of(house, api)
    link = phone.get("/v1/link")
    assert link["kind"] == "club"
    browser, address = house.app.test_client(), f"/links/{phone.key}"
    paths = ("", "/evenings/2026-11-20", f"/rounds/{played.complete}", f"/rounds/{played.complete}/hands/1")
    for _ in range(2):
        for path in paths:
            assert browser.get(address + path).status_code == 404, path
        assert browser.post(f"{address}/rounds/{played.complete}", data=CONFIRM).status_code == 404
        assert browser.post(f"{address}/money", data={"action": "paid"}).status_code == 404
        api.delete(f"/v1/links/{link['id']}")
    assert phone.get("/v1/link").status == 401


def test_what_people_have_written_is_text_on_every_page(house: House, api: Api) -> None:
    table = table_of(api, "<script>alert(0)</script>")
    bad = ["<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "</title><b>"]
    seats = [{"seat": number, "player": name, "stack": 60} for number, name in enumerate(bad, 1)]
    opened = api.post(f"/v1/tables/{table}/rounds", {"seats": seats, "reference": "</style><script>"})
    play(api, opened["id"], hand(1, 1, THREE), hand(2, 2, THREE))
    assert api.post(f"/v1/rounds/{opened['id']}/close", {"reason": "<script>"}).status == 200
    assert correct(api, opened["id"], patch=OTHER_HAND, reason="<img src=x>").status == 201
    visitor = Visitor(house, issue(api, table, kind="player", player=bad[1]))
    assert visitor.send(opened["id"], {**DISPUTE, "claim": "</q><script>"}).status_code == 303
    refused = visitor.send(opened["id"], {**DISPUTE, "hand": "99", "claim": '"><script>'})
    pages = [
        visitor.get(),
        visitor.get(f"/rounds/{opened['id']}"),
        visitor.get(f"/rounds/{opened['id']}/hands/1"),
        refused,
    ]
    for page in pages:
        tags = {each.tag for each in parse(page).iter()}
        assert not tags & {"script", "img", "b"}
        assert bad[1] in text_in(parse(page))


def test_no_secret_is_logged(ben: Visitor, round_id: str, log: Log) -> None:
    ben.show()
    ben.send(round_id, CONFIRM)
    assert ben.address.rpartition("/")[2] not in log.getvalue()
