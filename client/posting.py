"""Post a round document hand by hand."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from client.api import Client
from client.errors import ApiError, RefusedError
from client.responses import Response

Document = dict[str, Any]

RECORDED: Final = "recorded before"
_NO_REASON: Final = "no reason is known"
"""Of the end of a round whose reason was erased."""
_KEEP_OWN: Final = "post the round --whole to keep its own"
_NO_REFERENCE: Final = (
    "is required, so that an interrupted post can be continued and nothing is recorded twice;"
    " give one here or with --reference, or post the round --whole"
)


@dataclass(frozen=True, slots=True)
class PostedHand:
    """A hand as it was played, and the response of the service with its result."""

    hand: Document
    response: Response

    @property
    def note(self) -> str:
        """A note about a hand that was not recorded just now."""
        if not self.response["in_force"]:
            return "recorded before and corrected since"
        return RECORDED if self.response.is_replay else ""


@dataclass(frozen=True, slots=True)
class PostedDeparture:
    """A departure, and whether it had been recorded before."""

    departure: Document
    is_replay: bool


PostedStep = PostedHand | PostedDeparture


def find_ruleset(client: Client, document: Document) -> Response:
    """
    Return the ruleset that a document names.

    Raises:
        ApiError: there is no ruleset of that name.
    """
    with _in_document("ruleset"):
        return client.get_ruleset(document["ruleset"])


def open_round(client: Client, document: Document, ruleset: Document) -> Response:
    """
    Open the round of a document, or return it if it was opened before. A missing table is created by its name.

    Args:
        client: the service.
        document: the round; it has been validated.
        ruleset: the rules that it names.

    Raises:
        RefusedError: it has no reference, its steps are out of order, its table or the recorded round has another
            ruleset, point value, unit or standing charge, or the service refused.
    """
    mistakes = list(_misplaced(document))
    if document.get("reference") is None:
        mistakes.append(_make_error("reference", "field-missing", _NO_REFERENCE))
    if mistakes:
        raise _make_refusal("Invalid document", "round-invalid", mistakes)
    of_table = {
        "ruleset": f"{ruleset['name']}@{ruleset['version']}",
        "point_value": document.get("point_value"),
        "unit": document.get("unit"),
        "charge_per": document.get("charge_per"),
        "charge_amount": document.get("charge_amount"),
    }
    table_id = _find_table(client, document["table"], of_table)
    digits = document.get("unit_digits")
    own = of_table if digits is None else {**of_table, "unit_digits": digits}
    # The evening of the round is the same as with --whole: the first time of its hands if it states none.
    times = (document.get("opened_at"), *(hand.get("played_at") for hand in document["hands"]))
    opened_at = next((time for time in times if time is not None), None)
    request: Any = {"seats": document["seats"], "reference": document["reference"], "expected": own}
    if opened_at is not None:
        request["opened_at"] = opened_at
    try:
        opened = client.open_round(table_id, request)
    except ApiError as error:
        if error.code == "expected-differs":
            where = f"at {document['table']}; {_KEEP_OWN}"
            _refuse_differences("Table conflict", "table-differs", own, client.get_table(table_id), where)
        raise
    if opened.is_replay:
        _refuse_differences("Round conflict", "round-differs", own, opened, "in the recorded round")
    return opened


def post_steps(client: Client, opened: Response, document: Document) -> Iterator[PostedStep]:
    """
    Post every hand and departure of a round in order, and close it. What is recorded is not recorded again.

    Raises:
        RefusedError: a step was refused, or comes too late; earlier steps are recorded.
    """
    round_id = str(opened["id"])
    recorded = client.get_document(round_id) if opened.is_replay else {"departures": [], "closed": None}
    hands_recorded = opened["hands"]
    for number in range(len(document["hands"]) + 1):
        if number:
            hand = document["hands"][number - 1]
            # A document may have the same deal twice: its author has seen both hands.
            repeated: Any = {**hand, "dealt_again": True}
            with _in_document("hands", number - 1):
                response = client.record_hand(round_id, repeated)
            hands_recorded = response["round"]["hands"]
            yield PostedHand(hand, response)
        for index, departure in enumerate(document.get("departures", [])):
            if departure["after_hand"] == number:
                is_replay = any(_is_recorded(_with_reason(departure), each) for each in recorded["departures"])
                if not is_replay:
                    _refuse_late(hands_recorded, number, "departures", index)
                    request: Any = _without_place(departure)
                    with _in_document("departures", index):
                        client.record_departure(round_id, request)
                yield PostedDeparture(departure, is_replay)
    closed = document.get("closed")
    if closed and not _is_recorded(closed, recorded["closed"]):
        _refuse_late(hands_recorded, closed["after_hand"], "closed")
        with _in_document("closed"):
            client.close_round(round_id, {"reason": closed["reason"] or _NO_REASON})


def _find_table(client: Client, name: str, values: Document) -> str:
    """Return the ID of the table with a name, which is created with these values if it does not exist."""
    request: Any = {"name": name, **values}
    try:
        return str(client.add_table(request)["id"])
    except ApiError as error:
        table = client.find_table(name) if error.code == "table-conflict" else None
        if table is None:
            raise
    return str(table["id"])


def _refuse_differences(title: str, code: str, own: Document, other: Mapping[str, Any], where: str) -> None:
    """
    Compare what a document has from its table with its table or its recorded round: ruleset, money and charge.

    Raises:
        RefusedError: they differ.
    """
    mistakes = [
        _make_error(field, code, f"is {_format_value(value)} here and {_format_value(other[field])} {where}")
        for field, value in own.items()
        if other[field] != value
    ]
    if mistakes:
        raise _make_refusal(title, code, mistakes)


def _format_value(value: object) -> object:
    return "nothing" if value is None else value


def _misplaced(document: Document) -> Iterator[Document]:
    """Yield errors for steps that posting hand by hand would never reach, or would reach at another place."""
    last = len(document["hands"])
    for index, hand in enumerate(document["hands"]):
        if hand["number"] != index + 1:
            yield _make_error(f"hands/{index}/number", "hand-number", f"is {hand['number']}; expected {index + 1}")
    for index, departure in enumerate(document.get("departures", [])):
        if departure["after_hand"] > last:
            place = f"departures/{index}/after_hand"
            yield _make_error(place, "departure-after-hand", f"is {departure['after_hand']}; expected at most {last}")
    closed = document.get("closed")
    if closed and closed["after_hand"] != last:
        detail = f"is {closed['after_hand']}; expected {last}, the last hand"
        yield _make_error("closed/after_hand", "closed-after-hand", detail)


def _refuse_late(hands_recorded: int, after_hand: int, *place: str | int) -> None:
    """
    Reject a step if hands that came after it are recorded: the service would record the step at the wrong place.

    Raises:
        RefusedError: later hands are recorded.
    """
    if hands_recorded > after_hand:
        detail = f"happened after hand {after_hand}, and the round is recorded up to hand {hands_recorded} without it"
        pointer = "/".join(map(str, place))
        raise _make_refusal("Round conflict", "round-conflict", [_make_error(pointer, "late", detail)])


def _is_recorded(step: Mapping[str, Any], recorded: Mapping[str, Any] | None) -> bool:
    """Return whether a departure or a closing is recorded, also if its reason was erased since."""
    return recorded in ({**step}, {**step, "reason": None})


def _with_reason(departure: Mapping[str, Any]) -> Document:
    return {"reason": None, **departure}


def _without_place(departure: Mapping[str, Any]) -> Document:
    return {name: value for name, value in departure.items() if name != "after_hand"}


@contextmanager
def _in_document(*place: str | int) -> Iterator[None]:
    """Prefix the pointers of a refusal with a place in the document."""
    try:
        yield
    except ApiError as error:
        error.move_pointers(*place)
        raise


def _make_error(pointer: str, code: str, detail: str) -> Document:
    return {"pointer": f"#/{pointer}", "code": code, "detail": detail}


def _make_refusal(title: str, code: str, mistakes: list[Document]) -> RefusedError:
    return RefusedError({"title": title, "code": code, "detail": mistakes[0]["detail"], "errors": mistakes})
