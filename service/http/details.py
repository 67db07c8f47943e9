"""Details of the problems of requests that fit no operation: what was received, and what is expected."""

import re
from functools import cache
from typing import Final

from flask import current_app, request
from werkzeug.exceptions import (
    HTTPException,
    MethodNotAllowed,
    NotAcceptable,
    NotFound,
    RequestEntityTooLarge,
    UnsupportedMediaType,
)

from schemas.base import show
from schemas.fields import UUID_PATTERN
from service.http.services import current_services

_PARAMETER: Final = re.compile(r"\{(\w+)\}")
_ID: Final = "_id"


def describe_rejection(error: HTTPException) -> str | None:
    """Return the detail of a request that Flask or Werkzeug rejected; None if the advice of its kind says it all."""
    if isinstance(error, NotFound):
        return _describe_path()
    if isinstance(error, MethodNotAllowed):
        allowed = ", ".join(sorted(error.valid_methods or ()))
        return f"the method is {request.method[:20]}; expected one of {allowed}"
    if isinstance(error, NotAcceptable | UnsupportedMediaType):
        return error.description if error.description != type(error).description else None
    if isinstance(error, RequestEntityTooLarge):
        most = current_app.config["MAX_CONTENT_LENGTH"]
        size = request.content_length or f"more than {most}"
        return f"the body has {size} bytes; expected at most {most} ({most >> 20} MiB)"
    return None


def _describe_path() -> str:
    templates = {template for template, _ in current_services().operations}
    for match in filter(None, (_pattern(template).fullmatch(request.path) for template in sorted(templates))):
        for name, value in match.groupdict().items():
            if name.endswith(_ID) and not re.fullmatch(UUID_PATTERN, value):
                return f"`{name}` in the URL is {show(value)}; expected an ID of the service: a UUID"
    return f"the URL {show(request.path)} is not known; expected a path of the contract at /openapi.yaml"


@cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return a pattern of the paths of a template, whatever its parameters are."""
    return re.compile(_PARAMETER.sub(r"(?P<\1>[^/]+)", template))
