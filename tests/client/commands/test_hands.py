"""`ofc hand add`, `ofc undo`, `ofc round leave` and `ofc round close` against a service that is there."""

import pytest

from client.api import Client
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import (
    PLAIN,
    WORKED,
    add_hand,
    hand_options,
    numbers_of,
    open_evening,
    reply_lines,
)
from tests.support.sample_rounds import HIGH, LOW, MID, QUEENS, REST, hand, without

# --- a hand is entered ---


@pytest.mark.smoke
def test_a_hand_is_entered_seat_by_seat_shown_and_recorded(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table, "ann=3", "ben=50", "cyd=50")
    result = ofc("hand", "add", table, text=reply_lines("cyd", *WORKED, "yes"), **reached)
    assert result.code == 0
    prompts = ["Button (seat or player):", "Seat 1, ann:", "Seat 2, ben:", "Seat 3, cyd:"]
    assert result.err.splitlines() == [*prompts, "Record hand 1? [yes, no, or a seat to type again]"]
    assert "1. ben → ann    4     3        1  ann had a stack of 3 and can win at most 3" in result.out
    assert "ann  +6 points, royalties 11, enters Fantasyland with 14 cards" in result.out
    assert "Next: hand 2, button cyd; ann, ben and cyd play; in Fantasyland ann with 14 cards" in result.out
    assert result.out.endswith(f"Recorded: hand 1 at {table}.\n")
    [hand] = client.get_document(round_id)["hands"]
    assert (hand["button"], hand["players"][0]["top"], hand["played_at"]) == (3, ["Qs", "Qd", "4c"], None)


def test_a_player_in_fantasyland_is_prompted_and_recorded_with_their_cards(
    reached: dict[str, str], client: Client, table: str
) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, *WORKED, button=3)
    result = ofc("hand", "add", table, text=reply_lines(f"{HIGH} / 8d", MID, f"{LOW} / 9h", "y"), **reached)
    assert result.code == 0, result
    assert result.err.splitlines()[0] == "Seat 1, ann (Fantasyland with 14 cards):"
    players = client.get_document(round_id)["hands"][1]["players"]
    assert [player["fantasyland"] for player in players] == [14, 0, 14]
    assert [player["discards"] for player in players] == [["8d"], None, ["9h"]]


