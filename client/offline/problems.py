"""Problem documents for what the rules reject, in the words of the service."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from client.errors import RefusedError
from schemas.base import WireError
from schemas.problems import dump_mistakes, find_unexpected, summarize
from scoring.errors import Mistake, ScoringError

_SHAPE: Final = "request-invalid"
_TITLES: Final = {
    _SHAPE: "Validation failed",
    "hand-invalid": "Invalid hand",
    "round-invalid": "Invalid round",
    "undo-refused": "Undo not allowed",
    "ruleset-invalid": "Invalid ruleset",
    "ruleset-unknown": "Unknown ruleset",
    "expected-differs": "Unexpected result",
    "proof-wrong": "Invalid proof",
}


@contextmanager
def translate_errors() -> Iterator[None]:
    """
    Raise errors of the rules and of the wire as RefusedError.

    Raises:
        RefusedError: with every mistake.
    """
    try:
        yield
    except WireError as error:
        raise make_refusal(_SHAPE, *error.mistakes) from error
    except ScoringError as error:
        raise make_refusal(error.code, *error.mistakes) from error


def make_refusal(code: str, *mistakes: Mistake) -> RefusedError:
    """Build a RefusedError from mistakes."""
    title = _TITLES.get(code, "Invalid request")
    problem = {"title": title, "code": code, "detail": summarize(mistakes), "errors": dump_mistakes(mistakes)}
    return RefusedError(problem)


def check_expected(expected: Mapping[str, Any] | None, result: Mapping[str, Any]) -> None:
    """
    Compare the values that a document expects with the result.

    Raises:
        RefusedError: a value differs; every difference is reported with both values.
    """
    mistakes = [] if expected is None else list(find_unexpected(expected, result))
    if mistakes:
        raise make_refusal("expected-differs", *mistakes)
