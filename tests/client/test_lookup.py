"""Ids that are shortened to their ends, and the lists that show them."""

from client.api import Client
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import add_hand, open_evening


def test_rounds_tables_and_hands_are_found_by_the_end_of_their_ids(
    reached: dict[str, str], client: Client, table: str
) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, button=1)
    table_id = client.get_round(round_id)["table"]
    assert ofc("round", "show", round_id[-6:], **reached).out == ofc("round", "show", round_id, **reached).out
    result = ofc("table", "statement", table_id[-6:].upper(), **reached)
    assert result.out == ofc("table", "statement", table, **reached).out
    [hand] = ofc("round", "hands", table, "--json", **reached).document["hands"]
    assert ofc("hand", "explain", hand["id"][-6:], **reached).out == ofc("hand", "explain", hand["id"], **reached).out


def test_an_unknown_end_of_an_id_is_refused(reached: dict[str, str], table: str) -> None:
    assert "there is no table 'ffffff'" in ofc("round", "show", "ffffff", **reached).err
    assert (
        "there is no dispute 'ffff'; `ofc dispute list` lists all disputes"
        in ofc("dispute", "show", "ffff", **reached).err
    )
    assert "there is no hand 'ffffff'; `ofc round hands" in ofc("hand", "explain", "ffffff", **reached).err


def test_a_checkpoint_is_found_by_the_end_of_its_address(reached: dict[str, str], client: Client, table: str) -> None:
    client.add_table({"name": table, "ruleset": "pineapple"})
    address = client.make_checkpoint()["id"]
    short = ofc("checkpoint", "show", address[-8:], **reached)
    assert (short.code, short.out) == (0, client.get_checkpoint(address))
    assert "there is no checkpoint 'ffffff'" in ofc("checkpoint", "show", "ffffff", **reached).err


def test_a_recomputation_is_found_by_the_end_of_its_id(reached: dict[str, str], table: str) -> None:
    round_id = open_evening(reached, table)
    assert "there is no recomputation 'ffffff'" in ofc("recompute", "status", "ffffff", **reached).err
    start = ("recompute", "start", "--reason", "audit", "--round", round_id[-8:], "--watch", "--json")
    job = ofc(*start, **reached).document
    assert job["scope"]["rounds"] == [round_id]
    for verb in ("status", "watch", "differences", "cancel"):
        result = ofc("recompute", verb, job["id"][-8:], **reached)
        assert (result.code, result.out) == (0, ofc("recompute", verb, job["id"], **reached).out), verb


def test_the_hands_of_a_round_are_listed(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    assert ofc("round", "hands", table, **reached).out == "No hands.\n"
    add_hand(reached, table, button=1)
    [hand] = client.list_hands(round_id)
    result = ofc("round", "hands", table, **reached)
    assert result.out == f"Hand 1 · button ann  {hand['id']}\n  ann +12 · ben 0 · cyd −12\n"


def test_the_list_of_rounds_shows_the_table(reached: dict[str, str], table: str) -> None:
    round_id = open_evening(reached, table)
    first = ofc("round", "list", "--player", "ann", "--table", table, **reached).out.splitlines()[0]
    assert first.startswith(f"{round_id}  {table} · ")
