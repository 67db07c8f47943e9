"""Shows what a hand comes to, and records nothing before the scorekeeper agrees."""

from typing import Any, Final

from rich.console import Console
from rich.text import Text

from client.api import Client
from client.entry.asking import NO, YES, BackError, Question, make_asker
from client.entry.hand import HandEntry
from client.entry.in_play import InPlay
from client.errors import RefusedError, UnreadableError
from client.render.hand import explain_hand, explain_next
from client.render.problem import show_problem

Document = dict[str, Any]

_UNDONE: Final = "recorded before and undone; it does not count"
_RESTORED: Final = "recorded before and undone; it counts again"
_AWAY: Final = "The service does not answer. This is what the same rules say here, on the round as it was last seen:"


def agree(
    console: Console, client: Client, in_play: InPlay, entry: HandEntry, *, is_agreed: bool = False
) -> Document | None:
    """
    Ask for what is missing, show what the hand comes to, and ask whether that is right.

    What the service finds wrong is asked for again. A hand that was recorded and undone counts again where that is
    agreed to.

    Args:
        console: where to.
        client: the service.
        in_play: the round.
        entry: as much of the hand as is known.
        is_agreed: whatever it comes to is right.

    Returns:
        the hand to record, or None.

    Raises:
        RefusedError: the hand cannot be, and nobody is there to correct it.
        StoppedError: the scorekeeper stopped.
    """
    asker = make_asker()
    restores: Document = {}
    while True:
        entry.ask(asker)
        hand = {**entry.document(), **restores}
        try:
            answer = in_play.try_hand(client, hand)
        except RefusedError as error:
            places = entry.mistaken(error.problem["errors"])
            if not (asker.can_correct and places):
                raise
            show_problem(console, error.problem)
            entry.ask_again(*places)
            continue
        counts = answer.get("in_force", True)
        if counts or not is_agreed:
            _show(console, in_play, entry, hand, answer, note=_RESTORED if restores else "" if counts else _UNDONE)
        try:
            reply = "yes" if is_agreed else asker.ask(_question(entry, in_play, hand, counts=counts))
        except BackError:
            entry.ask_again(entry.places[-1])
            restores = {}
            continue
        if reply in NO:
            return None
        if reply not in YES:
            entry.ask_again(entry.find_place(reply))
            restores = {}
        elif counts:
            return hand
        else:
            restores = {"restores": answer["id"]}


def _show(console: Console, in_play: InPlay, entry: HandEntry, hand: Document, answer: Document, note: str) -> None:
    if in_play.away is not None:
        console.print(Text(f"\n{_AWAY}", style="yellow"))
    explain_hand(console, hand, answer, in_play.known.ruleset, entry.names, note)
    explain_next(console, answer["round"], entry.names)
    console.print()


def _question(entry: HandEntry, in_play: InPlay, hand: Document, *, counts: bool) -> Question:
    verb = "Keep" if in_play.away is not None else "Record"
    what = f"{verb} hand {hand['number']}" if counts else f"Let hand {hand['number']} count again"

    def check(reply: str) -> str | None:
        if reply in YES | NO:
            return None
        try:
            entry.find_place(reply)
        except UnreadableError:
            return "yes, no, or a seat that plays is right"
        return None

    return Question(f"{what}? [yes, no, or a seat to type again] ", check)
