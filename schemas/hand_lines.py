"""Lines of a request with hands of many rounds, and the results of the lines."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from marshmallow import post_load

from schemas.base import Dumped, WireError, WireSchema, load, show
from schemas.fields import Choice, Inner, Integer, UuidField
from schemas.game_fields import ReferenceField, TableNameField
from schemas.hands import HandRequestSchema, SubmittedHand
from schemas.problems import ProblemSchema
from schemas.scores import RecordedHandWithRoundSchema
from schemas.strict_json import read_json
from scoring.errors import Mistake

MOST_LINES: Final = 500


@dataclass(frozen=True, slots=True)
class RoundName:
    """A round, by the name of its table and its reference."""

    table: str
    reference: str


class RoundNameSchema(WireSchema):
    """A round, by the name of its table and its reference."""

    table = TableNameField(required=True)
    reference = ReferenceField(required=True, allow_none=False)

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> RoundName:
        return RoundName(**read)


class HandLineResultSchema(WireSchema):
    """The result of a line, and of its hand."""

    line = Integer(least=1, most=1_000_000, required=True, description="Number of the line, from 1.")
    status = Choice(
        {status: status for status in ("recorded", "replayed", "undone", "refused", "not_attempted")},
        required=True,
        description="`recorded`: the hand was recorded now. `replayed`: it was recorded before. `undone`: it was"
        " recorded before and undone, so it does not count. `refused`: it was not recorded. `not_attempted`: an earlier"
        " hand of its round is `undone` or `refused`.",
    )
    round = UuidField(required=True, allow_none=True, description="ID of the round. Null if it was not found.")
    hand = Inner(
        RecordedHandWithRoundSchema,
        required=True,
        allow_none=True,
        description="The recorded hand with its result and the round after it. Null if the hand is not recorded.",
    )
    problem = Inner(
        ProblemSchema, required=True, allow_none=True, description="Why the hand was refused. Null if it was not."
    )


RoundKey = UUID | RoundName
_HAND: Final = HandRequestSchema()
_ROUND_NAME: Final = RoundNameSchema()
_EXPECTED: Final = "expected the ID of a round, or an object with `table` and `reference`"


@dataclass(frozen=True, slots=True)
class HandLine:
    """
    A line of a request.

    Attributes:
        number: the number of the line, from 1.
        content: its bytes.
        round: the round that it names; None if it cannot be read.
        received: the hand as decoded JSON.
        hand: the hand, or the error of a line that is not valid.
    """

    number: int
    content: bytes
    round: RoundKey | None
    received: Mapping[str, Any] | None
    hand: SubmittedHand | WireError


def parse_hand_line(number: int, content: bytes) -> HandLine:
    """
    Parse a line: a hand as in `POST /v1/rounds/{round_id}/hands`, with the field `round`.

    >>> parse_hand_line(1, b'{"round": "x"}').hand.mistakes[0].detail
    "is 'x'; expected the ID of a round, or an object with `table` and `reference`"
    """
    try:
        received = read_json(content)
    except WireError as error:
        return HandLine(number, content, None, None, error)
    if not isinstance(received, dict):
        mistake = Mistake("not-an-object", (), f"is {show(received)}; expected an object with `round` and a hand")
        return HandLine(number, content, None, None, WireError((mistake,)))
    hand = {name: value for name, value in received.items() if name != "round"}
    mistakes: tuple[Mistake, ...] = ()
    round_: RoundKey | None = None
    try:
        round_ = _parse_round(received)
    except WireError as error:
        mistakes = error.mistakes
    try:
        submitted = load(_HAND, hand)
    except WireError as error:
        return HandLine(number, content, round_, hand, WireError((*mistakes, *error.mistakes)))
    return HandLine(number, content, round_, hand, WireError(mistakes) if mistakes else submitted)


def _parse_round(received: Mapping[str, Any]) -> RoundKey:
    if "round" not in received:
        raise WireError((Mistake("field-missing", ("round",), f"is required; {_EXPECTED}"),))
    named = received["round"]
    if isinstance(named, dict):
        try:
            name: RoundName = load(_ROUND_NAME, named)
        except WireError as error:
            raise WireError(tuple(mistake.under("round") for mistake in error.mistakes)) from None
        return name
    try:
        return UUID(named) if isinstance(named, str) and len(named) == 36 else _refuse(named)
    except ValueError:
        return _refuse(named)


def _refuse(named: object) -> UUID:
    raise WireError((Mistake("round-unreadable", ("round",), f"is {show(named)}; {_EXPECTED}"),))


def dump_hand_line(
    number: int, status: str, round_: str | None, hand: Dumped | None = None, problem: Dumped | None = None
) -> Dumped:
    """Encode the result of a line."""
    return {"line": number, "status": status, "round": round_, "hand": hand, "problem": problem}
