"""The header `If-Match`: a request for one version of a resource."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, Final
from uuid import UUID

from flask import Response, request

from scoring.errors import ScoringError
from service.db import Transaction
from service.errors import Busy, DatabaseError, PreconditionFailed, PreconditionInvalid, ServiceError
from service.http.authentication import current_transaction

LockVersion = Callable[[Transaction, UUID], int | None]
"""Locks a resource until the transaction ends, and returns its version; None if it does not exist."""

HEADER: Final = "If-Match"
_TAG: Final = re.compile(r'(?:W/)?"(?P<version>[1-9][0-9]{0,15})(?:\.[0-9a-f]{1,32})?"')

PARAMETER: Final[dict[str, Any]] = {
    "in": "header",
    "name": HEADER,
    "schema": {"type": "string", "pattern": rf"^{_TAG.pattern.replace('?P<version>', '?:')}$"},
    "description": "The `ETag` of the round that the request is based on, or its version in quotes. Another version"
    " of the round is a 412.",
    "example": '"12"',
}


def read_if_match() -> int | None:
    """
    Return the version that the request is for, or None if the request lacks the header.

    Raises:
        PreconditionInvalid: the header is not one tag of a round.
    """
    sent = request.headers.get(HEADER)
    if sent is None:
        return None
    tag = _TAG.fullmatch(sent.strip())
    if tag is None:
        raise PreconditionInvalid(f"{HEADER} is {sent[:80]!r}; expected the ETag of a round, for example '\"12\"'")
    return int(tag["version"])


def with_if_match(view: Callable[..., Response], lock_version: LockVersion) -> Callable[..., Response]:
    """
    Refuse requests that change another version of a round than the header `If-Match` has.

    A request that changes nothing is not refused, so that one that is sent again returns what it recorded.

    Args:
        view: changes the round of its argument `round_id`.
        lock_version: locks the round.
    """

    @wraps(view)
    def guarded(*arguments: Any, round_id: UUID, **options: Any) -> Response:
        version = read_if_match()
        current = None if version is None else lock_version(current_transaction(), round_id)
        if version == current or current is None:
            return view(*arguments, round_id=round_id, **options)
        failed = PreconditionFailed(f"{HEADER} has version {version} of the round; expected version {current}")
        try:
            response = view(*arguments, round_id=round_id, **options)
        except (Busy, DatabaseError):
            raise
        except (ServiceError, ScoringError) as error:
            raise failed from error
        if lock_version(current_transaction(), round_id) != current:
            raise failed
        return response

    return guarded
