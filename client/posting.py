"""A round document, posted as it was played: hand by hand."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from client.answers import Answer
from client.api import Client
from client.errors import ApiError, RefusedError

Document = dict[str, Any]

RECORDED: Final = "recorded before"
_KEEP_OWN: Final = "post the round --whole to keep its own"
_NO_REFERENCE: Final = (
    "is missing; by it a post that was interrupted goes on and nothing is recorded twice: give one here or with"
    " --reference, or post the round --whole"
)


@dataclass(frozen=True, slots=True)
class PostedHand:
    """A hand as it was played, and what the service says that it comes to."""

    hand: Document
    answer: Answer

    @property
    def note(self) -> str:
        """Say what became of it where it was not recorded just now."""
        if not self.answer["in_force"]:
            return f"recorded before and undone; it does not count unless it says that it restores {self.answer['id']}"
        return RECORDED if self.answer.is_replay else ""


@dataclass(frozen=True, slots=True)
class PostedDeparture:
    """A player who left, and whether that had been recorded before."""

    departure: Document
    is_replay: bool


PostedStep = PostedHand | PostedDeparture


def find_ruleset(client: Client, document: Document) -> Answer:
    """
    Find the rules that a document names.

    Raises:
        ApiError: there are none of that name.
    """
    with _placed("ruleset"):
        return client.get_ruleset(document["ruleset"])


def open_round(client: Client, document: Document, ruleset: Document) -> Answer:
    """
    Open a document's round, or find it where it was opened before; its table is made by name where there is none.

    Args:
        client: the service.
        document: the round; its shape has been checked.
        ruleset: the rules that it names.

    Raises:
        RefusedError: it has no reference, its steps are out of order, its table plays by other rules, or the service
            refused.
    """
    mistakes = list(_misplaced(document))
    if document.get("reference") is None:
        mistakes.append(_mistake("reference", "field-missing", _NO_REFERENCE))
    if mistakes:
        raise _refusal("The document cannot be posted hand by hand", "round-invalid", mistakes)
    table = _find_table(client, document, f"{ruleset['name']}@{ruleset['version']}")
    return client.open_round(table["id"], {"seats": document["seats"], "reference": document["reference"]})


def post_steps(client: Client, opened: Answer, document: Document) -> Iterator[PostedStep]:
    """
    Post everything that happened in a round, one step at a time, in order; what is recorded is not recorded again.

    Raises:
        RefusedError: a step was refused, or comes too late; the steps before it are recorded.
    """
    round_id = str(opened["id"])
    recorded = client.get_document(round_id) if opened.is_replay else {"departures": [], "closed": None}
    hands_recorded = opened["hands"]
    for number in range(len(document["hands"]) + 1):
        if number:
            hand = document["hands"][number - 1]
            with _placed("hands", number - 1):
                answer = client.record_hand(round_id, hand)
            hands_recorded = answer["round"]["hands"]
            yield PostedHand(hand, answer)
        for index, departure in enumerate(document.get("departures", [])):
            if departure["after_hand"] == number:
                is_replay = _with_reason(departure) in recorded["departures"]
                if not is_replay:
                    _refuse_late(hands_recorded, number, "departures", index)
                    with _placed("departures", index):
                        client.record_departure(round_id, _without_place(departure))
                yield PostedDeparture(departure, is_replay)
    closed = document.get("closed")
    if closed and closed != recorded["closed"]:
        _refuse_late(hands_recorded, closed["after_hand"], "closed")
        with _placed("closed"):
            client.close_round(round_id, closed["reason"])


def _find_table(client: Client, document: Document, ruleset: str) -> Document:
    """Find the document's table, or set one up; one that plays by other rules, or for other money, will not do."""
    wanted = {"ruleset": ruleset, "point_value": document.get("point_value"), "currency": document.get("currency")}
    name = document["table"]
    try:
        return client.add_table({"name": name, **wanted})
    except ApiError as error:
        found = client.find_table(name) if error.code == "table-conflict" else None
        if found is None:
            raise
    mistakes = [
        _mistake(field, "table-differs", f"is {_shown(value)} here and {_shown(found[field])} at {name}; {_KEEP_OWN}")
        for field, value in wanted.items()
        if found[field] != value
    ]
    if mistakes:
        raise _refusal("The table plays otherwise", "table-differs", mistakes)
    return found


def _shown(value: object) -> object:
    return "nothing" if value is None else value


def _misplaced(document: Document) -> Iterator[Document]:
    """Find steps that hand by hand would never come, or come at another place than the document says."""
    last = len(document["hands"])
    for index, hand in enumerate(document["hands"]):
        if hand["number"] != index + 1:
            yield _mistake(f"hands/{index}/number", "hand-number", f"is {hand['number']}; {index + 1} comes here")
    for index, departure in enumerate(document.get("departures", [])):
        if departure["after_hand"] > last:
            place = f"departures/{index}/after_hand"
            yield _mistake(place, "departure-after-hand", f"is {departure['after_hand']}; the last hand is {last}")
    closed = document.get("closed")
    if closed and closed["after_hand"] != last:
        detail = f"is {closed['after_hand']}; a round is closed after its last hand, which is {last}"
        yield _mistake("closed/after_hand", "closed-after-hand", detail)


def _refuse_late(hands_recorded: int, after_hand: int, *place: str | int) -> None:
    """
    Refuse to record something after hands that came later: the service would take it for something that happened now.

    Raises:
        RefusedError: later hands are recorded.
    """
    if hands_recorded > after_hand:
        detail = f"happened after hand {after_hand}, and the round is recorded up to hand {hands_recorded} without it"
        pointer = "/".join(map(str, place))
        raise _refusal("The round is recorded otherwise", "round-conflict", [_mistake(pointer, "late", detail)])


def _with_reason(departure: Mapping[str, Any]) -> Document:
    return {"reason": None, **departure}


def _without_place(departure: Mapping[str, Any]) -> Document:
    return {name: value for name, value in departure.items() if name != "after_hand"}


@contextmanager
def _placed(*place: str | int) -> Iterator[None]:
    """Say where in the document the service found a mistake."""
    try:
        yield
    except ApiError as error:
        error.under(*place)
        raise


def _mistake(pointer: str, code: str, detail: str) -> Document:
    return {"pointer": f"#/{pointer}", "code": code, "detail": detail}


def _refusal(title: str, code: str, mistakes: list[Document]) -> RefusedError:
    return RefusedError({"title": title, "code": code, "detail": mistakes[0]["detail"], "errors": mistakes})
