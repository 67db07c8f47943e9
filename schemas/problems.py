"""What went wrong, as RFC 9457 says it."""

from collections.abc import Iterable

from schemas.base import WireSchema
from schemas.fields import Inner, Integer, Listing, Text
from schemas.scores import Dumped
from scoring.errors import Mistake, Path


class MistakeSchema(WireSchema):
    """One mistake: where it is, what was found and what would be right."""

    pointer = Text(required=True, metadata={"example": "#/players/0/top/2"})
    code = Text(required=True, metadata={"example": "card-twice"})
    detail = Text(required=True)


class ProblemSchema(WireSchema):
    """A problem document."""

    type = Text(required=True, metadata={"format": "uri-reference", "example": "/problems/hand-invalid"})
    title = Text(required=True)
    status = Integer(least=400, most=599, required=True)
    code = Text(required=True, metadata={"example": "hand-invalid"})
    detail = Text(required=True)
    request_id = Text(required=True)
    errors = Listing(Inner(MistakeSchema), most=10_000)


def show_pointer(path: Path) -> str:
    """
    Write a place in a document as a JSON pointer in a fragment.

    >>> show_pointer(("players", 0, "top", 2)), show_pointer(())
    ('#/players/0/top/2', '#')
    """
    return "#" + "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in path)


def dump_mistakes(mistakes: Iterable[Mistake]) -> list[Dumped]:
    """Write mistakes with their places."""
    return [
        {"pointer": show_pointer(mistake.path), "code": mistake.code, "detail": mistake.detail} for mistake in mistakes
    ]
