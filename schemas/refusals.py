"""Codes and details of problems, for whatever the wire or the rules reject."""

from dataclasses import dataclass
from typing import Final

from evidence.errors import EvidenceError
from schemas.base import WireError
from schemas.problems import summarize
from scoring.errors import Mistake, ScoringError

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


def refuse(error: EvidenceError | WireError | ScoringError) -> Refusal:
    """Return the refusal for an error of the wire or of the rules."""
    if isinstance(error, EvidenceError | WireError):
        is_json = all(mistake.code.startswith("json-") for mistake in error.mistakes)
        return Refusal("json-invalid" if is_json else "request-invalid", summarize(error.mistakes), error.mistakes)
    first = error.mistakes[0]
    code = first.code if first.code in ROUND_IS_OVER and not first.path else error.code
    return Refusal(code, summarize(error.mistakes), error.mistakes)
