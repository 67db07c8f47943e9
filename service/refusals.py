"""Why something was refused, in the words of a problem document, wherever it is then told."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from schemas.base import MOST_SHOWN, WireError
from scoring.errors import Mistake, ScoringError
from service.errors import ServiceError

ROUND_IS_OVER: Final = ("round-complete", "round-closed")
"""A round that takes no further hand is a conflict where it is recorded, and a mistake inside a document."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """
    A refusal.

    Attributes:
        code: the kind of problem, which has a page of its own.
        detail: one sentence on what was found.
        mistakes: every part of the request that is to blame.
    """

    code: str
    detail: str
    mistakes: tuple[Mistake, ...] = ()


def refusal_of(error: WireError | ScoringError | ServiceError) -> Refusal:
    """Say why something was refused."""
    if isinstance(error, ServiceError):
        return Refusal(error.code, str(error), error.mistakes)
    if isinstance(error, WireError):
        is_json = all(mistake.code.startswith("json-") for mistake in error.mistakes)
        return Refusal("json-invalid" if is_json else "request-invalid", _summary(error.mistakes), error.mistakes)
    first = error.mistakes[0]
    code = first.code if first.code in ROUND_IS_OVER and not first.path else error.code
    return Refusal(code, _summary(error.mistakes), error.mistakes)


def _summary(mistakes: Sequence[Mistake]) -> str:
    """Say how many there are, but for those that nobody has looked for."""
    first, many = mistakes[0].detail, len(mistakes)
    found = f"{many} mistakes" if many < MOST_SHOWN else f"{MOST_SHOWN} mistakes or more"
    return first if many == 1 else f"{found}, the first: {first}"
