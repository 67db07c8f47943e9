"""Codes and details of problems, for HTTP responses and for the results of jobs."""

from dataclasses import dataclass
from typing import Final

from evidence import EvidenceError
from schemas.base import WireError
from schemas.problems import summarize
from scoring.errors import Mistake, ScoringError
from service.errors import ServiceError

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


def refusal_of(error: EvidenceError | WireError | ScoringError | ServiceError) -> Refusal:
    """Return the refusal for an exception."""
    if isinstance(error, ServiceError):
        return Refusal(error.code, str(error), error.mistakes)
    if isinstance(error, EvidenceError | WireError):
        is_json = all(mistake.code.startswith("json-") for mistake in error.mistakes)
        return Refusal("json-invalid" if is_json else "request-invalid", summarize(error.mistakes), error.mistakes)
    first = error.mistakes[0]
    code = first.code if first.code in ROUND_IS_OVER and not first.path else error.code
    return Refusal(code, summarize(error.mistakes), error.mistakes)