def test_spellings_of_cards_are_accepted(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    spelt = "A♥ k♦ 9C/JS JD 8C 5H 2C/AS,AD,10C,10H,4S"
    add_hand(reached, table, spelt, MID, LOW, button=1)
    assert client.get_document(round_id)["hands"][0]["players"][0]["bottom"] == ["As", "Ad", "Tc", "Th", "4s"]


def test_nothing_is_recorded_before_confirmation(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    result = ofc("hand", "add", table, text=reply_lines("1", *PLAIN, "no"), **reached)
    assert result.code == 0
    assert result.out.endswith("Nothing was recorded.\n")
    assert numbers_of(client, round_id) == []


def test_a_seat_can_be_typed_again_before_confirmation(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    result = ofc("hand", "add", table, text=reply_lines("1", *PLAIN, "ann", REST, "yes"), **reached)
    assert result.code == 0
    assert result.err.count("Seat 1, ann:") == 2
    assert result.err.count("Seat 2, ben:") == 1
    assert client.get_document(round_id)["hands"][0]["players"][0]["top"] == ["Ac", "Jh", "9h"]


def test_json_output_is_the_response_of_the_service(reached: dict[str, str], client: Client, table: str) -> None:
    open_evening(reached, table)
    result = ofc("hand", "add", table, *hand_options(*PLAIN, button=1), "--json", **reached)
    assert result.document == client.get_hand(result.document["id"])
    assert "Hand 1 · button ann" in result.err


@pytest.mark.parametrize("columns", [24, 40, 48, 60, 80])
def test_every_pair_is_shown_in_full_on_a_narrow_terminal(reached: dict[str, str], table: str, columns: int) -> None:
    open_evening(reached, table, "alexandra=200", "ben=200", "cyd=200")
    output = add_hand({**reached, "COLUMNS": str(columns)}, table, *WORKED, button=3).out
    pairs = output.split("player)\n")[1].split("Payments")[0]
    names = ["alexandra", "ben", "cyd"]
    shown = [word for word in pairs.split() if word in names or not word.isalpha()]
    assert sorted(shown) == sorted(
        [
            *["alexandra", ":", "ben", "▲", "▼", "▼", "−1", "0", "0", "+5", "+4"],
            *["alexandra", ":", "cyd", "▼", "▼", "▲", "−1", "0", "0", "+3", "+2"],
            *["ben", ":", "cyd", "▼", "▲", "▲", "+1", "0", "0", "−2", "−1"],
        ]
    )


def test_points_are_added_before_a_hand(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table, ruleset="pineapple-qq")
    result = ofc(
        "hand", "add", table, *hand_options(*PLAIN, button=1), "--top-up", "cyd=40", "--top-up", "1=5", **reached
    )
    assert "cyd adds 40 points." in result.out
    assert [seat["top_ups"] for seat in client.get_round(round_id)["seats"]] == [5, 0, 40]


def test_a_busted_player_continues_with_added_points(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table, "ann=200", "ben=1", "cyd=200", ruleset="pineapple-qq")
    result = add_hand(reached, table, HIGH, LOW, MID, button=1)
    assert "Next: hand 2, button cyd; ann and cyd play" in result.out.splitlines()
    result = ofc("hand", "add", table, "--top-up", "ben=40", text=reply_lines(*PLAIN, "yes"), **reached)
    assert result.code == 0, result
    assert result.err.splitlines()[:3] == ["Seat 1, ann:", "Seat 2, ben:", "Seat 3, cyd:"]
    hand = client.get_document(round_id)["hands"][1]
    assert (hand["button"], hand["top_ups"]) == (2, [{"seat": 2, "points": 40}])


@pytest.mark.parametrize(
    "command", [["hand", "add", "TABLE", "--top-up", "ann=40"], ["round", "leave", "TABLE", "ann"]]
)
def test_what_the_ruleset_forbids_is_refused_before_the_first_card_with_advice(
    reached: dict[str, str], client: Client, table: str, command: list[str]
) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, button=1)
    result = ofc(*(part.replace("TABLE", table) for part in command), **reached)
    assert (result.code, result.out) == (1, "")
    assert "pineapple@1 lets p" in result.err
    assert "between rounds only" in result.err
    way_out = f"`ofc round close {table} --reason TEXT`, then `ofc round open {table} PLAYER[=STACK]...`.\n"
    assert result.err.endswith(way_out), "no prompt was shown"
    assert client.get_round(round_id)["version"] == 2


def test_points_that_cannot_be_added_in_fantasyland_are_refused_before_the_first_card(
    reached: dict[str, str], table: str
) -> None:
    open_evening(reached, table, ruleset="pineapple-qq")
    add_hand(reached, table, *WORKED, button=3)
    result = ofc("hand", "add", table, "--top-up", "ann=40", **reached)
    assert (result.code, result.out) == (1, "")
    assert result.err.endswith("points can be added once the sequence has ended\n")


def test_points_are_added_only_by_players_of_the_round(reached: dict[str, str], table: str) -> None:
    open_evening(reached, table, ruleset="pineapple-qq")
    result = ofc("hand", "add", table, "--top-up", "dan=40", **reached)
    assert (result.code, result.out) == (2, "")
    assert result.err == f"Error: no player 'dan' sits at {table}; expected one of 1 (ann), 2 (ben), 3 (cyd)\n"


def test_the_time_of_a_hand_can_be_set(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    ofc("hand", "add", table, *hand_options(*PLAIN, button=1), "--played-at", "2026-11-20T21:00:00Z", **reached)
    assert client.get_document(round_id)["hands"][0]["played_at"] == "2026-11-20T21:00:00Z"


# --- mistakes are reported ---


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (
            ["4"],
            "Button (seat or player): no player in seat '4' plays this hand; expected one of 1 (ann), 2 (ben), 3 (cyd)",
        ),
        (
            ["1", "Xx / 2c / 3c"],
            "Seat 1, ann: 'Xx' is not a valid card; expected a rank of 23456789TJQKA and a suit of cdhs",
        ),
        (["1", HIGH, QUEENS], "Seat 2, ben: Kd is already in the top of ann"),
        (["1", f"{HIGH} / 2h"], "Seat 1, ann: 1 card among the discards; expected 4, or none if they are unknown"),
        (["1", "AhKd / JsJd8c5h2c / AsAdTcTh4s"], "Seat 1, ann: the top has 2 cards; expected 3"),
        (["1", HIGH], "the input ended at the question 'Seat 2, ben'; expected one more line"),
        (
            ["1", *PLAIN],
            "the input ended at the question 'Record hand 1? [yes, no, or a seat to type again]';"
            " expected one more line",
        ),
        (["1", *PLAIN, "perhaps"], "expected yes, no, or a seat that plays"),
    ],
)
def test_the_first_invalid_line_of_a_pipe_ends_the_command(
    reached: dict[str, str], client: Client, table: str, lines: list[str], sentence: str
) -> None:
    round_id = open_evening(reached, table)
    result = ofc("hand", "add", table, text=reply_lines(*lines), **reached)
    assert result.code == 2
    assert sentence.removeprefix("Button (seat or player): ") in result.err
    assert numbers_of(client, round_id) == []


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (
            ["--seat", "dan", HIGH],
            2,
            "no player in seat 'dan' plays this hand; expected one of 1 (ann), 2 (ben), 3 (cyd)",
        ),
        (["--seat", "2", "As / 2c / 3c"], 2, "Seat 2, ben: the top has 1 card; expected 3"),
        (["--button", "9"], 2, "no player in seat '9' plays this hand"),
        (["--top-up", "ann"], 2, "--top-up 'ann' does not name a seat and points; expected, for example, 1=40"),
        ([*hand_options(*PLAIN, button=1), "--top-up", "1=40"], 1, "(hand-invalid)"),
        ([*hand_options(*PLAIN, button=1), "--played-at", "noon"], 1, "#/played_at"),
    ],
)
def test_an_invalid_option_is_an_error(
    reached: dict[str, str], client: Client, table: str, options: list[str], code: int, sentence: str
) -> None:
    round_id = open_evening(reached, table)
    result = ofc("hand", "add", table, *options, **reached)
    assert result.code == code
    assert sentence in result.err
    assert numbers_of(client, round_id) == []


