"""Why something was refused, in the words of a problem document, wherever it is then told."""

from dataclasses import dataclass
from typing import Final

from evidence import EvidenceError
from schemas.base import WireError
from schemas.problems import summarize
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


def refusal_of(error: EvidenceError | WireError | ScoringError | ServiceError) -> Refusal:
    """Say why something was refused."""
    if isinstance(error, ServiceError):
        return Refusal(error.code, str(error), error.mistakes)
    if isinstance(error, EvidenceError | WireError):
        is_json = all(mistake.code.startswith("json-") for mistake in error.mistakes)
        return Refusal("json-invalid" if is_json else "request-invalid", summarize(error.mistakes), error.mistakes)
    first = error.mistakes[0]
    code = first.code if first.code in ROUND_IS_OVER and not first.path else error.code
    return Refusal(code, summarize(error.mistakes), error.mistakes)
