"""The next hand of a round: prompt for it, preview its result, and record it."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from rich.console import Console

from client.entry.current_round import CurrentRound
from client.entry.hand import HandEntry, ask_again, make_question
from client.entry.prompt import confirm
from client.entry.question import NO, YES, Asker, BackError
from client.errors import RefusedError
from client.render.format import Names
from client.render.hands import explain_hand, explain_next
from client.render.problems import SAME_DEAL, show_problem
from client.responses import Response, find_undone_record

Document = dict[str, Any]

_UNDONE: Final = "recorded before and undone; it does not count"


def begin_hand(current: CurrentRound, top_ups: Sequence[Document]) -> HandEntry:
    """
    Begin the entry of the next hand of a round, with all players who play after top-ups.

    Raises:
        RefusedError: the top-ups are invalid.
        UnreadableError: the round accepts no more hands.
    """
    return HandEntry(current.find_next(top_ups), Names(current.round["seats"]), current.ruleset, top_ups=top_ups)


def enter_hand(
    console: Console, asker: Asker, current: CurrentRound, entry: HandEntry, *, is_agreed: bool
) -> tuple[Document, Document] | None:
    """
    Prompt for the missing parts, show the result of the hand by the rules on this machine, and ask for agreement.

    Args:
        console: the output.
        asker: the source of replies.
        current: the round.
        entry: the hand as far as it is known.
        is_agreed: whether to record the hand without asking.

    Returns:
        the hand to record and its result, or None if the scorekeeper declines.

    Raises:
        RefusedError: the hand is invalid, and there is no terminal to correct it.
        KeyboardInterrupt: the scorekeeper stopped.
    """
    while True:
        entry.ask(asker)
        hand = entry.document()
        try:
            result = current.play_hand(hand)
        except RefusedError as error:
            ask_again(console, asker, entry, error)
            continue
        explain_hand(console, hand, result, current.ruleset, entry.names)
        explain_next(console, result["round"], entry.names)
        console.print()
        try:
            reply = "yes" if is_agreed else asker.ask(make_question(entry, "Record"))
        except BackError:
            entry.ask_again(entry.places[-1])
            continue
        if reply in NO:
            return None
        if reply in YES:
            return hand, result
        entry.ask_again(entry.find_place(reply))


def record_hand(
    console: Console, asker: Asker, send: Callable[[Document], Response], hand: Document, *, is_agreed: bool
) -> Response | None:
    """
    Record a hand, and ask about one that was undone before, or that has the boards of an earlier hand.

    Args:
        console: the output.
        asker: the source of replies.
        send: sends the hand to the service.
        hand: the hand.
        is_agreed: whether to restore an undone hand without asking.

    Returns:
        the response of the service, or None if the scorekeeper declines.

    Raises:
        RefusedError: the hand is refused.
    """
    try:
        return send(hand)
    except RefusedError as error:
        record = find_undone_record(error.problem)
        if record is not None:
            console.print(f"Hand {hand['number']}: {_UNDONE}.")
            is_confirmed = is_agreed or confirm(asker, f"Restore hand {hand['number']}?")
            changes: Document = {"restores": record}
        elif error.code == SAME_DEAL and asker.can_correct and not is_agreed:
            show_problem(console, error.problem)
            is_confirmed = confirm(asker, "Were the players dealt the same cards again?")
            changes = {"dealt_again": True}
        else:
            raise
    return record_hand(console, asker, send, {**hand, **changes}, is_agreed=is_agreed) if is_confirmed else None