def test_a_table_without_an_open_round_is_an_error(reached: dict[str, str], client: Client, table: str) -> None:
    assert "there is no table" in ofc("hand", "add", table, **reached).err
    assert ofc("table", "create", table, "--ruleset", "pineapple", **reached).code == 0
    assert f"no round was opened at {table} yet; `ofc round open" in ofc("hand", "add", table, **reached).err
    round_id = ofc("round", "open", table, "ann=9", "ben=9", "--json", **reached).document["id"]
    client.close_round(round_id, {"reason": "late"})
    result = ofc("hand", "add", table, **reached)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"Error: no round is open at {table}: the last is closed; `ofc round open {table} ")


@pytest.mark.parametrize("options", [["--button", "2"], ["--seat", "2", HIGH], ["--top-up", "2=40"]])
def test_an_ambiguous_seat_number_is_refused(
    reached: dict[str, str], client: Client, table: str, options: list[str]
) -> None:
    round_id = open_evening(reached, table, "1:2=200", "2:ben=200", "3:3=200", ruleset="pineapple-qq")
    result = ofc("hand", "add", table, *options, **reached)
    assert (result.code, result.out) == (2, "")
    assert result.err.endswith("'2' matches seat 1 (2) or seat 2 (ben); expected 1:2 or 2:ben\n")
    assert numbers_of(client, round_id) == []


def test_a_player_is_identified_by_seat_id_or_both(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table, "1:2=200", "2:ben=200", "3:3=200")
    boards = ["--seat", "1:2", HIGH, "--seat", "ben", MID, "--seat", "3", LOW]
    result = ofc("hand", "add", table, "--button", "3", *boards, "--yes", **reached)
    assert result.code == 0, result
    assert client.get_document(round_id)["hands"][0]["button"] == 3


