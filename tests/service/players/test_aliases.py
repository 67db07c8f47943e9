"""Two IDs of one person are joined and parted again: what is refused, shown and stored."""

import json
from typing import Any
from urllib.parse import quote

import pytest

from tests.service.players.figures import check_added, read_figures_of, read_sums
from tests.support.api_client import Api, ApiResponse, replayed
from tests.support.application import House
from tests.support.import_lines import club_of, import_all, lines_of, records_of
from tests.support.sample_rounds import (
    COMPLETE,
    SIXES,
    THREE,
    add_table,
    complete_round,
    correct_round,
    document_of,
    hand,
    open_round,
    play,
    post_document,
    settlement_of,
    walk,
)

WITH_BOBBY = {1: "ann 100", 2: "cyd 100", 3: "bobby 100"}


def join(api: Api, player: str, alias: str, query: str = "") -> ApiResponse:
    return api.post(f"/v1/players/{quote(player, safe='')}/aliases{query}", {"alias": alias})


def part(api: Api, player: str, alias: str) -> ApiResponse:
    return api.post(f"/v1/players/{quote(player, safe='')}/aliases/part", {"alias": alias})


@pytest.fixture
def table(api: Api) -> str:
    """A table with a round of bob and then one of bobby, where a point is 0.10 EUR."""
    table = add_table(api, point_value=10, unit="EUR")
    for sitting in (SIXES, WITH_BOBBY):
        play(api, open_round(api, table, sitting)["id"], *COMPLETE)
    return table


# --- joining and parting ---


@pytest.mark.smoke
def test_an_id_is_joined_to_a_player_and_parted_again(api: Api, table: str) -> None:
    joined = join(api, "bob", "bobby")
    assert joined.status == 201
    alias = {"alias": "bobby", "joined_at": joined["aliases"][0]["joined_at"]}
    assert joined.document == {"player": "bob", "display_name": None, "named_at": None, "aliases": [alias]}
    for known_as in ("bob", "bobby"):
        assert api.get(f"/v1/players/{known_as}").document == {**joined.document, "metadata": {}}
    assert api.get("/v1/players")["players"] == [joined.document]
    parted = part(api, "bob", "bobby")
    assert (parted.status, parted["aliases"]) == (200, [])
    assert api.get("/v1/players/bob").status == 404
    assert api.get("/v1/players")["players"] == []


def test_both_are_events_of_who_did_it_and_repeating_them_changes_nothing(api: Api, table: str, house: House) -> None:
    first = join(api, "bob", "bobby")
    before = house.count_records()
    again = [join(api, "bob", "bobby"), join(api, "bobby", "bob")]
    assert [(replayed(each), each.document) for each in again] == [(True, first.document)] * 2
    assert house.count_records() == before
    part(api, "bob", "bobby")
    before = house.count_records()
    again = [part(api, "bob", "bobby")]
    assert [(replayed(each), each["aliases"]) for each in again] == [(True, [])]
    assert house.count_records() == before
    key = house.query("SELECT id FROM api_keys WHERE club_id = %s", club_of(house, api))
    events = house.query(
        "SELECT kind, actor, convert_from(content, 'UTF8') FROM events WHERE club_id = %s AND kind LIKE 'player.%%'"
        " ORDER BY id",
        club_of(house, api),
    )
    content = '{"alias":"bobby","player":"bob"}'
    assert events == [(kind, key[0][0], content) for kind in ("player.joined", "player.parted")]


def test_ids_with_any_text_are_joined(api: Api) -> None:
    sitting = [{"seat": 1, "player": "a/b", "stack": 100}, {"seat": 2, "player": "aliases/part", "stack": 100}]
    table = add_table(api)
    assert api.post(f"/v1/tables/{table}/rounds", {"seats": sitting}).status == 201
    for player, alias in (("a/b", "zoë ♣/aliases"), ("aliases/part", "..")):
        assert join(api, player, alias)["aliases"][0]["alias"] == alias
        assert api.get(f"/v1/players/{quote(player, safe='')}")["player"] == player
        assert part(api, player, alias)["aliases"] == []


def test_a_dry_run_joins_nobody(api: Api, table: str) -> None:
    assert join(api, "bob", "bobby", "?dry_run=true").status == 201
    assert api.get("/v1/players/bob").status == 404


