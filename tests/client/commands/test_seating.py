"""After a round is over, `ofc hand add` at a terminal offers to open the next one."""

from typing import Any

from client.api import Client
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import add_hand, hand_options, numbers_of, open_evening, reply_lines
from tests.support.client.terminal import CTRL_C, ENTER, UP, Terminal, terminal
from tests.support.sample_rounds import HIGH, LOW, MID

OFFER = "Open the next round? [yes, no, or change who plays]"
LEAVES, JOINS = "Who leaves? [players, or Enter for none]", "Who joins? [such as dan=200, or Enter for none]"


def play_round(reached: dict[str, str], table: str, *sitting: str) -> str:
    """Play a whole round in which seat 1 wins 36 points from seat 3."""
    round_id = open_evening(reached, table, *sitting)
    for button in (1, None, None):
        add_hand(reached, table, button=button)
    return round_id


def find_newest(client: Client, table: str) -> dict[str, Any]:
    record = client.find_table(table)
    assert record is not None
    return next(client.list_rounds(table=record["id"]))


def list_opening_stacks(client: Client, table: str) -> list[tuple[int, str, int]]:
    seats = find_newest(client, table)["seats"]
    return [(seat["seat"], seat["player"], seat["opening_stack"]) for seat in seats]


def enter_replies(screen: Terminal, *prompts_and_replies: tuple[str, str]) -> None:
    for prompt, typed in prompts_and_replies:
        assert screen.shows_prompt(prompt), screen.lines
        screen.type(typed, ENTER)


def test_the_next_round_is_opened_and_its_first_hand_recorded(
    reached: dict[str, str], client: Client, table: str
) -> None:
    first = play_round(reached, table)
    with terminal("hand", "add", table, **reached) as screen:
        assert screen.shows(f"No round is open at {table}: the last is complete.")
        assert screen.shows("Next round: 1 ann 236 · 2 ben 200 · 3 cyd 164")
        enter_replies(screen, (OFFER, "yes"), ("Button (seat or player):", "2"), ("Seat 1, ann:", LOW))
        enter_replies(screen, ("Seat 2, ben:", MID), ("Seat 3, cyd:", HIGH))
        enter_replies(screen, ("Record hand 1? [yes, no, or a seat to type again]", "yes"))
        assert screen.shows(f"Recorded: hand 1 at {table}.")
        assert screen.end() == 0
    newest = find_newest(client, table)
    assert newest["id"] != first
    assert list_opening_stacks(client, table) == [(1, "ann", 236), (2, "ben", 200), (3, "cyd", 164)]
    assert numbers_of(client, str(newest["id"])) == [1]


def test_players_join_and_leave_between_rounds(reached: dict[str, str], client: Client, table: str) -> None:
    play_round(reached, table)
    with terminal("hand", "add", table, **reached) as screen:
        enter_replies(screen, (OFFER, "change"), (LEAVES, "eve"))
        assert screen.shows("'eve' does not play; expected players or seats with commas between them")
        screen.type("\x15", "ben", ENTER)
        enter_replies(screen, (JOINS, f"3:dan {table}=200"))
        assert screen.shows("seat 3 is taken by cyd")
        screen.type("\x15", f"dan {table}=200, cyd=300", ENTER)
        assert screen.shows(f"Next round: 1 ann 236 · 2 dan {table} 200 · 3 cyd 300")
        assert screen.shows("Left out: ben (leaves)")
        enter_replies(screen, (OFFER, "yes"))
        assert screen.shows_prompt("Button (seat or player):")
        screen.type(CTRL_C)
        assert screen.end() == 130
    assert list_opening_stacks(client, table) == [(1, "ann", 236), (2, f"dan {table}", 200), (3, "cyd", 300)]


