"""Responses that are Parquet files."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Final

from flask import Response
from werkzeug.exceptions import NotAcceptable

from schemas.base import WireError
from scoring.errors import Mistake

PARQUET: Final = "application/vnd.apache.parquet"
PARQUET_FILE: Final[Mapping[str, Any]] = {PARQUET: {"schema": {"type": "string", "format": "binary"}}}
"""The form of a response in the contract."""


def respond_parquet(blocks: Iterator[bytes], others: str) -> Response:
    """
    Return the response with a file, whose first block is read before the response begins.

    Args:
        blocks: those of the file, as `spool_parquet` yields them.
        others: the media types in which the response is there without the library.

    Raises:
        NotAcceptable: the service is installed without the extra `parquet`.
    """
    try:
        return Response(chain([next(blocks)], blocks), content_type=PARQUET)
    except ImportError as error:
        raise NotAcceptable(
            f"this service is installed without the extra `tablestakes[parquet]`, which {PARQUET} needs;"
            f" expected {others}, or no Accept header"
        ) from error


def refuse_for_form(query: Mapping[str, Any], names: Iterable[str], form: str) -> None:
    """
    Refuse parameters that have no meaning for the media type of the response.

    Args:
        query: the parameters.
        names: those that have no meaning, by their names in the query.
        form: the media type.

    Raises:
        WireError: one of them is given.
    """
    detail = f"cannot be used with {form}; expected a request without it, or with another Accept header"
    mistakes = tuple(Mistake("form-mismatch", ("query", name), detail) for name in names if query[name] is not None)
    if mistakes:
        raise WireError(mistakes)
