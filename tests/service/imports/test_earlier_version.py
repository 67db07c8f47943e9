"""
Rounds that an earlier version exported, imported into a new database.

`earlier_version/` has the export of a club, `rounds.ndjson`, the custom rulesets that it uses, and for each line of the
export the settlement and the scores that the earlier version had stored. The club had ten rounds at nine tables: with
corrections before and after the settlement was final, an undone hand, disputes, a departure, rounds that were closed
early, stacks taken over from the round before, and an open round.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import Api
from tests.support.application import open_house
from tests.support.database.postgres import Server
from tests.support.sample_rounds import hands_of, settlement_of, without
from tests.support.worker_process import post_import, results_of, wait_for, working

EXPORT = Path(__file__).parent / "earlier_version"
TRANSFER = ("hand", "order", "payer", "payee", "due", "paid", "limited_by", "payer_stack", "payee_stack")
SETTLEMENT = ("transfers", "stacks", "net", "standings", "money")
PLAYER = ("seat", "player", "foul", "royalties", "points", "fantasyland")


def read_lines(name: str) -> list[bytes]:
    return (EXPORT / name).read_bytes().splitlines()


def result_of(api: Api, round_id: str) -> dict[str, Any]:
    """Read the result of a round in the form of `results.ndjson`."""
    read, settlement = api.get(f"/v1/rounds/{round_id}"), settlement_of(api, round_id).document
    # The earlier version did not have the digits of the unit.
    settlement["money"] = settlement["money"] and without(settlement["money"], "unit_digits")
    hands = [
        {
            **{name: hand[name] for name in ("number", "ruleset", "stacks")},
            "players": [{name: player[name] for name in PLAYER} for player in hand["players"]],
            "exchanges": [{name: exchange[name] for name in ("seats", "points")} for exchange in hand["exchanges"]],
        }
        for hand in hands_of(api, round_id)
    ]
    return {
        "table": api.get(f"/v1/tables/{read['table']}")["name"],
        "status": read["status"],
        "settlement": {
            **{name: settlement[name] for name in SETTLEMENT},
            "transfers": [{name: paid[name] for name in TRANSFER} for paid in settlement["transfers"]],
        },
        "hands": hands,
    }


@pytest.mark.every_server
def test_an_export_of_an_earlier_version_has_the_same_results_in_a_new_database(server: Server) -> None:
    with open_house(server) as house, working(house.logins):
        api = house.new_client()
        for ruleset in map(json.loads, read_lines("rulesets.ndjson")):
            assert api.post("/v1/rulesets", ruleset).status == 201
        sent = post_import(api, (EXPORT / "rounds.ndjson").read_bytes())
        assert wait_for(api, sent.headers["Location"])["summary"] == {
            "rounds": 10,
            "replayed": 0,
            "refused": 0,
            "hands": 28,
        }
        imported = [result["round"] for result in results_of(api, sent.headers["Location"])]
        assert [result_of(api, round_id) for round_id in imported] == list(
            map(json.loads, read_lines("results.ndjson"))
        )
        content = house.app.test_client().get("/v1/export", headers={"Authorization": f"Bearer {api.key}"}).data
        assert sorted(content.splitlines()) == sorted(read_lines("rounds.ndjson"))
