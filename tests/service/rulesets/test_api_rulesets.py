"""Rulesets over HTTP: presets, custom rulesets, versions and contradictions."""

from typing import Any

import pytest

from tests.oracle import PRESETS
from tests.support.api_client import Api, replayed
from tests.support.application import House
from tests.support.sample_rounds import (
    THREE,
    Document,
    add_table,
    changed,
    hand,
    open_round,
    play,
    record,
    start_round,
    without,
)

OWN = without(changed(PRESETS["pineapple"], ("name", "saturday"), ("points/scoop_bonus", 4)), "version")


def test_presets_are_public_and_match_the_rules(api: Api, nobody: Api) -> None:
    listed = nobody.get("/v1/rulesets")
    assert listed.status == 200
    assert len(listed["rulesets"]) == 21
    assert {ruleset["name"]: paying(without(ruleset, "words")) for ruleset in listed["rulesets"]} == {
        name: paying(preset) for name, preset in PRESETS.items()
    }
    assert api.get("/v1/rulesets").document == listed.document


def paying(ruleset: Document) -> Document:
    """Return a ruleset without royalties of 0, which can be omitted."""
    tables = {row: {label: won for label, won in table.items() if won} for row, table in ruleset["royalties"].items()}
    return {**ruleset, "royalties": tables}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_found_by_name_and_by_name_and_version(api: Api, name: str, nobody: Api) -> None:
    response = nobody.get(f"/v1/rulesets/{name}")
    assert response.status == 200
    assert (response["name"], response["version"]) == (name, 1)
    assert nobody.get(f"/v1/rulesets/{name}@1").document == response.document


@pytest.mark.parametrize(
    "reference",
    [
        "omaha",
        "pineapple@2",
        "pineapple@0",
        "pineapple@",
        "pineapple@1@1",
        "pineapple@01",
        "pineapple@%D9%A1",
        "pineapple@one",
        "pineapple@-1",
        "pineapple@" + "9" * 30,
        "pineapple@" + "9" * 5000,
        "saturday@" + "9" * 30,
        "%00",
        "%20",
        "@",
        "Pineapple",
    ],
)
def test_an_unknown_ruleset_is_not_found(api: Api, reference: str, nobody: Api) -> None:
    for client in (api, nobody):
        response = client.get(f"/v1/rulesets/{reference}")
        assert response.status == 404
        assert response["code"] == "not-found"
        assert "GET /v1/rulesets lists the rulesets" in response["detail"]


@pytest.mark.smoke
def test_a_custom_ruleset_is_added_found_listed_and_played(api: Api) -> None:
    added = api.post("/v1/rulesets", OWN)
    assert added.status == 201
    assert added.document == {**added.document, **OWN, "version": 1}
    assert added.headers["Location"] == "/v1/rulesets/saturday@1"
    assert api.get("/v1/rulesets/saturday").document == added.document
    assert api.get(added.headers["Location"]).document == added.document
    words = "Pineapple, Fantasyland from queens"
    assert api.get("/v1/rulesets")["rulesets"][-1] == {**added.document, "words": words}
    response = record(api, start_round(api, "saturday"), hand(1, 3, THREE))
    assert response["ruleset"] == "saturday@1"
    assert [exchange["bonus"] for exchange in response["exchanges"]] == [4, 4, 4]


def test_fields_that_presets_omit_can_be_omitted(api: Api) -> None:
    ruleset = changed(
        OWN,
        ("royalties", {"top": {}, "middle": {}, "bottom": {}}),
        ("fantasyland", without(OWN["fantasyland"], "enter_low")),
    )
    added = api.post("/v1/rulesets", ruleset)
    assert added.status == 201
    assert added["royalties"] == {"top": {}, "middle": {}, "bottom": {}}
    assert added["fantasyland"]["enter_low"] is None


def test_versions_are_consecutive(api: Api) -> None:
    assert api.post("/v1/rulesets", OWN)["version"] == 1
    dearer = changed(OWN, ("points/scoop_bonus", 5))
    assert api.post("/v1/rulesets", dearer)["version"] == 2
    dearest = changed(OWN, ("points/scoop_bonus", 6), ("version", 3))
    assert api.post("/v1/rulesets", dearest)["version"] == 3
    assert api.get("/v1/rulesets/saturday")["points"]["scoop_bonus"] == 6
    assert [api.get(f"/v1/rulesets/saturday@{version}")["points"]["scoop_bonus"] for version in (1, 2, 3)] == [4, 5, 6]
    assert [ruleset["version"] for ruleset in api.get("/v1/rulesets")["rulesets"]][-1] == 3
    assert len(api.get("/v1/rulesets")["rulesets"]) == 22


