"""The headers `Deprecation`, `Sunset` and `Link` of responses to requests that use what is deprecated."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any

from flask import Flask, Response, g, request
from werkzeug.http import http_date

from service.deprecations import Deprecation, find_operations


def announce_deprecations(app: Flask, contract: dict[str, Any], deprecations: Sequence[Deprecation]) -> None:
    """Add headers to the responses of operations that are deprecated, or have a part that is."""
    by_operation: dict[str, list[Deprecation]] = defaultdict(list)
    for deprecation in deprecations:
        for operation in find_operations(contract, deprecation):
            by_operation[operation["operationId"]].append(deprecation)

    def announce(response: Response) -> Response:
        used = [*_find_used(by_operation)]
        if used:
            # Of several parts, the dates of those that come first: `Deprecation` and `Sunset` are single values.
            response.headers["Deprecation"] = f"@{_moment(min(each.announced for each in used)).timestamp():.0f}"
            response.headers["Sunset"] = http_date(_moment(min(each.ends for each in used)))
            links = [f'<{url}>; rel="deprecation"' for url in dict.fromkeys(each.replacement for each in used)]
            response.headers["Link"] = ", ".join([*response.headers.getlist("Link"), *links])
        return response

    app.after_request(announce)


def _find_used(by_operation: Mapping[str, Sequence[Deprecation]]) -> Iterator[Deprecation]:
    """Yield what is deprecated of the requested operation. A query parameter counts where the request has it."""
    for deprecation in by_operation.get(g.operation, ()):
        if deprecation.parameter is None or deprecation.parameter in request.args:
            yield deprecation


def _moment(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
