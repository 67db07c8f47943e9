"""`ofc` sets metadata and display names, shows them, and erases texts."""

import pytest

from client.api import Client
from tests.support.client.run_ofc import ofc
from tests.support.sample_rounds import HIGH, LOW, MID, hand

SITTING = ("ann=200", "bob=200", "cyd=200")


def test_a_table_and_its_round_have_metadata(reached: dict[str, str], table: str) -> None:
    options = [
        "--ruleset",
        "pineapple",
        "--reference",
        f"{table}/1",
        "--metadata",
        "city=Lyon",
        "--metadata",
        "floor=2",
    ]
    created = ofc("table", "create", table, *options, **reached)
    assert created.code == 0, created
    assert f" · {table}/1  " in created.out
    assert created.out.endswith("\n  city: Lyon\n  floor: 2\n")
    changed = ofc("table", "update", table, "--metadata", "city=Nice", **reached)
    assert changed.out.endswith("\n  city: Nice\n")
    assert ofc("table", "list", "--reference", f"{table}/1", **reached).out.startswith(table)
    assert ofc("round", "open", table, *SITTING, **reached).code == 0
    described = ofc("round", "update", table, "--metadata", "tournament=friday", **reached)
    assert (described.code, "\n  tournament: friday\n" in described.out) == (0, True)
    assert ofc("round", "show", table, **reached).out == described.out


def test_a_hand_has_metadata(reached: dict[str, str], client: Client, table: str) -> None:
    assert ofc("table", "create", table, "--ruleset", "pineapple", **reached).code == 0
    round_id = ofc("round", "open", table, *SITTING, "--json", **reached).document["id"]
    played = {**hand(1, 1, {1: HIGH, 2: MID, 3: LOW}), "reference": f"{table}/1/1"}
    recorded = client.record_hand(round_id, played)["id"]
    assert ofc("hand", "update", recorded, "--metadata", "video=cam2", **reached).code == 0
    shown = ofc("hand", "show", recorded[-8:], **reached)
    assert f"hand 1 of round {round_id}" in shown.out
    assert f" · {table}/1/1\n" in shown.out
    assert shown.out.endswith("\n  video: cam2\n")


def test_texts_are_erased_after_a_question(reached: dict[str, str], client: Client, table: str) -> None:
    created = ofc("table", "create", table, "--ruleset", "pineapple", "--metadata", "city=Lyon", "--json", **reached)
    table_id = created.document["id"]
    declined = ofc("text", "erase", table_id, text="n\n", **reached)
    assert (declined.code, declined.out.endswith("Nothing was changed.\n")) == (0, True)
    assert client.get_table(table_id)["metadata"] == {"city": "Lyon"}
    erased = ofc("text", "erase", table_id, "--yes", **reached)
    assert (erased.code, erased.out) == (0, f"Erased: the texts of {table_id}.\n")
    assert client.get_table(table_id)["metadata"] == {}


def test_a_player_is_named_and_erased(reached: dict[str, str], table: str) -> None:
    player = f"guest of {table}"
    named = ofc("player", "name", player, "Guest Example", "--metadata", "member=0117", **reached)
    assert (named.code, named.out.endswith("\n  member: 0117\n")) == (0, True), named
    assert f"{player}  Guest Example" in named.out
    assert ofc("player", "show", player, **reached).out == named.out
    assert "Guest Example" in ofc("player", "list", **reached).out
    assert ofc("player", "erase", player, "--yes", **reached).code == 0
    assert ofc("player", "show", player, **reached).code == 1


@pytest.mark.parametrize("command", [("hand", "update", "01a1fa84"), ("round", "update", "attic")])
def test_metadata_must_be_given(reached: dict[str, str], command: tuple[str, ...]) -> None:
    result = ofc(*command, **reached)
    assert (result.code, "Give at least one of --metadata and --no-metadata." in result.err) == (2, True), result.err


def test_all_metadata_are_removed(reached: dict[str, str], client: Client, table: str) -> None:
    options = ("--ruleset", "pineapple", "--metadata", "city=Lyon", "--json")
    table_id = ofc("table", "create", table, *options, **reached).document["id"]
    round_id = ofc("round", "open", table, *SITTING, "--json", **reached).document["id"]
    hand_id = client.record_hand(round_id, hand(1, 1, {1: HIGH, 2: MID, 3: LOW}))["id"]
    player = f"guest of {table}"
    assert ofc("player", "name", player, "Guest", "--metadata", "member=0117", **reached).code == 0
    both = ("--metadata", "city=Nice", "--no-metadata")
    for command in (("table", "update", table), ("round", "update", table), ("hand", "update", hand_id)):
        assert ofc(*command, "--metadata", "city=Nice", **reached).code == 0
        assert ofc(*command, *both, **reached).code == 2
        assert ofc(*command, "--no-metadata", **reached).code == 0
    assert ofc("player", "name", player, "Guest", "--no-metadata", **reached).code == 0
    read = [client.get_table(table_id), client.get_round(round_id), client.get_hand(hand_id), client.get_player(player)]
    assert [record["metadata"] for record in read] == [{}] * 4