def test_a_player_has_any_number_of_aliases_and_each_alias_one_player(api: Api, table: str) -> None:
    for alias in ("bobby", "robert"):
        assert join(api, "bob", alias).status == 201
    # Joined to an alias is joined to its player.
    assert [each["alias"] for each in join(api, "robert", "rob")["aliases"]] == ["bobby", "robert", "rob"]
    taken = join(api, "dan", "bobby")
    assert (taken.status, taken["code"], taken.mistakes) == (409, "alias-conflict", {"#/alias": "alias-taken"})
    chained = join(api, "ann", "bob")
    assert chained.status == 409
    assert "alias-has-aliases" in chained.codes
    assert "part them first" in chained["errors"][0]["detail"]


def test_a_player_has_at_most_a_hundred_aliases(api: Api, table: str) -> None:
    for number in range(100):
        assert join(api, "bob", f"bob {number}").status == 201
    assert join(api, "bob", "bob 100").mistakes == {"#/alias": "aliases-count"}


# --- refusals ---


def test_ids_that_sat_in_one_round_are_not_joined(api: Api, table: str) -> None:
    refused = join(api, "ann", "bob")
    assert (refused.status, refused["code"], refused.codes) == (409, "alias-conflict", {"players-together"})
    [together] = api.get("/v1/rounds?player=bob")["rounds"]
    assert [each["detail"] for each in refused["errors"]] == [
        f"`alias`: 'ann' and 'bob' both sat in round {together['id']}; expected one person"
    ]
    # What is joined counts too.
    assert join(api, "bob", "bobby").status == 201
    assert join(api, "bob", "cyd").codes == {"players-together"}
    assert len(join(api, "bob", "cyd")["errors"]) == 2


def test_ids_that_sat_in_one_round_by_mistake_are_joined_after_its_correction(api: Api) -> None:
    round_id = complete_round(api)
    assert join(api, "ann", "bob").status == 409
    patch = [{"op": "replace", "path": "/seats/1/player", "value": "dan"}]
    assert correct_round(api, round_id, {"reason": "it was dan", "patch": patch}).status == 201
    assert join(api, "ann", "bob").status == 201
    back = [{"op": "replace", "path": "/seats/1/player", "value": "bob"}]
    refused = correct_round(api, round_id, {"reason": "it was bob", "patch": back})
    assert (refused.status, refused.mistakes) == (422, {"#/patch/0/value": "player-twice"})


@pytest.mark.parametrize(
    ("alias", "code"), [("bob", "alias-not-other"), ("", "text-length"), ("a\nb", "text-characters")]
)
def test_an_impossible_alias_is_refused(api: Api, table: str, alias: str, code: str) -> None:
    refused = join(api, "bob", alias)
    assert (refused.status, refused.mistakes) == (422, {"#/alias": code})


def test_one_of_the_ids_has_sat_in_a_round(api: Api, table: str) -> None:
    assert join(api, "nobody", "no one").status == 404
    assert join(api, "robert", "bob").status == 201
    assert join(api, "robert", "rob").status == 201


def test_only_an_alias_of_the_player_is_parted(api: Api, table: str) -> None:
    assert part(api, "bob", "bobby").status == 404
    join(api, "bob", "bobby")
    assert part(api, "ann", "bobby").mistakes == {"#/alias": "alias-taken"}
    assert part(api, "bobby", "bob").status == 404
    assert part(api, "bobby", "bobby").status == 200


def test_ids_are_joined_in_their_club_only(api: Api, other_api: Api, table: str) -> None:
    join(api, "bob", "bobby")
    assert other_api.get("/v1/players/bobby").status == 404
    assert part(other_api, "bob", "bobby").status == 404
    assert other_api.get("/v1/players")["players"] == []


# --- rounds ---

TWICE = {1: "ann 100", 2: "bobby 100", 3: "bob 100"}


def test_joined_ids_do_not_sit_in_one_round(api: Api, house: House, table: str) -> None:
    join(api, "bob", "bobby")
    before = house.count_records()
    opened = open_round(api, table, TWICE)
    assert (opened.status, opened["code"], opened.mistakes) == (
        422,
        "round-invalid",
        {"#/seats/2/player": "player-twice"},
    )
    whole = document_of(sitting=TWICE, hands=COMPLETE, reference="whole")
    assert post_document(api, whole).mistakes == {"#/seats/2/player": "player-twice"}
    club = club_of(house, api)
    [line, other] = import_all(house, club, lines_of([whole, {**whole, "seats": document_of()["seats"]}]))
    assert (line.status, other.status) == ("refused", "stored")
    assert line.problem is not None
    assert [each["code"] for each in line.problem["errors"]] == ["player-twice"]
    assert house.count_records()["rounds"] == before["rounds"] + 1
    # After the parting, they are two people.
    part(api, "bob", "bobby")
    assert open_round(api, table, TWICE).status == 201


