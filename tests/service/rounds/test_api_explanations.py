"""Explanations over HTTP: of any revision, in three media types, with the figures of the record."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from hypothesis import given, settings

from schemas.explanations.output import dump_explanation
from scoring.explanation.hands import explain_round
from scoring.history import History
from scoring.presets import PRESETS
from service.rounds.views.explanations import write_page
from tests.scoring.test_explanation import figures_of_pairs, sentences
from tests.service.http.test_contract import make_app
from tests.support.api_client import Api, ApiResponse
from tests.support.client.run_ofc import EXAMPLES
from tests.support.explanation_page import pairs_in, pairs_on, payments_on, read_page, stacks_on, text_of
from tests.support.sample_rounds import (
    HIGH,
    KINGS,
    LOW,
    MID,
    NOBODYS,
    QUEENS,
    SEVENS,
    close,
    document_of,
    hand,
    play,
    post_document,
    start_round,
    undo,
    walk,
    without,
)
from tests.support.scoring.strategies import PROPERTY, histories

Document = dict[str, Any]

WORKED = hand(1, 3, {1: QUEENS, 2: SEVENS, 3: KINGS})
SHORT = {1: "ann 3", 2: "bob 50", 3: "cyd 50"}
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.fixture(scope="module")
def app() -> Flask:
    return make_app()


def explain(api: Api, hand_id: str, accept: str | None = None, revision: int | None = None) -> ApiResponse:
    query = "" if revision is None else f"?revision={revision}"
    headers = {} if accept is None else {"Accept": accept}
    return api.request("GET", f"/v1/hands/{hand_id}/explanation{query}", headers=headers)


def play_worked(api: Api) -> ApiResponse:
    return play(api, start_round(api, sitting=SHORT), WORKED)


# --- explanations have the recorded figures ---


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.no_cover
def test_every_figure_in_every_form_is_that_of_the_record(api: Api, name: str) -> None:
    played = post_document(api, json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8")))
    assert played.status == 201
    transfers = []
    for recorded in hands_of(api, played["round"]["id"]):
        explanation = explain(api, recorded["id"])
        assert explanation.status == 200
        hold_to_record(explanation.document, recorded)
        transfers += [(recorded["number"], payment) for payment in explanation["payments"]]
        text = explain(api, recorded["id"], "text/plain").text
        assert figures_of_pairs(text) == pairs_in(explanation.document)
        hold_page(explain(api, recorded["id"], BROWSER).text, explanation.document)
    settled = api.get(f"/v1/rounds/{played['round']['id']}/settlement")["transfers"]
    assert len(transfers) == len(settled)
    for (number, payment), transfer in zip(transfers, settled, strict=True):
        explained = {"hand": number, **payment}
        assert without(transfer, "payer_player", "payee_player", "amount").items() <= explained.items()


def hands_of(api: Api, round_id: str) -> Iterator[Document]:
    for page in walk(api, f"/v1/rounds/{round_id}/hands"):
        yield from page["hands"]


def hold_to_record(explanation: Document, recorded: Document) -> None:
    for part in ("number", "button", "ruleset", "in_force"):
        assert explanation[part] == recorded[part]
    for player, scored in zip(explanation["players"], recorded["players"], strict=True):
        for part in ("seat", "player", "points", "royalties"):
            assert player[part] == scored[part]
        assert (player["foul"] or {"reason": None})["reason"] == scored["foul_reason"]
        assert (player["fantasyland"] or {"earned": 0})["earned"] == scored["fantasyland"]
        for row, of_record in scored["rows"].items():
            earned = player["rows"][row]["royalty"] or {"points": 0}
            assert (player["rows"][row]["description"], earned["points"]) == (
                of_record["description"],
                of_record["royalty"],
            )
    for pair, exchange in zip(explanation["exchanges"], recorded["exchanges"], strict=True):
        by_part = {part: sum(r["points"] for r in pair["reasons"] if r["part"] in part) for part in PARTS}
        assert pair["seats"] == exchange["seats"]
        assert sum(by_part.values()) == pair["points"] == exchange["points"]
        assert list(by_part.values()) == [exchange[name] for name in PARTS.values()]
    with_hand = [payment for payment in explanation["payments"] if not payment["late"]]
    assert [payment["paid"] for payment in with_hand] == [transfer["paid"] for transfer in recorded["transfers"]]
    if len(with_hand) == len(explanation["payments"]):
        assert {str(stack["seat"]): stack["after"] for stack in explanation["stacks"]} == recorded["stacks"]


PARTS = {
    ("top", "middle", "bottom"): "row_points",
    ("majority", "scoop"): "bonus",
    ("foul",): "foul",
    ("royalty",): "royalties",
}
"""Which reasons make which part of a recorded exchange."""


def hold_page(text: str, explanation: Document) -> None:
    page = read_page(text)
    assert pairs_on(page) == pairs_in(explanation)
    assert payments_on(page) == [(each["due"], each["paid"], each["cut_off"]) for each in explanation["payments"]]
    assert stacks_on(page) == [
        (" ".join(each["player"].split()), each["before"], each["paid"], each["after"], each["due"])
        for each in explanation["stacks"]
    ]
    written = text_of(page)
    for sentence in sentences(explanation):
        # Pages show a ten as 10.
        text = re.sub("T(?=[♠♥♦♣])", "10", sentence["text"])
        assert " ".join(f"{text} {sentence['rule']}".split()) in written


@settings(PROPERTY, max_examples=40)
@given(history=histories())
def test_the_page_of_any_hand_contains_every_figure_of_the_document(app: Flask, history: History) -> None:
    with app.test_request_context():
        for explained in explain_round(history):
            document = dump_explanation(explained)
            hold_page(write_page(document), document)


# --- which form ---


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        (None, "application/json"),
        ("*/*", "application/json"),
        ("application/json", "application/json"),
        ("text/plain", "text/plain; charset=utf-8"),
        ("text/html", "text/html; charset=utf-8"),
        (BROWSER, "text/html; charset=utf-8"),
        ("text/plain;q=0.5, application/json;q=0.4", "text/plain; charset=utf-8"),
        ("text/*;q=0.1, application/json", "application/json"),
    ],
)
def test_the_media_type_follows_the_header_accept(api: Api, accept: str | None, form: str) -> None:
    explanation = explain(api, play_worked(api)["id"], accept)
    assert (explanation.status, explanation.headers["Content-Type"]) == (200, form)
    assert explanation.headers["Vary"] == "Accept"


def test_an_unsupported_media_type_is_refused_without_a_query(api: Api) -> None:
    refused = explain(api, NOBODYS, "image/png")
    assert (refused.status, refused["code"]) == (406, "not-acceptable")


def test_an_unknown_hand_is_a_problem_in_every_media_type(api: Api) -> None:
    for accept in ("application/json", "text/plain", BROWSER):
        refused = explain(api, NOBODYS, accept)
        assert (refused.status, refused["code"]) == (404, "not-found")


# --- which revision ---


def test_a_hand_is_explained_as_its_revision_has_it(api: Api) -> None:
    round_id = start_round(api, sitting=SHORT)
    first = play(api, round_id, WORKED)
    assert undo(api, round_id, 1).status == 201
    again = play(api, round_id, hand(1, 3, {1: HIGH, 2: MID, 3: LOW}))
    assert explain(api, first["id"])["revision"] == 1
    assert explain(api, first["id"])["in_force"] is False
    assert "undone or corrected: it does not count" in explain(api, first["id"], "text/plain").text
    assert explain(api, again["id"])["revision"] == 2
    assert explain(api, first["id"], revision=1).document == explain(api, first["id"]).document
    for hand_id, revision in ((first["id"], 2), (again["id"], 1), (again["id"], 3)):
        refused = explain(api, hand_id, revision=revision)
        assert (refused.status, refused["code"]) == (404, "not-found")
        assert f"revision {revision}" in refused["detail"]


def test_an_invalid_revision_is_refused(api: Api) -> None:
    refused = api.get(f"/v1/hands/{NOBODYS}/explanation?revision=0")
    assert (refused.status, refused.mistakes) == (422, {"#/query/revision": "out-of-range"})


# --- what lies beyond the hand ---


def test_the_payout_of_a_closing_is_explained_with_the_last_hand(api: Api) -> None:
    round_id = start_round(api, "progressive-round", {1: "ann 10", 2: "bob 100", 3: "cyd 100"})
    first = play(api, round_id, hand(1, 1, {1: HIGH, 2: MID, 3: LOW}))
    last = play(api, round_id, hand(2, 2, {1: HIGH, 2: MID, 3: LOW}))
    explanation = explain(api, last["id"])
    assert explanation["payments"] == []
    assert explanation["payment_remark"] == {
        "text": "nothing is paid before the round ends",
        "rule": "Scope of the stakes",
    }
    assert close(api, round_id).status == 200
    explanation = explain(api, last["id"])
    total, payment = explanation["totals"][1], explanation["payments"][1]
    assert (total["seats"], total["before"], total["points"], total["after"]) == ([3, 2], -6, -6, -12)
    assert (payment["due"], payment["paid"], payment["late"]) == (12, 12, True)
    assert explanation["payments"][0]["text"] == (
        "cyd pays 10 of 12 to ann: ann opened the round with 10 and has 10, so can win at most 10 more;"
        " without the cap cyd would pay 12: cyd 100 → 90, ann 10 → 20"
    )
    assert explanation["payment_remark"] == {
        "text": "the round was closed: every pair's points of the whole round are paid, in order",
        "rule": "Closing early",
    }
    assert explain(api, first["id"])["payments"] == []


# --- the page ---


def test_a_page_is_safe_with_any_names_of_players(api: Api) -> None:
    evil = "<script>alert('ann')</script>\"&amp;"
    sitting = [{"seat": 1, "player": evil, "stack": 100}, {"seat": 2, "player": "{{ 7 * 7 }}", "stack": 100}]
    played = post_document(api, document_of(hands=[hand(1, 1, {1: HIGH, 2: MID})], seats=sitting))
    assert played.status == 201, played
    [recorded] = hands_of(api, played["round"]["id"])
    shown = explain(api, recorded["id"], BROWSER)
    page = read_page(shown.text)
    assert page.findall(".//script") == []
    assert text_of(page.find(".//section[@id='boards']/section/h3")).startswith(evil)
    assert "{{ 7 * 7 }}" in text_of(page)
    assert [tag for tag in page.iter() if {"src", "href", "style", "onload"} & set(tag.keys())] == []
    assert "url(" not in shown.text
    assert "http" not in shown.text.partition("<main")[0]
    policy = shown.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert evil in explain(api, recorded["id"], "text/plain").text