def test_a_second_board_for_a_seat_is_refused(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    result = ofc("hand", "add", table, *hand_options(*PLAIN, button=1), "--seat", "ann", REST, **reached)
    assert (result.code, result.out) == (2, "")
    assert result.err == "Error: Seat 1, ann: two boards are given; expected one\n"
    assert numbers_of(client, round_id) == []


# --- a hand is undone ---


def test_the_last_hand_is_shown_and_undone(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, button=1)
    cancelled = ofc("undo", table, text=reply_lines("no"), **reached)
    assert (cancelled.code, cancelled.err) == (0, "Undo hand 1? [yes/no]\n")
    assert cancelled.out.endswith("Nothing was undone.\n")
    assert numbers_of(client, round_id) == [1]
    result = ofc("undo", table, "--reason", "cards exchanged", text=reply_lines("yes"), **reached)
    assert result.code == 0
    assert "  ann  +12 points\n" in result.out
    shown = "Next: hand 1, button with any seat; ann, ben and cyd play"
    assert result.out.endswith(f"Undone: hand 1 at {table}.\n{shown}\n")
    assert numbers_of(client, round_id) == []


def test_an_undo_without_a_hand_is_refused(reached: dict[str, str], table: str) -> None:
    open_evening(reached, table)
    result = ofc("undo", table, "--yes", **reached)
    assert (result.code, result.out) == (2, "")
    assert result.err == f"Error: the round at {table} has no recorded hand; there is nothing to undo\n"


def test_the_last_hand_of_a_complete_round_can_be_undone(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    for number in (1, 2, 3):
        add_hand(reached, table, button=number)
    result = ofc("undo", table, "--yes", "--json", **reached)
    assert result.document == without(client.get_round(round_id), "metadata")
    assert (result.document["status"], result.document["hands"]) == ("open", 2)


def test_a_refused_undo_is_reported(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, button=1)
    client.close_round(round_id, {"reason": "late"})
    result = ofc("undo", table, "--yes", **reached)
    assert result.code == 1
    assert "(undo-refused)" in result.err
    assert numbers_of(client, round_id) == [1]


def test_an_undone_hand_is_restored_after_confirmation(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, button=1)
    ofc("undo", table, "--yes", **reached)
    cancelled = ofc("hand", "add", table, text=reply_lines("1", *PLAIN, "yes", "no"), **reached)
    assert "Hand 1: recorded before and undone; it does not count.\n" in cancelled.out
    assert cancelled.err.endswith("Restore hand 1? [yes/no]\n")
    assert numbers_of(client, round_id) == []
    result = ofc("hand", "add", table, text=reply_lines("1", *PLAIN, "yes", "yes"), **reached)
    assert result.out.endswith(f"Recorded: hand 1 at {table}.\n")
    assert numbers_of(client, round_id) == [1]


def test_an_undone_hand_is_restored_with_the_yes_option(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, button=1)
    ofc("undo", table, "--yes", **reached)
    result = add_hand(reached, table, button=1)
    assert result.out.count("Boards") == 1
    assert numbers_of(client, round_id) == [1]


# --- players leave, rounds end ---


def test_a_player_leaves_between_two_hands(reached: dict[str, str], table: str) -> None:
    open_evening(reached, table, ruleset="pineapple-qq")
    add_hand(reached, table, button=1)
    result = ofc("round", "leave", table, "cyd", "--reason", "last train", **reached)
    assert result.code == 0
    assert result.text.endswith("Next: hand 2, button ben; ann and ben play")
    wrong = ofc("round", "leave", table, "dan", **reached)
    assert wrong.err == f"Error: no player 'dan' sits at {table}; expected one of 1 (ann), 2 (ben), 3 (cyd)\n"


def test_an_ambiguous_player_number_removes_nobody(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table, "1:2=200", "2:1=200", "3:3=200", ruleset="pineapple-qq")
    client.record_hand(round_id, hand(1, 1, {1: HIGH, 2: MID, 3: LOW}))
    result = ofc("round", "leave", table, "1", **reached)
    assert (result.code, result.out) == (2, "")
    assert result.err == "Error: '1' matches seat 1 (2) or seat 2 (1); expected 1:2 or 2:1\n"
    assert [seat["playing"] for seat in client.get_round(round_id)["seats"]] == [True, True, True]
    assert ofc("round", "leave", table, "2:1", **reached).code == 0
    assert [seat["playing"] for seat in client.get_round(round_id)["seats"]] == [True, False, True]


def test_a_round_is_closed_after_confirmation(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, button=1)
    cancelled = ofc("round", "close", table, "--reason", "late", text=reply_lines("n"), **reached)
    assert (cancelled.out, cancelled.err) == (
        "Nothing was changed.\n",
        f"Close the round at {table} after hand 1? [yes/no]\n",
    )
    result = ofc("round", "close", table, "--reason", "late", "--yes", "--json", **reached)
    assert result.document == without(client.get_round(round_id), "metadata")
    assert result.document["status"] == "closed"