def test_the_stack_of_one_id_carries_over_to_the_other(api: Api, table: str) -> None:
    """Bobby left the second round with 64 points, and bob the first with 100."""
    join(api, "bob", "bobby")
    opened = open_round(api, table, {1: "ann", 2: "bob", 3: "cyd"})
    stacks = {seat["player"]: seat["opening_stack"] for seat in opened["seats"]}
    assert stacks == {"ann": 136, "bob": 64, "cyd": 100}


def test_a_new_id_sits_down_with_the_stack_of_the_player(api: Api, table: str) -> None:
    join(api, "bobby", "robert")
    opened = open_round(api, table, {1: "ann", 2: "robert", 3: "cyd"})
    assert "warnings" not in opened.document
    assert [seat["opening_stack"] for seat in opened["seats"]] == [136, 64, 100]
    part(api, "bobby", "robert")
    assert api.post(f"/v1/rounds/{opened['id']}/close", {"reason": "late"}).status == 200
    missing = open_round(api, table, {1: "ann", 2: "bobby", 3: "roberta"})
    assert missing.mistakes == {"#/seats/2/stack": "stack-missing"}


def test_a_correction_lists_the_stack_that_another_id_carried_over(api: Api, table: str) -> None:
    join(api, "bob", "bobby")
    first, second = api.get("/v1/rounds?player=cyd")["rounds"][::-1]
    third = open_round(api, table, {1: "ann", 2: "bob", 3: "cyd"})
    assert third.status == 201
    swapped = hand(3, 3, {1: THREE[3], 2: THREE[2], 3: THREE[1]})
    document = api.get(f"/v1/rounds/{second['id']}/document").document
    document["hands"][2] = {**document["hands"][2], **swapped}
    compared = correct_round(api, second["id"], {"reason": "misread", "document": document}, "?dry_run=true")
    carried = {each["player"]: (each["opening_stack"], each["left"]) for each in compared["carried_over"]}
    assert carried == {"ann": (136, 112), "bob": (64, 88), "cyd": (100, 100)}
    assert first["id"] != second["id"]


# --- payments ---


def test_nobody_pays_themselves_under_another_id(api: Api, table: str) -> None:
    join(api, "bob", "bobby")
    body: dict[str, Any] = {"payer": "bob", "payee": "bobby", "unit": "EUR", "amount": 100, "reference": "1"}
    refused = api.post("/v1/payments", body)
    assert (refused.status, refused.mistakes) == (422, {"#/payee": "payee-not-other"})
    # An ID that never sat in a round is one of the player.
    join(api, "bob", "robert")
    paid = api.post("/v1/payments", {**body, "payer": "robert", "payee": "ann", "amount": 360})
    assert (paid.status, "warnings" in paid.document) == (201, False)


def test_more_than_a_player_owes_is_more_than_is_owed_under_all_ids(api: Api, table: str) -> None:
    """Bobby lost 36 points, and bob none."""
    join(api, "bob", "bobby")
    body = {"payer": "bob", "payee": "ann", "unit": "EUR", "amount": 361, "reference": "1"}
    assert [each["expected"] for each in api.post("/v1/payments?dry_run=true", body)["warnings"]] == [360]
    assert "warnings" not in api.post("/v1/payments?dry_run=true", {**body, "amount": 360}).document


# --- figures ---


def test_every_sum_shows_one_player_and_a_parting_restores_it(api: Api, house: House, table: str) -> None:
    api.post("/v1/payments", {"payer": "bob", "payee": "ann", "unit": "EUR", "amount": 50, "reference": "1"})
    api.post("/v1/charges", {"player": "bobby", "unit": "EUR", "amount": 7, "reason": "tea", "reference": "2"})
    before = read_sums(api, [table])
    of_each = {player: read_figures_of(api, player) for player in ("bob", "bobby", "ann")}
    stored = records_of(house, club_of(house, api))
    join(api, "bob", "bobby")
    joined = read_sums(api, [table])
    check_added(before, joined, {"bobby": "bob"})
    for path, document in joined.items():
        if path.startswith(("/v1/statement", "/v1/tables", "/v1/statistics", "/v1/balances")):
            assert document.pop("aliases") == {"bobby": "bob"}, path
        assert '"bobby"' not in json.dumps(document), path
    assert read_figures_of(api, "bobby") == read_figures_of(api, "bob") != of_each["bob"]
    part(api, "bob", "bobby")
    assert read_sums(api, [table]) == before
    assert {player: read_figures_of(api, player) for player in of_each} == of_each
    now = records_of(house, club_of(house, api))
    changed = {name for name in stored if now[name] != stored[name]}
    assert changed <= {"events", "waiting_events", "tree_nodes", "tree_heads", "feed_entries"}


