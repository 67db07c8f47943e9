"""Settlements on the command line: confirmed, shown as firm as they are, and adjusted."""

import json
from pathlib import Path

import pytest

from client.api import Client
from tests.support.client.run_ofc import ofc, read_example, write


@pytest.fixture
def posted(reached: dict[str, str], table: str, tmp_path: Path) -> str:
    """A round that is complete and provisional: its id."""
    document = {**read_example("turbo"), "table": table, "reference": None, "point_value": 10, "unit": "EUR"}
    result = ofc("post", "--whole", "--json", write(tmp_path, document), **reached)
    return str(result.document["round"]["id"])


def test_players_confirm_a_settlement_by_name_or_seat_until_it_is_final(reached: dict[str, str], posted: str) -> None:
    shown = ofc("round", "settlement", posted, **reached).text
    assert "provisional" in shown
    assert "or once everyone has confirmed it." in shown
    some = ofc("round", "confirm", posted, "bob", "1", **reached)
    assert some.code == 0
    assert "Confirmed by ann, bob." in some.text
    rest = ofc("round", "confirm", posted, "bob", "cyd", "dan", "--json", **reached).document
    assert (rest["state"], rest["confirmed"]) == ("final", [1, 2, 3, 4])
    assert "settlement final" in ofc("round", "show", posted, **reached).text
    listed = ofc("round", "list", "--state", "final", "--json", **reached).document["rounds"]
    assert posted in [round_["id"] for round_ in listed]
    assert posted not in ofc("round", "list", "--state", "provisional", **reached).out


def test_a_player_without_a_seat_cannot_confirm(reached: dict[str, str], posted: str) -> None:
    wrong = ofc("round", "confirm", posted, "ann", "eve", **reached)
    assert wrong.code == 2
    assert wrong.err == "Error: no player 'eve' sits in the round; expected one of 1 (ann), 2 (bob), 3 (cyd), 4 (dan)\n"
    assert ofc("round", "settlement", posted, "--json", **reached).document["confirmed"] == []


def test_a_correction_of_a_final_settlement_shows_the_payments(
    client: Client, reached: dict[str, str], posted: str
) -> None:
    ofc("round", "confirm", posted, "ann", "bob", "cyd", "dan", **reached)
    document = client.get_document(posted)
    first, other = document["seats"][:2]
    first["player"], other["player"] = other["player"], first["player"]
    version = client.get_round(posted)["version"]
    correction = {"reason": "they had changed places", "version": version, "document": document}
    adjustment = client.correct_round(posted, correction)["adjustment"]
    shown = ofc("round", "settlement", posted, **reached).text
    assert "Revision 1 was final. To adjust it: " in shown
    for paid in adjustment["transfers"]:
        assert f"{paid['payer']} pays {paid['payee']} {paid['points']} point" in shown


def test_rounds_are_imported_provisionally_on_request(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    for name, more, state in (("one", [], "final"), ("two", ["--provisional"], "provisional")):
        line = json.dumps({**read_example("turbo"), "table": table, "reference": name})
        [result] = [json.loads(ofc("import", *more, "--json", write(tmp_path, f"{line}\n"), **reached).out)]
        assert ofc("round", "settlement", result["round"], "--json", **reached).document["state"] == state


def test_a_table_shows_how_long_settlements_are_provisional(reached: dict[str, str], table: str) -> None:
    result = ofc("table", "create", table, "--ruleset", "turbo", "--correction-window", "45", **reached)
    assert result.code == 0
    assert "provisional for 45 minutes" in result.out
