"""Players whom nobody can tell apart: refused in one round, and warned of when they are new in a club."""

import pytest

from tests.service.links.linked_table import link_to
from tests.support.api_client import Api, replayed
from tests.support.application import House
from tests.support.sample_rounds import COMPLETE, add_table, close, document_of, post_document

COMPOSED, DECOMPOSED = "j\u00fcrgen", "ju\u0308rgen"
ALIKE = [(COMPOSED, DECOMPOSED), ("ann", "ann "), ("Cyd", "cyd"), ("\uff21nn", "ann"), ("stra\u00dfe", "STRASSE")]
PERSIAN = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_players_with_indistinguishable_ids_are_refused_in_one_round(
    api: Api, house: House, one: str, other: str
) -> None:
    table = add_table(api)
    seats = [{"seat": 1, "player": one, "stack": 9}, {"seat": 2, "player": other, "stack": 9}]
    before = house.count_records()
    for response in (
        api.post(f"/v1/tables/{table}/rounds", {"seats": seats}),
        post_document(api, {**document_of(), "seats": seats}),
    ):
        assert (response.status, response.mistakes) == (422, {"#/seats/1/player": "player-twice"})
        assert f"looks like player {one!r} in seat 1" in response["errors"][0]["detail"]
    assert house.count_records() == before


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_a_new_player_who_looks_like_a_known_one_is_a_warning(api: Api, other_api: Api, one: str, other: str) -> None:
    known = [{"seat": 1, "player": one, "stack": 9}, {"seat": 2, "player": "bob", "stack": 9}]
    close(api, api.post(f"/v1/tables/{add_table(api)}/rounds", {"seats": known})["id"])
    table = add_table(api, name="attic")
    seats = [{"seat": 1, "player": "dan", "stack": 9}, {"seat": 2, "player": other, "stack": 9}]
    tried = api.post(f"/v1/tables/{table}/rounds?dry_run=true", {"seats": seats})
    opened = api.post(f"/v1/tables/{table}/rounds", {"seats": seats, "reference": "1"})
    assert (opened.status, tried["warnings"]) == (201, opened["warnings"])
    [warning] = opened["warnings"]
    assert (warning["pointer"], warning["code"]) == ("#/seats/1/player", "player-similar")
    assert (warning["recorded"], warning["received"]) == (one, other)
    # Now both are known, and in another club neither is.
    close(api, opened["id"])
    assert "warnings" not in api.post(f"/v1/tables/{table}/rounds", {"seats": seats}).document
    elsewhere = other_api.post(f"/v1/tables/{add_table(other_api)}/rounds", {"seats": seats})
    assert (elsewhere.status, "warnings" in elsewhere.document) == (201, False)


def test_a_link_to_a_table_finds_no_players_of_other_tables(api: Api, house: House) -> None:
    known = [{"seat": 1, "player": "Ann", "stack": 9}, {"seat": 2, "player": "bob", "stack": 9}]
    attic, cellar = add_table(api, name="attic"), add_table(api, name="cellar")
    seats = [{"seat": 1, "player": "ann", "stack": 9}, {"seat": 2, "player": "BOB", "stack": 9}]
    close(api, api.post(f"/v1/tables/{attic}/rounds", {"seats": known})["id"])
    elsewhere = link_to(house, api, cellar).post(f"/v1/tables/{cellar}/rounds?dry_run=true", {"seats": seats})
    assert (elsewhere.status, "warnings" in elsewhere.document) == (201, False)
    here = link_to(house, api, attic).post(f"/v1/tables/{attic}/rounds?dry_run=true", {"seats": seats})
    assert [each["recorded"] for each in here["warnings"]] == ["Ann", "bob"]


def test_a_document_with_a_similar_player_has_the_warning_once(api: Api) -> None:
    assert "warnings" not in post_document(api, document_of(hands=COMPLETE)).document
    document = document_of(sitting={1: "Ann 200", 2: "bob 200", 3: "cyd 200"}, hands=COMPLETE, reference="2")
    played = post_document(api, document)
    assert [each["recorded"] for each in played["warnings"]] == ["ann"]
    again = post_document(api, document)
    assert (replayed(again), "warnings" in again.document) == (True, False)


def test_names_of_scripts_that_need_joiners_are_ids(api: Api) -> None:
    table = add_table(api)
    seats = [{"seat": 1, "player": PERSIAN, "stack": 9}, {"seat": 2, "player": "bob", "stack": 9}]
    opened = api.post(f"/v1/tables/{table}/rounds", {"seats": seats})
    assert (opened.status, opened["seats"][0]["player"]) == (201, PERSIAN)
    close(api, opened["id"])
    for hidden in ("a\u200cnn", "\u200dann", f"{PERSIAN}\u200c"):
        seats[0]["player"] = hidden
        refused = api.post(f"/v1/tables/{table}/rounds", {"seats": seats})
        assert (refused.status, refused.mistakes) == (422, {"#/seats/0/player": "text-characters"})
