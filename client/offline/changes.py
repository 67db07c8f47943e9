"""Changes of a round, tried on its document without a service; what is refused is refused in the service's words."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from client.errors import RefusedError
from client.offline.refusal import refusal, refusing
from client.offline.score import play_round
from schemas.base import load
from schemas.rounds import UndoRequestSchema
from scoring.errors import Mistake

Document = dict[str, Any]

_UNDO: Final = UndoRequestSchema()


def play_hand(document: Document, hand: Document, ruleset: Document) -> Document:
    """
    Say what the next hand of a round would come to; answers what `POST /v1/rounds/{id}/hands` would, but for ids.

    Raises:
        RefusedError: it cannot be, with every place in the hand itself.
    """
    hands = document["hands"]
    with _placed_in_itself(f"#/hands/{len(hands)}"):
        answer: Document = play_round({**document, "hands": [*hands, hand]}, ruleset)["hands"][-1]
    return answer


def check_change(document: Document, verb: str, request: Document, ruleset: Document) -> None:
    """
    Check that a hand can be undone, a player leave, or the round be closed.

    Raises:
        RefusedError: it cannot be, with every place in the request itself.
    """
    if verb == "undo_hand":
        _check_undo(document, request)
        return
    ending = {**request, "after_hand": len(document["hands"])}
    departures = document.get("departures") or []
    if verb == "record_departure":
        place, changed = f"#/departures/{len(departures)}", {**document, "departures": [*departures, ending]}
    else:
        place, changed = "#/closed", {**document, "closed": ending}
    with _placed_in_itself(place):
        play_round(changed, ruleset)


def _check_undo(document: Document, request: Document) -> None:
    with refusing():
        load(_UNDO, request)
    if document.get("closed"):
        last = len(document["hands"])
        detail = f"the round was closed after hand {last}; none of its hands can be undone"
        raise refusal("undo-refused", Mistake("round-closed", (), detail))


@contextmanager
def _placed_in_itself(before: str) -> Iterator[None]:
    """Name places in what is tried, in place of those in the whole document."""
    try:
        yield
    except RefusedError as error:
        mistakes = [
            {**mistake, "pointer": "#" + mistake["pointer"].removeprefix(before).removeprefix("#")}
            for mistake in error.problem["errors"]
        ]
        error.problem = {**error.problem, "errors": mistakes}
        raise