def test_records_have_the_ids_that_were_sent(api: Api, table: str) -> None:
    ledger, rounds = (api.get(path).document for path in ("/v1/ledger", "/v1/rounds"))
    settlements = [settlement_of(api, each["id"]).document for each in rounds["rounds"]]
    join(api, "bob", "bobby")
    assert api.get("/v1/ledger").document["lines"] == ledger["lines"]
    assert api.get("/v1/rounds").document == rounds
    assert [settlement_of(api, each["id"]).document for each in rounds["rounds"]] == settlements


def test_lists_of_a_player_have_the_records_of_all_ids(api: Api, table: str) -> None:
    join(api, "bob", "bobby")
    assert len(api.get("/v1/rounds?player=bobby")["rounds"]) == 2
    assert len(api.get("/v1/hands?player=bob")["hands"]) == 6
    lines = [line for page in walk(api, "/v1/ledger?player=bob") for line in page["lines"]]
    assert {line["payer"] for line in lines} | {line["payee"] for line in lines} == {"ann", "bob", "bobby", "cyd"}
    assert len(lines) == 12


def read_head_to_head(api: Api) -> dict[tuple[str, str], int]:
    """Read the points of each player against each other."""
    plot = api.get("/v1/plots/head-to-head")
    return {
        (place["player"], series["name"]): value
        for series in plot["series"]
        for place, value in zip(plot["places"], series["figures"], strict=True)
        if value is not None
    }


def test_head_to_head_adds_up_both_ids_on_either_side(api: Api, table: str) -> None:
    points = read_head_to_head(api)
    join(api, "bob", "bobby")
    joined = read_head_to_head(api)
    assert {player for player, _ in joined} == {"ann", "bob", "cyd"}
    assert joined["ann", "bob"] == 36
    for other in ("ann", "cyd"):
        assert joined["bob", other] == points["bob", other] + points["bobby", other]
        assert joined[other, "bob"] == points[other, "bob"] + points[other, "bobby"]


# --- names ---


def test_an_alias_has_the_name_of_its_player(api: Api, table: str) -> None:
    api.put("/v1/players/bobby", {"display_name": "Bobby Example"})
    # Without a name of the player, that of the first alias is shown.
    assert join(api, "bob", "bobby")["display_name"] == "Bobby Example"
    assert [each["player"] for each in api.get("/v1/players")["players"]] == ["bob"]
    assert api.put("/v1/players/bobby", {"display_name": "Bob Example"}).document["player"] == "bob"
    assert api.get("/v1/players/bobby")["display_name"] == "Bob Example"
    assert len(api.get("/v1/players")["players"]) == 1
    part(api, "bob", "bobby")
    names = {each["player"]: each["display_name"] for each in api.get("/v1/players")["players"]}
    assert names == {"bob": "Bob Example", "bobby": "Bobby Example"}


def test_an_erasure_covers_all_ids_of_the_player(api: Api, house: House, table: str) -> None:
    for player in ("bob", "bobby"):
        api.put(f"/v1/players/{player}", {"display_name": f"{player} Erasable"})
        body = {"player": player, "unit": "EUR", "amount": 1, "reason": f"{player} erasable", "reference": player}
        assert api.post("/v1/charges", body).status == 201
    join(api, "bob", "bobby")
    assert api.delete("/v1/players/bobby").status == 204
    club = club_of(house, api)
    assert house.query("SELECT player FROM players WHERE club_id = %s", club) == []
    assert house.query("SELECT content FROM texts WHERE club_id = %s", club) == []
    assert api.get("/v1/players/bob")["display_name"] is None
    part(api, "bob", "bobby")
    assert api.get("/v1/players")["players"] == []


def test_players_with_a_name_or_aliases_are_listed_in_pages(api: Api, table: str) -> None:
    api.put("/v1/players/ann", {"display_name": "Ann"})
    for alias in ("robert", "rob"):
        join(api, "bob", alias)
    api.put("/v1/players/rob", {"display_name": "Bob"})
    join(api, "cyd", "cydney")
    pages = [[each["player"] for each in page["players"]] for page in walk(api, "/v1/players?limit=1")]
    assert sorted(player for [player] in pages) == ["ann", "bob", "cyd"]
