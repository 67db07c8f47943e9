"""`ofc hand correct`: a recorded hand is offered for editing, and what changes is shown before it is stored."""

from collections.abc import Iterator

import pytest
import stamina

from client.api import Client
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import WORKED, add_hand, open_evening
from tests.support.client.terminal import CTRL_C, CTRL_U, ENTER, terminal
from tests.support.sample_rounds import HIGH, LOW, MID, QUEENS, REST

THREE_OF_DIAMONDS = QUEENS.replace("QsQd", "Qs3d")
IN_FANTASYLAND = (f"{HIGH} / 8d", MID, f"{LOW} / 9h")


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


def test_the_recorded_hand_is_offered_for_editing(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, button=2)
    add_hand(reached, table)
    with terminal("hand", "correct", table, "1", **reached) as screen:
        for prompt in ("Button (seat or player): 2", "Fantasyland (for example 1=14, or none): none"):
            assert screen.shows_prompt(prompt)
            screen.type(ENTER)
        assert screen.shows_prompt(f"Seat 1, ann: {HIGH}")
        screen.type(CTRL_U, REST, ENTER)
        for seat in (f"Seat 2, ben: {MID}", f"Seat 3, cyd: {LOW}"):
            assert screen.shows_prompt(seat)
            screen.type(ENTER)
        assert screen.shows_prompt("Correct hand 1? [yes, no, or a seat to type again]")
        assert any("ann, top" in line and "→ A♣ J♥ 9♥" in line for line in screen.lines), screen.lines
        screen.type("yes", ENTER)
        assert screen.shows_prompt("Reason:")
        screen.type("misread", ENTER)
        assert screen.end() == 0
        revision = client.get_settlement(round_id)["revision"]
        line_shown = f"Corrected: hand 1 at {table}; revision {revision}."
        assert line_shown in screen.lines, "\n".join(screen.lines)
    first, second = client.get_document(round_id)["hands"]
    assert first["players"][0]["top"] == ["Ac", "Jh", "9h"]
    assert second["players"][0]["top"] != ["Ac", "Jh", "9h"]
    assert client.get_settlement(round_id)["reason"] == "misread"


def test_fantasyland_is_offered_for_editing_and_ctrl_c_changes_nothing(
    reached: dict[str, str], client: Client, table: str
) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, *WORKED, button=3)
    add_hand(reached, table, *IN_FANTASYLAND)
    revision = client.get_settlement(round_id)["revision"]
    with terminal("hand", "correct", table, "2", **reached) as screen:
        for prompt in ("Button (seat or player): 3", "Fantasyland (for example 1=14, or none): 1=14 3=14"):
            assert screen.shows_prompt(prompt)
            screen.type(ENTER)
        assert screen.shows_prompt(f"Seat 1, ann (Fantasyland with 14 cards): {HIGH} / 8d")
        assert screen.shows("Ctrl-C: stop; nothing changes")
        screen.type(CTRL_C)
        assert screen.end() == 130
    assert client.get_settlement(round_id)["revision"] == revision


def test_later_hands_that_do_not_follow_are_accepted_on_request(
    reached: dict[str, str], client: Client, table: str
) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, *WORKED, button=3)
    add_hand(reached, table, *IN_FANTASYLAND)
    options = ("--seat", "ann", THREE_OF_DIAMONDS, "--reason", "misread")
    refused = ofc("hand", "correct", table, "1", *options, "--yes", **reached)
    assert (refused.code, "(hand-irregular)" in refused.err) == (1, True)
    assert "`--irregular accept` accepts irregular later hands as played" in refused.err
    with terminal("hand", "correct", table, "1", *options, **reached) as screen:
        assert screen.shows_prompt("Accept the later hands as played? [yes/no]")
        screen.type("yes", ENTER)
        assert screen.shows_prompt("Correct hand 1? [yes, no, or a seat to type again]")
        screen.type("yes", ENTER)
        assert screen.end() == 0
    document = client.get_document(round_id)
    assert document["hands"][0]["players"][0]["top"] == ["Qs", "3d", "4c"]
    assert [each["hand"] for each in document["irregular"]] == [2]


def test_options_correct_without_a_terminal(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, button=2)
    incomplete = ofc("hand", "correct", table, "1", "--yes", **reached)
    assert (incomplete.code, incomplete.out) == (2, "")
    assert "Without a terminal, give --reason TEXT, and --seat, --button or --fantasyland." in incomplete.err
    options = ("--seat", "1", REST, "--reason", "misread")
    declined = ofc("hand", "correct", table, "1", *options, text="no\n", **reached)
    assert (declined.code, declined.out.endswith("Nothing was changed.\n")) == (0, True)
    twice = ofc("hand", "correct", table, "1", "--seat", "1", MID, "--reason", "misread", "--yes", **reached)
    assert twice.code == 2
    assert "is already in the" in twice.err
    same = ofc("hand", "correct", table, "1", "--seat", "1", HIGH, "--reason", "misread", "--yes", **reached)
    assert same.out.endswith("Nothing was changed: the hand is recorded like this already.\n")
    none = ofc("hand", "correct", table, "2", *options, "--yes", **reached)
    assert (none.code, f"the round at {table} has no hand 2; it has 1 hand" in none.err) == (2, True)
    done = ofc("hand", "correct", table, "1", *options, "--yes", "--json", **reached)
    assert done.document["revision"] == client.get_settlement(round_id)["revision"]
    assert client.get_document(round_id)["hands"][0]["players"][0]["top"] == ["Ac", "Jh", "9h"]


def test_without_the_service_a_correction_is_refused(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    add_hand(by_proxy, table, button=2)
    proxy.way = Way.AWAY
    options = ("--seat", "1", REST, "--reason", "misread", "--yes")
    result = ofc("hand", "correct", table, "1", *options, **by_proxy)
    assert result.code == 3
    assert f"Error: {proxy.url} does not respond" in result.err
    assert client.get_settlement(round_id)["revision"] == 1
