"""A hand typed at a terminal: completed and checked with every key, and never lost."""

import json
import signal
from pathlib import Path

import pytest

from client.api import Client
from tests.support.client.proxy import Proxy
from tests.support.client.table_setup import PLAIN, WORKED, add_hand, hand_options, numbers_of, open_evening
from tests.support.client.terminal import CTRL_C, CTRL_U, ENTER, TAB, UP, Terminal, terminal
from tests.support.sample_rounds import HIGH, LOW, MID, QUEENS, REST, without

ANN, BEN, CYD = "Seat 1, ann: ", "Seat 2, ben: ", "Seat 3, cyd: "


def type_all(screen: Terminal, *boards: str) -> None:
    """Type boards, each when it is asked for."""
    for prompt, board in zip((ANN, BEN, CYD), boards, strict=False):
        assert screen.shows(prompt.strip())
        screen.type(board, ENTER)


def test_a_hand_is_typed_shown_and_recorded(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    with terminal("hand", "add", table, **reached) as screen:
        assert screen.shows("Button (seat or player):")
        screen.type("cyd", ENTER)
        type_all(screen, *WORKED)
        assert screen.shows("Record hand 1? [yes, no, or a seat to type again]")
        assert screen.shows("ann  +6 points, royalties 11, enters Fantasyland with 14 cards")
        assert numbers_of(client, round_id) == []
        screen.type("yes", ENTER)
        assert screen.shows(f"Recorded: hand 1 at {table}.")
        assert screen.end() == 0
    assert numbers_of(client, round_id) == [1]


def test_cards_are_completed_and_validated_with_every_key(reached: dict[str, str], table: str) -> None:
    open_evening(reached, table)
    with terminal("hand", "add", table, "--button", "1", **reached) as screen:
        type_all(screen, HIGH)
        assert screen.shows(BEN.strip())
        assert screen.shows("top: 0 of 3")
        assert screen.shows("deck: ♣ AKQJ76543  ♦ QT98765432  ♥ KQJ9876432  ♠ KQT9876532")
        screen.type("Ks")
        assert screen.shows("top: 1 of 3")
        assert screen.shows("♠ QT9876532")
        screen.type("A")
        assert screen.shows("top: 1 of 3")
        screen.type(TAB)
        assert screen.shows(f"{BEN}KsAc")
        assert screen.shows("✗ Ac is already in the top of ben", 0.1) is False
        screen.type("Kd")
        assert screen.shows("✗ Kd is already in the top of ann")
        screen.type(ENTER)
        assert screen.shows("Kd is already in the top of ann")
        assert screen.shows_prompt(f"{BEN}KsAcKd")


def test_the_hints_fit_a_narrow_terminal(reached: dict[str, str], table: str) -> None:
    open_evening(reached, table)
    with terminal("hand", "add", table, "--button", "1", columns=45, **reached) as screen:
        type_all(screen, HIGH)
        assert screen.shows_prompt(BEN.rstrip())
        assert screen.shows("Ctrl-C: stop; nothing is stored")
        for line in (
            "top: 0 of 3",
            "deck: ♣ AKQJ76543  ♦ QT98765432  ♥ KQJ9876432",
            "♠ KQT9876532",
            "Tab: cards   ↑: back",
        ):
            assert screen.shows(line), screen.lines


def test_tab_offers_a_slash_after_a_full_row_and_every_card(reached: dict[str, str], table: str) -> None:
    open_evening(reached, table)
    with terminal("hand", "add", table, "--button", "1", **reached) as screen:
        assert screen.shows(ANN.strip())
        screen.type("QsQd4c")
        assert screen.shows("top: 3 of 3")
        screen.type(TAB)
        assert screen.shows("middle: 0 of 5")
        assert screen.shows(f"{ANN}QsQd4c /")
        screen.type(CTRL_U)
        assert screen.shows("top: 0 of 3")
        screen.type(TAB)
        assert screen.shows("  2d")
        screen.type(TAB)
        assert screen.shows("top: 1 of 3")
        assert screen.shows_prompt(f"{ANN}2c")


def test_an_incomplete_board_is_refused(reached: dict[str, str], table: str) -> None:
    open_evening(reached, table)
    with terminal("hand", "add", table, "--button", "1", **reached) as screen:
        assert screen.shows(ANN.strip())
        screen.type("QsQd4c / KsKd9h8h3c / AhJh7h6h", ENTER)
        assert screen.shows("the bottom has 4 cards; expected 5")
        screen.type("2h")
        assert screen.shows("complete")
        screen.type(ENTER)
        assert screen.shows(BEN.strip())


def test_the_up_arrow_goes_back_to_the_previous_question(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    with terminal("hand", "add", table, "--button", "1", **reached) as screen:
        type_all(screen, LOW)
        assert screen.shows(BEN.strip())
        screen.type(MID, UP)
        assert screen.shows_prompt(f"{ANN}{LOW}")
        screen.type(CTRL_U, HIGH, ENTER)
        assert screen.shows_prompt(f"{BEN}{MID}")
        screen.type(ENTER)
        assert screen.shows(CYD.strip())
        screen.type(LOW, ENTER)
        assert screen.shows("Record hand 1?")
        screen.type("yes", ENTER)
        assert screen.end() == 0
    assert client.get_round(round_id)["seats"][0]["stack"] == 212


@pytest.mark.parametrize(("begun", "offered"), [("Ac8d2s", "  /"), ("Ac8d2", "  s")])
def test_the_up_arrow_goes_back_and_inserts_nothing_while_offers_are_shown(
    reached: dict[str, str], table: str, begun: str, offered: str
) -> None:
    open_evening(reached, table)
    with terminal("hand", "add", table, "--button", "1", **reached) as screen:
        type_all(screen, QUEENS)
        assert screen.shows_prompt(BEN.rstrip())
        screen.type(begun)
        assert screen.shows(offered)
        screen.type(UP)
        assert screen.shows_prompt(f"{ANN}{QUEENS}")
        screen.type(ENTER)
        assert screen.shows_prompt(f"{BEN}{begun}")


def test_the_up_arrow_selects_among_offers_once_one_is_selected(reached: dict[str, str], table: str) -> None:
    open_evening(reached, table)
    with terminal("hand", "add", table, "--button", "1", **reached) as screen:
        assert screen.shows(ANN.strip())
        screen.type("A")
        assert screen.shows("top: 0 of 3")
        screen.type(TAB)
        assert screen.shows_prompt(f"{ANN}Ac")
        screen.type(TAB)
        assert screen.shows_prompt(f"{ANN}Ad")
        screen.type(UP)
        assert screen.shows_prompt(f"{ANN}Ac")


def test_the_up_arrow_goes_back_from_the_confirmation_to_the_last_seat(
    reached: dict[str, str], client: Client, table: str
) -> None:
    round_id = open_evening(reached, table)
    with terminal("hand", "add", table, "--button", "1", **reached) as screen:
        type_all(screen, HIGH, MID, REST)
        assert screen.shows("Record hand 1?")
        screen.type(UP)
        assert screen.shows_prompt(f"{CYD}{REST}")
        screen.type(CTRL_U, LOW, ENTER)
        assert screen.shows_prompt("Record hand 1? [yes, no, or a seat to type again]")
        screen.type("yes", ENTER)
        assert screen.end() == 0
    assert client.get_round(round_id)["seats"][2]["stack"] == 188


def test_the_up_arrow_repeats_the_first_question(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, button=1)
    with terminal("undo", table, **reached) as screen:
        assert screen.shows("Undo hand 1? [yes/no]")
        screen.type("n", UP, "o", ENTER)
        assert screen.shows("Nothing was undone.")
        assert screen.end() == 0
    assert numbers_of(client, round_id) == [1]


def test_a_hand_refused_by_the_service_is_typed_again(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    # What only a service of other rules than this machine's can find.
    mistake = {"pointer": "#/players/1/middle/0", "code": "card-marked", "detail": "this card was not in the deck"}
    problem = {"title": "Invalid hand", "code": "hand-invalid", "detail": "1", "errors": [mistake]}
    proxy.done.append((422, json.dumps(problem).encode()))
    with terminal("hand", "add", table, "--button", "1", **by_proxy) as screen:
        type_all(screen, *PLAIN)
        assert screen.shows("Record hand 1?")
        screen.type("yes", ENTER)
        assert screen.shows("#/players/1/middle/0  this card was not in the deck")
        assert screen.shows_prompt(f"{BEN}{MID}")
        screen.type(ENTER)
        assert screen.shows_prompt("Record hand 1? [yes, no, or a seat to type again]")
        screen.type("yes", ENTER)
        assert screen.end() == 0
    assert numbers_of(client, round_id) == [1]


def test_a_hand_of_a_round_that_changed_meanwhile_is_refused(
    reached: dict[str, str], client: Client, table: str
) -> None:
    round_id = open_evening(reached, table, ruleset="pineapple-qq")
    add_hand(reached, table, button=1)
    with terminal("hand", "add", table, "--dealt-again", **reached) as screen:
        # The round is read before the first prompt.
        type_all(screen, *PLAIN[:2])
        assert screen.shows(CYD.strip())
        client.record_departure(round_id, {"seat": 2})
        screen.type(LOW, ENTER)
        assert screen.shows("Record hand 2?")
        screen.type("yes", ENTER)
        assert screen.end() == 1
        assert screen.shows("(hand-invalid)")
    assert numbers_of(client, round_id) == [1]


def test_prompts_are_not_written_to_an_output_file(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    round_id = open_evening(reached, table)
    out = tmp_path / "out.json"
    with terminal("hand", "add", table, "--button", "1", "--json", out=out, **reached) as screen:
        type_all(screen, *PLAIN)
        assert screen.shows_prompt("Record hand 1? [yes, no, or a seat to type again]")
        screen.type("yes", ENTER)
        assert screen.end() == 0
    assert json.loads(out.read_text())["number"] == 1
    with terminal("undo", table, "--json", out=out, **reached) as screen:
        assert screen.shows_prompt("Undo hand 1? [yes/no]")
        screen.type("yes", ENTER)
        assert screen.end() == 0
    assert json.loads(out.read_text()) == without(client.get_round(round_id), "metadata")


@pytest.mark.parametrize("stop", ["Ctrl-C", "hang up", signal.SIGHUP, signal.SIGTERM], ids=str)
def test_entry_is_stopped_and_nothing_is_recorded(
    reached: dict[str, str], client: Client, table: str, stop: str | signal.Signals
) -> None:
    round_id = open_evening(reached, table)
    with terminal("hand", "add", table, "--button", "1", **reached) as screen:
        type_all(screen, HIGH)
        assert screen.shows_prompt(BEN.rstrip())
        screen.type("KsQd7h / 9s9d6")
        assert screen.shows("middle: 2 of 5")
        assert screen.shows("Ctrl-C: stop; nothing is stored")
        if stop == "hang up":
            screen.hang_up()
        else:
            screen.type(CTRL_C) if isinstance(stop, str) else screen.send_signal(stop)
            assert screen.end() == 130
            assert screen.shows("Stopped; nothing was recorded.")
    assert numbers_of(client, round_id) == []


def test_the_declined_hand_is_not_recorded(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table, ruleset="pineapple-qq")
    given_options = ["--top-up", "ann=40", "--played-at", "2026-11-20T21:00:00Z"]
    boards = [part for part in hand_options(*PLAIN, button=1) if part != "--yes"]
    with terminal("hand", "add", table, *given_options, *boards, **reached) as screen:
        assert screen.shows("ann adds 40 points.")
        assert screen.shows_prompt("Record hand 1? [yes, no, or a seat to type again]")
        screen.type("no", ENTER)
        assert screen.shows("Nothing was recorded.")
        assert screen.end() == 0
    assert numbers_of(client, round_id) == []
    with terminal("hand", "add", table, *given_options, *boards, **reached) as screen:
        assert screen.shows_prompt("Record hand 1? [yes, no, or a seat to type again]")
        screen.type("yes", ENTER)
        assert screen.end() == 0
    [hand] = client.get_document(round_id)["hands"]
    assert (hand["top_ups"], hand["played_at"]) == ([{"seat": 1, "points": 40}], "2026-11-20T21:00:00Z")
