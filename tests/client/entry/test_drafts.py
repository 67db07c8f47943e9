"""What is typed is on disk with every key, whatever ends the command, and is offered when the hand is typed again."""

import signal
import time
from pathlib import Path

import pytest

from client.outbox.store import Outbox
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import add_hand, open_evening
from tests.support.client.terminal import ENTER, Terminal, terminal
from tests.support.sample_rounds import HIGH, LOW, MID

ANN, BEN = "Seat 1, ann: ", "Seat 2, ben: "


def typed(reached: dict[str, str], round_id: str, number: int = 1) -> dict[str, str]:
    """Read what is on disk of a hand."""
    with Outbox(Path(reached["OFC_DATA"]), reached["OFC_URL"]) as outbox:
        return outbox.find_draft(round_id, number)


def begin(screen: Terminal, text: str) -> None:
    """Type the first seat, and some of the second; wait until the last card is on the screen."""
    assert screen.shows(ANN.strip())
    screen.type(HIGH, ENTER)
    assert screen.shows_prompt(BEN.rstrip())
    screen.type(text)
    assert screen.shows_prompt(f"{BEN}{text}".rstrip())


@pytest.mark.parametrize("length", [2, 5, 7, 13, 22, 30, len(MID)])
def test_two_hang_ups_at_once_lose_no_card(reached: dict[str, str], table: str, length: int) -> None:
    round_id = open_evening(reached, table)
    with terminal("hand", "add", table, "--button", "1", **reached) as screen:
        begin(screen, MID[:length])
        screen.send_signal(signal.SIGHUP)
        time.sleep(0.002 * (length % 4))
        screen.send_signal(signal.SIGHUP)
        assert screen.end() in (130, -signal.SIGHUP)
    assert typed(reached, round_id) == {"button": "1", "1": HIGH, "2": MID[:length]}


@pytest.mark.parametrize("end", ["kill", "hang up"])
def test_a_card_is_on_disk_when_it_is_on_the_screen(reached: dict[str, str], table: str, end: str) -> None:
    round_id = open_evening(reached, table)
    with terminal("hand", "add", table, "--button", "1", **reached) as screen:
        begin(screen, "KsQd7h / 9s9d6")
        if end == "kill":
            screen.send_signal(signal.SIGKILL)
            assert screen.end() == -signal.SIGKILL
        else:
            screen.hang_up()
    assert typed(reached, round_id) == {"button": "1", "1": HIGH, "2": "KsQd7h / 9s9d6"}
    with terminal("hand", "add", table, **reached) as screen:
        for prompt in ("Button (seat or player): 1", f"{ANN}{HIGH}"):
            assert screen.shows_prompt(prompt)
            screen.type(ENTER)
        assert screen.shows_prompt(f"{BEN}KsQd7h / 9s9d6")


def test_after_an_undo_the_old_cards_are_offered(reached: dict[str, str], table: str) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, button=2)
    assert ofc("undo", table, "--yes", **reached).code == 0
    assert typed(reached, round_id) == {"button": "2", "1": HIGH, "2": MID, "3": LOW}
    with terminal("hand", "add", table, **reached) as screen:
        assert screen.shows_prompt("Button (seat or player): 2")
        screen.type(ENTER)
        assert screen.shows_prompt(f"{ANN}{HIGH}")
