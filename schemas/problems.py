"""Problems: their codes and details, problem documents (RFC 9457), and differences from an expected response."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import quote

from evidence.errors import EvidenceError
from schemas.base import MOST_SHOWN, ComparedMistake, Dumped, WireError, WireSchema, show
from schemas.fields import AnyValue, Inner, Integer, Listing, Text
from scoring.errors import Mistake, Path, ScoringError

_LONGEST: Final = 10_000
_LONGEST_STEP: Final = 100
_PLAIN: Final = "!$&'()*+,;=:@?~"
"""Characters that a URI fragment can contain unencoded, besides letters, digits and `-._`."""
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_PREDICATE: Final = re.compile(r"(?:is|has|are|cannot)\b")
"""Start of a detail whose subject is its path."""


class FieldErrorSchema(WireSchema):
    """One error in a request: where it is, the value found and the values accepted."""

    pointer = Text(
        required=True,
        longest=_LONGEST,
        metadata={"example": "#/players/0/top/2"},
        description="JSON pointer (RFC 6901) to the invalid value, as a URI fragment. Long keys are truncated.",
    )
    code = Text(required=True, metadata={"example": "card-twice"}, description="Stable code of the error.")
    detail = Text(
        required=True,
        longest=_LONGEST,
        metadata={"example": "`players[0].top[2]`: the card As comes twice"},
        description="The value found, the values accepted, and where.",
    )
    recorded = AnyValue(description="The stored value, if the request conflicts with a record.")
    received = AnyValue(description="The value in the request, if it conflicts with a record.")
    expected = AnyValue(description="The accepted value, if there is only one.")


class ProblemSchema(WireSchema):
    """A problem document (RFC 9457)."""

    type = Text(
        required=True,
        metadata={"format": "uri-reference", "example": "/problems/hand-invalid"},
        description="Address of the page about this type of problem.",
    )
    title = Text(required=True, description="Short title of the type of problem.")
    status = Integer(least=400, most=599, required=True, description="HTTP status code of the response.")
    code = Text(required=True, metadata={"example": "hand-invalid"}, description="Stable code of the problem.")
    detail = Text(required=True, longest=_LONGEST, description="What is wrong with this request.")
    request_id = Text(
        required=True, description="ID of the request, as in the header `Request-Id` and the server's log."
    )
    errors = Listing(Inner(FieldErrorSchema), most=10_000, description="Every error found in the request.")


def show_pointer(path: Path) -> str:
    """
    Return a path as a JSON pointer in a URI fragment.

    Keys can contain any character; those that a URI cannot contain are encoded, for headers, logs and terminals.

    >>> show_pointer(("players", 0, "top", 2)), show_pointer(()), show_pointer(("a/b", "c d"))
    ('#/players/0/top/2', '#', '#/a~1b/c%20d')
    """
    steps = (str(step)[:_LONGEST_STEP].replace("~", "~0").replace("/", "~1") for step in path)
    return "#" + "".join(f"/{quote(step, safe=_PLAIN, errors='replace')}" for step in steps)


def show_place(path: Path) -> str:
    """
    Return a path as code, in backticks.

    >>> show_place(("players", 0, "top", 2)), show_place(("stacks", "ann b")), show_place(())
    ('`players[0].top[2]`', "`stacks['ann b']`", 'the document')
    """
    steps = [f".{step}" if isinstance(step, str) and _NAME.fullmatch(step) else f"[{show(step)}]" for step in path]
    return f"`{''.join(steps).removeprefix('.')}`" if steps else "the document"


def detail_of(mistake: Mistake) -> str:
    """
    Return a mistake's detail so that it can be read without its pointer.

    >>> detail_of(Mistake("number-range", ("seats", 0, "seat"), "is 0; expected 1 to 1000"))
    '`seats[0].seat` is 0; expected 1 to 1000'
    >>> detail_of(Mistake("seat-unknown", ("button",), "nobody sits in seat 9"))
    '`button`: nobody sits in seat 9'
    """
    if mistake.detail.startswith("`"):
        return mistake.detail
    if _PREDICATE.match(mistake.detail):
        return f"{show_place(mistake.path)} {mistake.detail}"
    return f"{show_place(mistake.path)}: {mistake.detail}" if mistake.path else mistake.detail


def sentence_of(mistake: Mistake) -> str:
    """
    Return a mistake's detail as a sentence without its full stop, to show beside its pointer.

    >>> sentence_of(Mistake("not-an-id", ("club",), "is 'home'; expected a UUID"))
    "`club` is 'home'; expected a UUID"
    """
    if not _PREDICATE.match(mistake.detail):
        return mistake.detail
    names = [step for step in mistake.path if isinstance(step, str)]
    return f"`{names[-1]}` {mistake.detail}" if names else f"the document {mistake.detail}"


def summarize(mistakes: Sequence[Mistake]) -> str:
    """
    Return the number of mistakes and the first one.

    >>> summarize([Mistake("number-range", ("seat",), "is 7; expected 1")] * 2)
    '2 mistakes, the first: `seat` is 7; expected 1'
    """
    first, many = detail_of(mistakes[0]), len(mistakes)
    count = f"{many} mistakes" if many < MOST_SHOWN else f"{MOST_SHOWN} mistakes or more"
    return first if many == 1 else f"{count}, the first: {first}"


def dump_mistakes(mistakes: Iterable[Mistake]) -> list[Dumped]:
    """Encode mistakes with their pointers."""
    return [
        {
            "pointer": show_pointer(mistake.path),
            "code": mistake.code,
            "detail": detail_of(mistake),
            **(mistake.values if isinstance(mistake, ComparedMistake) else {}),
        }
        for mistake in mistakes
    ]


def find_unexpected(expected: object, result: object, path: Path = ("expected",)) -> Iterator[Mistake]:
    """
    List the differences of a result from the expected part of it.

    >>> [mistake.detail for mistake in find_unexpected({"stacks": {"1": 9}}, {"stacks": {"1": 8}, "exchanges": []})]
    ['9 is expected; the result is 8']
    """
    if isinstance(expected, Mapping) and isinstance(result, Mapping):
        for key, inner in expected.items():
            if key in result:
                yield from find_unexpected(inner, result[key], (*path, key))
            else:
                known = ", ".join(map(str, result))
                yield Mistake("expected-unknown", (*path, key), f"is not part of the result; expected one of {known}")
    elif isinstance(expected, list) and isinstance(result, list):
        if len(expected) != len(result):
            items = "1 item is" if len(expected) == 1 else f"{len(expected)} items are"
            detail = f"{items} expected; the result has {len(result)}"
            yield Mistake("expected-differs", path, detail)
        for index, (inner, item) in enumerate(zip(expected, result, strict=False)):
            yield from find_unexpected(inner, item, (*path, index))
    elif type(expected) is bool or type(result) is bool:
        if expected is not result:
            yield _differs(expected, result, path)
    elif expected != result:
        yield _differs(expected, result, path)


def _differs(expected: object, result: object, path: Path) -> Mistake:
    return Mistake("expected-differs", path, f"{show(expected)} is expected; the result is {show(result)}")


def find_missing(received: object, field: str, current: int | str, meaning: str) -> Iterator[Mistake]:
    """
    Yield the mistake of a request without a required field, with the value that is now the only accepted one.

    >>> [mistake.detail for mistake in find_missing({}, "version", 4, "the version of the round as it is now")]
    ['is required; expected 4, the version of the round as it is now']
    """
    if isinstance(received, Mapping) and received.get(field) is None:
        code, text = ("field-null", "is null") if field in received else ("field-missing", "is required")
        detail = f"{text}; expected {current}, {meaning}"
        yield ComparedMistake(code, (field,), detail, {"expected": current})


class HealthSchema(WireSchema):
    """Health check: the process responds."""

    status = Text(required=True, description="`ok` if the process responds.")
    version = Text(required=True, description="Version of the service.")


class ReadinessSchema(WireSchema):
    """Readiness check: the database responds and has every migration."""

    status = Text(required=True, description="`ok` if the service is ready.")


ROUND_IS_OVER: Final = ("round-complete", "round-closed")
"""Codes that are problem kinds for a recorded hand, and mistakes inside a document."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """
    A rejected request or line of an import.

    Attributes:
        code: the kind of problem.
        detail: one sentence with what is wrong.
        mistakes: the invalid parts of the request.
    """

    code: str
    detail: str
    mistakes: tuple[Mistake, ...] = ()


class Refused(Protocol):
    """An error with the code of its kind, such as an error of the service. Its message is one sentence."""

    @property
    def code(self) -> str:
        """The kind of problem."""

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The invalid parts of the request."""


def refuse(error: EvidenceError | WireError | ScoringError | Refused) -> Refusal:
    """Return the refusal for an error of the wire, of the rules or of the service."""
    if isinstance(error, EvidenceError | WireError):
        is_json = all(mistake.code.startswith("json-") for mistake in error.mistakes)
        return Refusal("json-invalid" if is_json else "request-invalid", summarize(error.mistakes), error.mistakes)
    if not isinstance(error, ScoringError):
        return Refusal(error.code, str(error), error.mistakes)
    first = error.mistakes[0]
    code = first.code if first.code in ROUND_IS_OVER and not first.path else error.code
    return Refusal(code, summarize(error.mistakes), error.mistakes)


def dump_warnings(warnings: Sequence[Mistake]) -> Dumped:
    """Encode what may be a mistake in a request; an empty object if there are no warnings."""
    return {"warnings": dump_mistakes(warnings)} if warnings else {}