def test_adding_the_same_rules_again_returns_the_stored_ruleset(api: Api, house: House) -> None:
    first = api.post("/v1/rulesets", OWN)
    after_first = house.count_records()
    for again in (OWN, {**OWN, "version": 1}, dict(reversed(OWN.items()))):
        repeated = api.post("/v1/rulesets", again)
        assert repeated.status == 201
        assert repeated.document == first.document
        assert replayed(repeated)
    assert not replayed(first)
    assert house.count_records() == after_first
    api.post("/v1/rulesets", changed(OWN, ("points/row", 2)))
    assert api.post("/v1/rulesets", {**OWN, "version": 1}).document == first.document
    assert api.post("/v1/rulesets", OWN)["version"] == 3, "going back to older rules is a change too"


@pytest.mark.parametrize("version", [1, 3, 999_999_999])
def test_a_version_that_is_not_the_next_is_a_conflict(api: Api, house: House, version: int) -> None:
    api.post("/v1/rulesets", OWN)
    before = house.count_records()
    response = api.post("/v1/rulesets", {**changed(OWN, ("points/row", 2)), "version": version})
    assert response.status == 409
    assert response["code"] == "ruleset-conflict"
    assert response.mistakes == {"#/version": "ruleset-conflict"}
    assert f"version {version} of saturday is not the next version; expected 2" in response["detail"]
    assert house.count_records() == before


def test_the_first_version_is_one(api: Api) -> None:
    response = api.post("/v1/rulesets", {**OWN, "version": 2})
    assert response.status == 409
    assert "expected 1" in response["detail"]


@pytest.mark.parametrize("name", ["pineapple", "classic", "pineapple-2-4-us-none"])
def test_presets_cannot_be_replaced(api: Api, name: str) -> None:
    for ruleset in (PRESETS[name], {**OWN, "name": name}, {**PRESETS[name], "version": 2}):
        response = api.post("/v1/rulesets", ruleset)
        assert response.status == 409
        assert response.mistakes == {"#/name": "ruleset-conflict"}
        assert f"{name} is a preset, which never changes" in response["detail"]


def test_rulesets_are_separate_for_each_club(api: Api, other_api: Api, nobody: Api) -> None:
    api.post("/v1/rulesets", OWN)
    assert other_api.get("/v1/rulesets/saturday").status == 404
    assert nobody.get("/v1/rulesets/saturday").status == 404
    assert len(other_api.get("/v1/rulesets")["rulesets"]) == 21
    theirs = other_api.post("/v1/rulesets", changed(OWN, ("points/row", 7)))
    assert theirs["version"] == 1
    assert api.get("/v1/rulesets/saturday")["points"]["row"] == 1
    assert other_api.post("/v1/tables", {"name": "a", "ruleset": "saturday@2"}).status == 422


def test_a_stored_ruleset_cannot_be_changed(api: Api, house: House) -> None:
    api.post("/v1/rulesets", OWN)
    for method in ("PUT", "PATCH", "DELETE"):
        assert api.request(method, "/v1/rulesets/saturday@1", json=OWN).status == 405
    with pytest.raises(Exception, match="is refused: its records are append-only"):
        house.query("UPDATE rulesets SET content = '{}' RETURNING name")


def test_a_table_and_its_rounds_use_the_version_at_their_creation(api: Api) -> None:
    api.post("/v1/rulesets", OWN)
    table = add_table(api, "saturday")
    first = open_round(api, table)
    api.post("/v1/rulesets", changed(OWN, ("points/scoop_bonus", 10)))
    assert api.get(f"/v1/tables/{table}")["ruleset"] == "saturday@1"
    response = play(api, first["id"], hand(1, 3, THREE))
    assert response["exchanges"][0]["bonus"] == 4
    api.post(f"/v1/rounds/{first['id']}/close", {"reason": "done"})
    assert open_round(api, table)["ruleset"] == "saturday@1"
    assert api.get(f"/v1/tables/{add_table(api, 'saturday', 'attic')}")["ruleset"] == "saturday@2"
    assert api.get(f"/v1/tables/{add_table(api, 'saturday@1', 'hall')}")["ruleset"] == "saturday@1"


# --- rules that contradict each other ---

