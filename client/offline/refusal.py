"""What the rules refuse, as the service would say it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from client.errors import RefusedError
from schemas.base import WireError
from schemas.expected import find_differences
from schemas.problems import dump_mistakes, sum_up
from scoring.errors import Mistake, ScoringError

_SHAPE: Final = "request-invalid"
_TITLES: Final = {
    _SHAPE: "The document has not the shape that it should have",
    "hand-invalid": "The hand cannot be",
    "round-invalid": "The round cannot be like this",
    "undo-refused": "The hand cannot be undone",
    "ruleset-invalid": "The rules contradict each other",
    "ruleset-unknown": "There is no such ruleset",
    "expected-differs": "The result is not what was expected",
    "proof-wrong": "The service does not prove it",
}


@contextmanager
def refusing() -> Iterator[None]:
    """
    Turn what the rules refuse into what a client reports.

    Raises:
        RefusedError: with every reason.
    """
    try:
        yield
    except WireError as error:
        raise refusal(_SHAPE, *error.mistakes) from error
    except ScoringError as error:
        raise refusal(error.code, *error.mistakes) from error


def refusal(code: str, *mistakes: Mistake) -> RefusedError:
    """Make the error of some mistakes."""
    title = _TITLES.get(code, "This cannot be")
    said = {"title": title, "code": code, "detail": sum_up(mistakes), "errors": dump_mistakes(mistakes)}
    return RefusedError(said)


def check_expected(expected: Mapping[str, Any] | None, answer: Mapping[str, Any]) -> None:
    """
    Compare what a document expects with what it comes to.

    Raises:
        RefusedError: with both values at every place that differs.
    """
    mistakes = [] if expected is None else list(find_differences(expected, answer))
    if mistakes:
        raise refusal("expected-differs", *mistakes)
