"""The files of the console: as of one moment, and linked from every page with a table."""

import json
from urllib.parse import quote

import pytest
from werkzeug.http import parse_options_header

from tests.service.console.test_webhooks import URL, add
from tests.support.api_client import Api
from tests.support.api_disputes import opened, step
from tests.support.application import House
from tests.support.browser.console_lists import read_files
from tests.support.browser.console_visitor import Visitor, text_of
from tests.support.sample_rounds import COMPLETE, complete_round, document_of, hands_of, post_document


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


@pytest.fixture
def round_id(api: Api) -> str:
    return complete_round(api, name="friday", point_value=20, unit="EUR")


def test_a_file_is_as_of_one_moment(house: House, api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.console.views.listing.FILE_PAGE", 1)
    oldest, *_ = (add(api, url=f"{URL}/{number}", description="before") for number in range(3))
    response = Visitor.signed_in(house, api).get("/webhooks?format=json", buffered=False)
    try:
        blocks = iter(response.response)
        first = next(blocks)
        assert api.patch(f"/v1/webhooks/{oldest['id']}", {"description": "after"}).status == 200
        rows = json.loads(first + b"".join(blocks))
    finally:
        response.close()
    assert [row["description"] for row in rows] == ["before"] * 3


def test_the_parts_of_a_round_are_files(visitor: Visitor, api: Api, round_id: str) -> None:
    settlement = api.get(f"/v1/rounds/{round_id}/settlement")
    page = f"/rounds/{round_id}"
    standings = read_files(visitor, f"{page}?part=standings")
    assert [(row["seat"], row["points"]) for row in standings] == [
        (each["seat"], each["net"]) for each in settlement["standings"]
    ]
    assert {row["unit"] for row in standings} == {"EUR"}
    assert [row["amount"] for row in standings] == [f"{each['net'] * 20 / 100:.2f}" for each in settlement["standings"]]
    payments = read_files(visitor, f"{page}?part=payments")
    won = {row["player"]: row["points"] for row in standings}
    assert {
        name: sum(row["points"] * ((row["payee"] == name) - (row["payer"] == name)) for row in payments) for name in won
    } == won
    assert read_files(visitor, f"{page}?part=adjustment") == []
    assert len(read_files(visitor, page)) == 9, "three hands of three players"
    assert visitor.get(f"{page}?part=other").status_code == 422


def test_the_parts_of_a_hand_are_files(visitor: Visitor, api: Api, round_id: str) -> None:
    page = f"/rounds/{round_id}/hands/2"
    hand = hands_of(api, round_id)[1]
    names = {1: "ann", 2: "bob", 3: "cyd"}
    paid = read_files(visitor, page)
    assert [(row["payer"], row["payee"], row["due"], row["paid"]) for row in paid] == [
        (names[each["payer"]], names[each["payee"]], each["due"], each["paid"]) for each in hand["transfers"]
    ]
    points = {(row["player"], row["opponent"]): row["points"] for row in read_files(visitor, f"{page}?part=points")}
    for exchange in hand["exchanges"]:
        first, second = (names[seat] for seat in exchange["seats"])
        assert (points[first, second], points[second, first]) == (exchange["points"], -exchange["points"])
    assert len(read_files(visitor, f"{page}?part=boards")) == 9
    assert len(read_files(visitor, f"{page}?part=stacks")) == 3
    reasons = read_files(visitor, f"{page}?part=reasons")
    shown = text_of(visitor.show(page))
    assert reasons
    assert all(row["rule"] in shown for row in reasons)
    between = {" – ".join(names[seat] for seat in each["seats"]): each["points"] for each in hand["exchanges"]}
    for about, total in between.items():
        assert sum(row["points"] for row in reasons if row["about"] == about) == total


def test_a_correction_is_a_file_of_the_dispute_and_of_the_revisions(visitor: Visitor, api: Api, round_id: str) -> None:
    dispute_id = opened(api, round_id, hand=2)
    step(api, dispute_id, "review")
    path = f"/disputes/{dispute_id}"
    assert read_files(visitor, f"{path}?part=comparison") == []
    form = {"decision": "uphold", "reason": "misread", "cards.2.1.top": "AhKd3d"}
    assert visitor.submit(path, "/decide", form).status_code == 303
    history = read_files(visitor, path)
    assert [(row["version"], row["kind"]) for row in history] == [(1, "opened"), (2, "under_review"), (3, "upheld")]
    compared = read_files(visitor, f"{path}?part=comparison")
    net = {row["player"]: row["points"] for row in read_files(visitor, f"{path}?part=settlement")}
    assert {row["player"]: row["after"] for row in compared} == net
    page = f"/rounds/{round_id}/revisions"
    assert [row["reason"] for row in read_files(visitor, page)] == [None, "misread"]
    differences = read_files(visitor, f"{page}?from=1&to=2&part=comparison")
    [row] = [each for each in differences if each["what"] == "ann: top row"]
    assert (row["hand"], row["after"]) == (2, "Ah Kd 3d")
    assert {each["what"] for each in differences} >= {f"{player}: net points" for player in net}


def test_the_checks_of_evidence_are_a_file(visitor: Visitor, api: Api, round_id: str) -> None:
    assert api.post("/v1/checkpoints", None).status == 201
    checks = read_files(visitor, f"/rounds/{round_id}/verification")
    shown = text_of(visitor.show(f"/rounds/{round_id}/verification"))
    assert checks
    assert all(row["check"] in shown for row in checks)


def test_a_what_if_file_has_the_money(visitor: Visitor, round_id: str) -> None:
    rows = read_files(visitor, "/rulesets/what-if?table=friday&ruleset=pineapple-2-4-us-none")
    assert rows
    assert round_id
    for row in rows:
        assert (row["amount"], row["unit"]) == (f"{row['change'] * 20 / 100:.2f}", "EUR")


def test_files_are_named_after_players_and_tables_in_any_script(visitor: Visitor, api: Api) -> None:
    sitting = {1: "Łukasz 100", 2: "Ωμέγα 100", 3: "cyd 100"}
    response = post_document(api, document_of(table="金曜日", sitting=sitting, hands=COMPLETE, reference="first"))
    assert response.status == 201, response
    table = response["round"]["table"]
    for path, name in (
        (f"/players/{quote('Łukasz')}?format=csv&part=figures", "Łukasz"),
        (f"/players/{quote('Ωμέγα')}?format=json", "Ωμέγα"),
        (f"/tables/{table}?format=csv", "金曜日"),
        (f"/tables/{table}?format=csv&part=payments", "金曜日"),
        (f"/tables/{table}?format=json", "金曜日"),
    ):
        sent = visitor.get(path, buffered=True)
        assert sent.status_code == 200, path
        header = sent.headers["Content-Disposition"]
        assert header.isascii(), header
        assert name in parse_options_header(header)[1]["filename"]
