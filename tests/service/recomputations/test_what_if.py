"""The newest rounds of a table under another ruleset."""

import json
from pathlib import Path
from uuid import UUID

from schemas.money import Unit
from scoring.presets import PRESETS
from service.recomputations.actions.what_if import TableWhatIf, replay_table
from tests.service.rounds.test_api_accepted_hands import HELD_OPEN, NOBODY_PLAYS, stored
from tests.support.api_client import Api
from tests.support.api_corrections import in_fantasyland
from tests.support.application import House
from tests.support.database.recorded_statements import recorded_statements
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import close, complete_round, document_of, open_round, play_to_the_end

EXAMPLES = Path(__file__).parents[3] / "examples"


def replay(house: House, api: Api, table: str, ruleset: str, most: int = 100) -> TableWhatIf:
    with database_of(house).transaction(club_of(house, api)) as transaction:
        return replay_table(transaction, UUID(table), PRESETS[ruleset], most=most)


def table_of(api: Api, round_id: str) -> str:
    return str(api.get(f"/v1/rounds/{round_id}")["table"])


def test_the_sum_is_that_of_the_what_if_of_each_round(house: House, api: Api) -> None:
    examples = [json.loads(path.read_text()) for path in sorted(EXAMPLES.glob("*.json"))]
    documents = [each for each in examples if each.get("hands") and each.get("seats")]
    rounds = [
        stored(api, {**each, "table": "kitchen", "reference": f"round-{number}", "point_value": None, "unit": None})
        for number, each in enumerate([*documents, NOBODY_PLAYS, HELD_OPEN])
    ]
    assert len(rounds) > 3
    compared = 0
    for ruleset in ("progressive", "pineapple", "pineapple-qq", "progressive-round", "deuce-to-seven"):
        result = replay(house, api, table_of(api, rounds[0]), ruleset)
        expected: dict[str, list[int]] = {}
        refused = set()
        for round_id in rounds:
            response = api.post(f"/v1/rounds/{round_id}/what-if", {"ruleset": ruleset})
            if api.get(f"/v1/rounds/{round_id}")["status"] == "open":
                continue
            if response.status != 200:
                refused.add(round_id)
                continue
            for net in response["net"]:
                sums = expected.setdefault(net["player"], [0, 0])
                sums[0] += net["before"]
                sums[1] += net["after"]
        assert {each.player: [each.before, each.after] for each in result.players} == expected
        assert {str(each.id) for each in result.refused} == refused
        compared += result.rounds
    assert compared > 10


def test_nets_sum_to_nothing_and_money_follows_points(house: House, api: Api) -> None:
    round_id = in_fantasyland(api)
    assert close(api, round_id).status == 200
    result = replay(house, api, table_of(api, round_id), "pineapple-2-4-us-none")
    assert sum(each.after for each in result.players) == sum(each.before for each in result.players) == 0
    assert (result.rounds, result.hands, result.has_more) == (1, 2, False)
    changes = [each.change for each in result.players]
    assert changes == sorted(changes, reverse=True)
    assert any(changes)
    assert all(each.money == {} for each in result.players)


def test_money_is_summed_by_unit(house: House, api: Api) -> None:
    round_id = in_fantasyland_for_money(api)
    result = replay(house, api, table_of(api, round_id), "pineapple-2-4-us-none")
    assert any(each.change for each in result.players)
    assert [each.money for each in result.players] == [{Unit("EUR", 2): each.change * 10} for each in result.players]


def in_fantasyland_for_money(api: Api) -> str:
    document = api.get(f"/v1/rounds/{in_fantasyland(api)}/document").document
    closed = {"after_hand": 2, "reason": "late"}
    valued = {**document, "table": "money", "point_value": 10, "unit": "EUR", "closed": closed}
    return stored(api, valued)


def test_only_the_newest_rounds_that_have_ended_are_replayed(house: House, api: Api) -> None:
    table = table_of(api, complete_round(api))
    for _ in range(2):
        play_to_the_end(api, str(open_round(api, table)["id"]))
    open_round(api, table)
    result = replay(house, api, table, "progressive", most=3)
    assert (result.rounds, result.has_more) == (2, True)
    assert replay(house, api, table, "progressive").rounds == 3


def test_a_round_that_the_rules_do_not_allow_is_listed_with_the_reason(house: House, api: Api) -> None:
    four = document_of(
        "turbo",
        {1: "ann 100", 2: "bob 100", 3: "cyd 100", 4: "dan 100"},
        [],
        closed={"after_hand": 0, "reason": "late"},
    )
    round_id = stored(api, four)
    result = replay(house, api, table_of(api, round_id), "pineapple")
    assert (result.rounds, result.players) == (0, [])
    [refused] = result.refused
    assert str(refused.id) == round_id
    assert "players" in refused.reason


def test_the_number_of_statements_does_not_depend_on_the_number_of_rounds(house: House, api: Api) -> None:
    table = table_of(api, complete_round(api))
    replay(house, api, table, "progressive")
    with recorded_statements() as few:
        replay(house, api, table, "progressive")
    for _ in range(4):
        play_to_the_end(api, str(open_round(api, table)["id"]))
    with recorded_statements() as many:
        assert replay(house, api, table, "progressive").rounds == 5
    assert len(many) == len(few)
