"""What went wrong, as RFC 9457 says it."""

from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import quote

from schemas.base import MOST_SHOWN, Dumped, WireSchema
from schemas.fields import Inner, Integer, Listing, Text
from scoring.errors import Mistake, Path

_LONGEST: Final = 10_000
_LONGEST_STEP: Final = 100
_PLAIN: Final = "!$&'()*+,;=:@?~"
"""What may stand in a URI's fragment as it is, beside letters, digits and - . _"""


class MistakeSchema(WireSchema):
    """One mistake: where it is, what was found and what would be right."""

    pointer = Text(
        required=True,
        longest=_LONGEST,
        metadata={
            "description": "RFC 6901, as a URI fragment; keys are cut where they are long.",
            "example": "#/players/0/top/2",
        },
    )
    code = Text(required=True, metadata={"example": "card-twice"})
    detail = Text(required=True, longest=_LONGEST)


class ProblemSchema(WireSchema):
    """A problem document."""

    type = Text(required=True, metadata={"format": "uri-reference", "example": "/problems/hand-invalid"})
    title = Text(required=True)
    status = Integer(least=400, most=599, required=True)
    code = Text(required=True, metadata={"example": "hand-invalid"})
    detail = Text(required=True, longest=_LONGEST)
    request_id = Text(required=True)
    errors = Listing(Inner(MistakeSchema), most=10_000)


def show_pointer(path: Path) -> str:
    """
    Write a place in a document as a JSON pointer in a fragment.

    Keys can hold anything, and a header, a log or a terminal should not have to: what a URI does not take is encoded.

    >>> show_pointer(("players", 0, "top", 2)), show_pointer(()), show_pointer(("a/b", "c d"))
    ('#/players/0/top/2', '#', '#/a~1b/c%20d')
    """
    steps = (str(step)[:_LONGEST_STEP].replace("~", "~0").replace("/", "~1") for step in path)
    return "#" + "".join(f"/{quote(step, safe=_PLAIN, errors='replace')}" for step in steps)


def sum_up(mistakes: Sequence[Mistake]) -> str:
    """
    Say how many mistakes there are, but for those that nobody has looked for, and the first.

    >>> sum_up([Mistake("number-range", ("seat",), "is 7; 1 is right")] * 2)
    '2 mistakes, the first: is 7; 1 is right'
    """
    first, many = mistakes[0].detail, len(mistakes)
    found = f"{many} mistakes" if many < MOST_SHOWN else f"{MOST_SHOWN} mistakes or more"
    return first if many == 1 else f"{found}, the first: {first}"


def dump_mistakes(mistakes: Iterable[Mistake]) -> list[Dumped]:
    """Write mistakes with their places."""
    return [
        {"pointer": show_pointer(mistake.path), "code": mistake.code, "detail": mistake.detail} for mistake in mistakes
    ]
