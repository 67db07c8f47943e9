"""Tables with an open round, and hands for them as a scorekeeper types them."""

from client.api import Client
from tests.client.asking import Said, ofc
from tests.service.rounds_to_play import HIGH, KINGS, LOW, MID, QUEENS, SEVENS

Document = dict[str, object]
PLAIN = (HIGH, MID, LOW)
"""Three boards after which nobody enters Fantasyland: seat 1 wins 12, seat 3 loses them."""
WORKED = (QUEENS, SEVENS, KINGS)
"""Three boards of which the first and the last enter Fantasyland."""


def open_evening(reached: dict[str, str], table: str, *sitting: str, ruleset: str = "pineapple") -> str:
    """Set up a table, open a round at it, and give the round's id."""
    made = ofc("table", "create", table, "--ruleset", ruleset, **reached)
    assert made.code == 0, made
    opened = ofc("round", "open", table, *(sitting or ("ann=200", "ben=200", "cyd=200")), "--json", **reached)
    assert opened.code == 0, opened
    return str(opened.document["id"])


def given(*boards: str, button: int | None = None) -> list[str]:
    """Write a hand as options, so that nothing is asked."""
    seats = [part for seat, board in enumerate(boards, start=1) for part in ("--seat", str(seat), board)]
    return [*seats, "--yes", *(["--button", str(button)] if button else [])]


def add_hand(reached: dict[str, str], table: str, *boards: str, button: int | None = None, code: int = 0) -> Said:
    """Record a hand without being asked."""
    said = ofc("hand", "add", table, *given(*(boards or PLAIN), button=button), **reached)
    assert said.code == code, said
    assert (code == 3) == ("waits in the outbox" in said.err), said
    return said


def answers(*lines: str) -> str:
    """Write answers as a pipe gives them."""
    return "".join(f"{line}\n" for line in lines)


def numbers_of(client: Client, round_id: str) -> list[int]:
    """The hands of a round that count."""
    return [hand["number"] for hand in client.list_hands(round_id)]
