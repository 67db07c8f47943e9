"""Ids that are shortened, and the lists that show them."""

import pytest

from client.api import Client
from client.errors import UnreadableError
from client.lookup import match_prefix
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import add_hand, open_evening


def shorten(whole: str, others: list[str]) -> str:
    """Cut an id to where no other begins so."""
    return next(
        whole[:length] for length in range(4, 37) if not any(each.startswith(whole[:length]) for each in others)
    )


def test_rounds_tables_and_hands_are_found_by_the_prefix_of_their_ids(
    reached: dict[str, str], client: Client, table: str
) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, button=1)
    rounds = [each["id"] for each in client.list_rounds()]
    tables = [each["id"] for each in client.list_tables()]
    table_id = client.get_round(round_id)["table"]
    short = shorten(round_id, [each for each in rounds if each != round_id])
    assert ofc("round", "show", short, **reached).out == ofc("round", "show", round_id, **reached).out
    short = shorten(table_id, [each for each in tables if each != table_id])
    assert ofc("table", "statement", short, **reached).out == ofc("table", "statement", table, **reached).out
    [hand] = ofc("round", "hands", table, "--json", **reached).document["hands"]
    assert ofc("hand", "explain", hand["id"][:30], **reached).out == ofc("hand", "explain", hand["id"], **reached).out


def test_an_ambiguous_id_prefix_lists_the_matches(reached: dict[str, str], table: str) -> None:
    rounds = [open_evening(reached, f"{table}-{number}") for number in (1, 2)]
    result = ofc("round", "show", rounds[0][:4], **reached)
    assert (result.code, result.out) == (2, "")
    assert f"'{rounds[0][:4]}' matches " in result.err
    assert f"  {rounds[1]}  " in result.err
    assert "ann, ben, cyd" in result.err


def test_an_unknown_id_prefix_is_refused(reached: dict[str, str], table: str) -> None:
    assert "there is no table 'ffff'" in ofc("round", "show", "ffff", **reached).err
    assert "there is no dispute 'ffff'" in ofc("dispute", "show", "ffff", **reached).err
    assert "has the id 'ffff'" in ofc("hand", "explain", "ffff", **reached).err


def test_a_checkpoint_is_found_by_the_prefix_of_its_address(
    reached: dict[str, str], client: Client, table: str
) -> None:
    for name in (table, f"{table}-2"):
        client.add_table({"name": name, "ruleset": "pineapple"})
        client.make_checkpoint()
    newest, *older = [each["id"] for each in client.list_checkpoints()]
    short = ofc("checkpoint", "show", shorten(newest, older), **reached)
    assert (short.code, short.out) == (0, client.get_checkpoint(newest))
    several = ofc("checkpoint", "show", newest[:4], **reached)
    assert (several.code, several.out) == (2, "")
    assert f"'{newest[:4]}' matches " in several.err
    assert f"  {older[0]}  " in several.err
    assert "there is no checkpoint 'ffff'" in ofc("checkpoint", "show", "ffff", **reached).err


def test_a_recomputation_is_found_by_the_prefix_of_its_id(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    assert "there is no recomputation 'ffff'" in ofc("recompute", "status", "ffff", **reached).err
    start = ("recompute", "start", "--reason", "audit", "--round", round_id[:30], "--watch", "--json")
    job, other = (ofc(*start, **reached).document for _ in range(2))
    assert job["scope"]["rounds"] == [round_id]
    others = [each["id"] for each in client.list_recomputations() if each["id"] != job["id"]]
    short = shorten(job["id"], others)
    for verb in ("status", "watch", "differences", "cancel"):
        result = ofc("recompute", verb, short, **reached)
        assert (result.code, result.out) == (0, ofc("recompute", verb, job["id"], **reached).out), verb
    several = ofc("recompute", "status", job["id"][:4], **reached)
    assert (several.code, several.out) == (2, "")
    assert f"'{job['id'][:4]}' matches {len(others) + 1} ids" in several.err
    assert f"  {other['id']}  {other['created_at']}, audit: audit" in several.err


def test_at_most_ten_are_listed() -> None:
    with pytest.raises(UnreadableError, match="and 2 more"):
        match_prefix({f"01a1{number:02}": "a round" for number in range(12)}, "01a1")


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
