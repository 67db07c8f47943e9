"""Tables with an open round, and hands as a scorekeeper types them."""

from client.api import Client
from tests.support.client.run_ofc import CommandResult, ofc
from tests.support.sample_rounds import HIGH, KINGS, LOW, MID, QUEENS, SEVENS

Document = dict[str, object]
PLAIN = (HIGH, MID, LOW)
"""Three boards after which nobody enters Fantasyland: seat 1 wins 12, seat 3 loses them."""
WORKED = (QUEENS, SEVENS, KINGS)
"""Three boards of which the first and the last enter Fantasyland."""


def open_evening(reached: dict[str, str], table: str, *sitting: str, ruleset: str = "pineapple") -> str:
    """Create a table, open a round at it, and return the id of the round."""
    result = ofc("table", "create", table, "--ruleset", ruleset, **reached)
    assert result.code == 0, result
    opened = ofc("round", "open", table, *(sitting or ("ann=200", "ben=200", "cyd=200")), "--json", **reached)
    assert opened.code == 0, opened
    return str(opened.document["id"])


def hand_options(*boards: str, button: int | None = None) -> list[str]:
    """Return a hand as options, without prompts. The hands of most tests have the same deal."""
    seats = [part for seat, board in enumerate(boards, start=1) for part in ("--seat", str(seat), board)]
    return [*seats, "--yes", "--dealt-again", *(["--button", str(button)] if button else [])]


def add_hand(reached: dict[str, str], table: str, *boards: str, button: int | None = None) -> CommandResult:
    """Record a hand without prompts."""
    result = ofc("hand", "add", table, *hand_options(*(boards or PLAIN), button=button), **reached)
    assert result.code == 0, result
    return result


def reply_lines(*lines: str) -> str:
    """Return replies as lines of a pipe."""
    return "".join(f"{line}\n" for line in lines)


def numbers_of(client: Client, round_id: str) -> list[int]:
    """Return the numbers of the hands of a round that count."""
    return [hand["number"] for hand in client.list_hands(round_id)]


def undo_first(client: Client, round_id: str) -> None:
    """Undo the only hand of a round, as another scorekeeper does."""
    [only] = client.list_hands(round_id)
    client.undo_hand(round_id, {"number": 1, "hand": only["id"]})
