"""Dry runs: the request is processed and rolled back, with the same response."""

from typing import Any, Final

from flask import request

from schemas.base import WireError, show
from scoring.errors import Mistake

NAME: Final = "dry_run"

PARAMETER: Final[dict[str, Any]] = {
    "in": "query",
    "name": NAME,
    "schema": {"type": "boolean", "default": False},
    "description": "Process the request and return the same response, but store nothing. Idempotency keys are ignored.",
}


def is_dry_run() -> bool:
    """
    Return whether the request is a dry run.

    Raises:
        WireError: the parameter is neither true nor false, is given twice, or another parameter is given.
    """
    if not request.query_string:
        return False
    mistakes = [
        Mistake("field-unknown", ("query", name), f"is unknown; expected {NAME}")
        for name in request.args
        if name != NAME
    ]
    values = request.args.getlist(NAME)
    if len(values) > 1:
        mistakes.append(Mistake("field-twice", ("query", NAME), "is given twice; expected once"))
    elif values and values[0] not in ("true", "false"):
        detail = f"is {show(values[0])}; expected true or false"
        mistakes.append(Mistake("not-a-boolean", ("query", NAME), detail))
    if mistakes:
        raise WireError(tuple(mistakes))
    return values == ["true"]