CONTRADICTIONS: list[tuple[str, Any, str, str]] = [
    ("points/row", -1, "points-range", "-1 points are out of range; expected 0 to 1000000"),
    ("points/majority_bonus", -1, "points-range", "-1 points"),
    ("points/scoop_bonus", 1_000_001, "points-range", "1000001 points"),
    ("points/foul_penalty", -6, "points-range", "-6 points"),
    ("royalties/top/QQ", -7, "points-range", "-7 points"),
    ("royalties/bottom/flush", 2**53 - 1, "points-range", "0 to 1000000"),
    ("royalties/top/QK", 1, "royalty-unknown", "'QK' earns no royalties in the top"),
    ("royalties/middle/nine_low", 1, "royalty-unknown", "expected one of pair, two_pair"),
    ("royalties/middle/high_card", 1, "royalty-unknown", "'high_card' earns no royalties in the middle"),
    ("players/min", 1, "players-range", "1 players are too few; expected 2 or more"),
    ("players/max", 1, "players-range", "the maximum number of players, 1, is less than the minimum, 2"),
    ("players/max", 4, "deck-too-small", "4 players with 17 cards each need 68 cards; the deck has 52"),
    ("fantasyland/enter/QQ", 12, "fantasyland-range", "Fantasyland of 12 cards cannot be dealt; expected 13 to 17"),
    ("fantasyland/enter/QQ", 18, "fantasyland-range", "Fantasyland of 18 cards"),
    ("fantasyland/enter/QK", 14, "entry-unknown", "'QK' is not a top row that can enter"),
    ("fantasyland/stay_cards", 0, "fantasyland-range", "Fantasyland of 0 cards"),
    ("fantasyland/stay_limit", -1, "stay-limit", "expected 0 or more, or null for no limit"),
    ("fantasyland/enter_low", {"cards": 14, "both": 15}, "low-needed", "here low_middle is false"),
    ("fantasyland/stay/top", "flush", "stay-unknown", "three cards never make flush"),
    ("fantasyland/stay/bottom", "high_card", "stay-unknown", "expected pair or better"),
    ("low_middle", True, "royalty-unknown", "expected one of ten_low"),
]


@pytest.mark.parametrize(
    ("pointer", "value", "code", "words"), CONTRADICTIONS, ids=[f"{c[0]} {c[1]}" for c in CONTRADICTIONS]
)
def test_contradicting_rules_are_rejected_with_their_fields(
    api: Api, pointer: str, value: Any, code: str, words: str
) -> None:
    response = api.post("/v1/rulesets", changed(OWN, (pointer, value)))
    assert response.status == 422
    assert response["code"] == "ruleset-invalid"
    [first, *_] = [mistake for mistake in response["errors"] if mistake["code"] == code]
    assert first["pointer"] == f"#/{pointer}" or pointer == "low_middle"
    assert words in first["detail"]


def test_all_contradictions_are_reported_together(api: Api, house: House) -> None:
    before = house.count_records()
    wrong = changed(OWN, *[(pointer, value) for pointer, value, *_ in CONTRADICTIONS[:15] if pointer != "players/max"])
    response = api.post("/v1/rulesets", changed(wrong, ("players/max", 4)))
    assert set(response.mistakes) == {f"#/{pointer}" for pointer, *_ in CONTRADICTIONS[:15]}
    assert house.count_records() == before


SHAPES: list[tuple[str, Any, str]] = [
    ("name", "Saturday", "text-pattern"),
    ("name", "saturday-", "text-pattern"),
    ("name", "saturday\n", "text-characters"),
    ("name", "s" * 65, "text-length"),
    ("version", 0, "out-of-range"),
    ("variant", "progressive", "not-a-choice"),
    ("variant", ["pineapple"], "not-a-choice"),
    ("low_middle", 0, "not-a-boolean"),
    ("low_middle", "false", "not-a-boolean"),
    ("points/row", "1", "not-an-integer"),
    ("points/row", 2**53, "out-of-range"),
    ("points/fold", 1, "field-unknown"),
    ("royalties/top", [], "not-an-object"),
    ("royalties/top/QQ", None, "field-null"),
    ("royalties/top/QQ", 1.5, "not-an-integer"),
    ("fantasyland/enter", {str(number): 14 for number in range(65)}, "list-length"),
    ("fantasyland/stay/top", "trips", "not-a-choice"),
    ("fantasyland/stay", None, "field-null"),
    ("stakes/scope", "hands", "not-a-choice"),
    ("leaving", "never", "not-a-choice"),
]


@pytest.mark.parametrize(
    ("pointer", "value", "code"), SHAPES, ids=[f"{case[0]} {str(case[1])[:20]}" for case in SHAPES]
)
def test_a_ruleset_field_of_another_type_is_rejected(api: Api, pointer: str, value: Any, code: str) -> None:
    response = api.post("/v1/rulesets", changed(OWN, (pointer, value)))
    assert response.status == 422
    assert response["code"] == "request-invalid"
    assert response.mistakes == {f"#/{pointer}": code}


@pytest.mark.parametrize("missing", ["name", "variant", "players", "points", "royalties", "fantasyland", "leaving"])
def test_an_incomplete_ruleset_is_rejected(api: Api, missing: str) -> None:
    assert api.post("/v1/rulesets", without(OWN, missing)).mistakes == {f"#/{missing}": "field-missing"}
