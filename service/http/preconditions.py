"""The header `If-Match`: a request for one version of a resource."""

import re
from typing import Any, Final

from flask import request

from service.errors import PreconditionInvalid

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
    Return the version that the request is for, or None if the request has no such header.

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
