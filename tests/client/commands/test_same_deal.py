"""Two scorekeepers record one hand, two hands with one number, or change a round at once."""

import subprocess

from client.api import Client
from tests.support.client.proxy import Proxy
from tests.support.client.run_ofc import COMMAND, clean_environment, ofc
from tests.support.client.table_setup import PLAIN, add_hand, hand_options, numbers_of, open_evening, undo_first
from tests.support.client.terminal import ENTER, terminal
from tests.support.sample_rounds import HIGH, LOW, MID, hand

BOARDS = [part for seat, board in enumerate(PLAIN, start=1) for part in ("--seat", str(seat), board)]


def test_a_duplicate_deal_is_refused_and_recorded_on_request(
    reached: dict[str, str], client: Client, table: str
) -> None:
    round_id = open_evening(reached, table)
    assert ofc("hand", "add", table, *BOARDS, "--button", "1", "--yes", **reached).code == 0
    again = ofc("hand", "add", table, *BOARDS, "--yes", **reached)
    assert again.code == 1
    assert "(same-deal)" in again.err
    assert "hand 1 of this round has the same boards" in again.err
    assert "repeat the command with `--dealt-again`" in again.err
    assert numbers_of(client, round_id) == [1]
    assert ofc("hand", "add", table, *BOARDS, "--dealt-again", "--yes", **reached).code == 0
    assert numbers_of(client, round_id) == [1, 2]


def test_a_duplicate_deal_is_recorded_after_confirmation(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    assert ofc("hand", "add", table, *BOARDS, "--button", "1", "--yes", **reached).code == 0
    for reply, recorded in (("no", [1]), ("yes", [1, 2])):
        with terminal("hand", "add", table, *BOARDS, **reached) as screen:
            assert screen.shows_prompt("Record hand 2? [yes, no, or a seat to type again]")
            screen.type("yes", ENTER)
            assert screen.shows_prompt("Were the players dealt the same cards again? [yes/no]")
            screen.type(reply, ENTER)
            assert screen.end() == 0
        assert numbers_of(client, round_id) == recorded


def test_a_hand_that_another_device_recorded_meanwhile_is_shown_beside_the_typed_one(
    reached: dict[str, str], client: Client, table: str
) -> None:
    round_id = open_evening(reached, table)
    with terminal("hand", "add", table, *BOARDS, "--button", "1", columns=160, **reached) as screen:
        assert screen.shows_prompt("Record hand 1? [yes, no, or a seat to type again]")
        client.record_hand(round_id, hand(1, 1, {1: "AhKd9h / JsJd8c5h2c / AsAdTcTh4s", 2: MID, 3: LOW}))
        screen.type("yes", ENTER)
        assert screen.end() == 1
        lines = screen.lines
    assert any("(hand-conflict)" in line for line in lines)
    assert f"  Hand 1 was recorded from elsewhere meanwhile; `ofc hand correct {table} 1` corrects it." in lines
    [differs] = [line for line in lines if line.endswith("differs")]
    assert differs.split() == ["1", "top", "A♥", "K♦", "9♥", "A♥", "K♦", "9♣", "differs"]
    both = lines[lines.index("Both boards") :]
    assert len([line for line in both if " middle " in line or " bottom " in line]) == 6


def test_the_same_hand_with_cards_in_another_order_is_a_replay(
    reached: dict[str, str], client: Client, table: str
) -> None:
    round_id = open_evening(reached, table)
    with terminal("hand", "add", table, *BOARDS, "--button", "1", **reached) as screen:
        assert screen.shows_prompt("Record hand 1? [yes, no, or a seat to type again]")
        client.record_hand(round_id, hand(1, 1, {1: "9cKdAh / JsJd8c5h2c / AsAdTcTh4s", 2: MID, 3: LOW}))
        screen.type("yes", ENTER)
        assert screen.end() == 0
        assert f"Recorded: hand 1 at {table}." in screen.lines
    assert numbers_of(client, round_id) == [1]


def test_two_hands_with_one_number_at_once_are_one_hand_and_a_conflict(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.delay = 0.5
    commands = [
        [*COMMAND, "hand", "add", table, *hand_options(*boards, button=1)] for boards in (PLAIN, tuple(reversed(PLAIN)))
    ]
    both = [
        subprocess.Popen(
            command, env=clean_environment(**by_proxy), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        for command in commands
    ]
    assert sorted(process.wait(60) for process in both) == [0, 1]
    assert numbers_of(client, round_id) == [1]


def test_a_round_is_not_closed_if_another_device_recorded_a_hand_meanwhile(
    reached: dict[str, str], client: Client, table: str
) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, button=1)
    with terminal("round", "close", table, "--reason", "late", **reached) as screen:
        assert screen.shows_prompt(f"Close the round at {table} after hand 1? [yes/no]")
        client.record_hand(round_id, hand(2, 2, {1: LOW, 2: MID, 3: HIGH}))
        screen.type("yes", ENTER)
        assert screen.end() == 1
        assert screen.shows("1 is expected; the result is 2")
    assert client.get_round(round_id)["status"] == "open"


def test_an_undo_removes_no_hand_that_another_device_recorded_meanwhile(
    reached: dict[str, str], client: Client, table: str
) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, button=1)
    with terminal("undo", table, **reached) as screen:
        assert screen.shows_prompt("Undo hand 1? [yes/no]")
        undo_first(client, round_id)
        others = client.record_hand(round_id, hand(1, 3, {1: MID, 2: HIGH, 3: LOW}))
        screen.type("yes", ENTER)
        screen.end()
    assert [recorded["id"] for recorded in client.list_hands(round_id)] == [others["id"]]