def test_a_busted_player_is_left_out_until_they_have_a_stack(
    reached: dict[str, str], client: Client, table: str
) -> None:
    play_round(reached, table, "ann=200", "ben=200", "cyd=36")
    with terminal("hand", "add", table, **reached) as screen:
        assert screen.shows("Next round: 1 ann 236 · 2 ben 200")
        assert screen.shows("Left out: cyd (no points left)")
        enter_replies(screen, (OFFER, "change"), (LEAVES, ""), (JOINS, "cyd"))
        assert screen.shows("Next round: 1 ann 236 · 2 ben 200 · 3 cyd 0")
        enter_replies(screen, (OFFER, "yes"))
        assert screen.shows("#/seats/2/stack")
        enter_replies(screen, (OFFER, "change"), (LEAVES, ""), (JOINS, "cyd=50"))
        assert screen.shows("Next round: 1 ann 236 · 2 ben 200 · 3 cyd 50")
        enter_replies(screen, (OFFER, "yes"))
        assert screen.shows_prompt("Button (seat or player):")
    assert list_opening_stacks(client, table) == [(1, "ann", 236), (2, "ben", 200), (3, "cyd", 50)]


def test_the_reply_no_opens_nothing_and_shows_how_to_open_a_round_later(
    reached: dict[str, str], client: Client, table: str
) -> None:
    first = play_round(reached, table)
    with terminal("hand", "add", table, columns=160, **reached) as screen:
        enter_replies(screen, (OFFER, "change"), (LEAVES, "ben"))
        assert screen.shows_prompt(JOINS)
        screen.type(UP)
        enter_replies(screen, (OFFER, "change"), (LEAVES, "cyd"), (JOINS, "dan=70"), (OFFER, "no"))
        command = f"ofc round open {table} 1:ann 2:ben 3:dan=70"
        assert screen.shows(f"No round was opened; `{command}` opens it later.")
        assert screen.end() == 0
    assert find_newest(client, table)["id"] == first
    assert ofc(*command.split()[1:], **reached).code == 0
    assert list_opening_stacks(client, table) == [(1, "ann", 236), (2, "ben", 200), (3, "dan", 70)]


def test_a_new_name_similar_to_a_known_one_needs_confirmation(
    reached: dict[str, str], client: Client, table: str
) -> None:
    play_round(reached, table, f"ann {table}=200", "ben=200", "cyd=200")
    with terminal("hand", "add", table, columns=160, **reached) as screen:
        enter_replies(screen, (OFFER, "change"), (LEAVES, "1, cyd"), (JOINS, f"Ann {table}=90"))
        assert screen.shows(f"There is no player 'Ann {table}' yet. Did you mean ann {table}? [yes/no]")
        screen.type("yes", ENTER)
        assert screen.shows(f"Next round: 1 ann {table} 90 · 2 ben 200")


def test_a_departed_player_is_left_out_of_the_next_round(reached: dict[str, str], table: str) -> None:
    open_evening(reached, table, ruleset="pineapple-qq")
    add_hand(reached, table, button=1)
    assert ofc("round", "leave", table, "ben", **reached).code == 0
    assert ofc("round", "close", table, "--reason", "late", "--yes", **reached).code == 0
    with terminal("hand", "add", table, **reached) as screen:
        assert screen.shows(f"No round is open at {table}: the last is closed.")
        assert screen.shows("Next round: 1 ann 212 · 3 cyd 188")
        assert screen.shows("Left out: ben (left the last round)")


def test_input_from_a_pipe_is_an_error_with_the_command(reached: dict[str, str], client: Client, table: str) -> None:
    first = play_round(reached, table)
    for result in (
        ofc("hand", "add", table, text=reply_lines("yes"), **reached),
        ofc("hand", "add", table, *hand_options(HIGH, MID, LOW, button=1), "--top-up", "nobody=5", **reached),
    ):
        assert (result.code, result.out) == (2, "")
        assert f"no round is open at {table}: the last is complete; `ofc round open {table} PLAYER" in result.err
    assert find_newest(client, table)["id"] == first
