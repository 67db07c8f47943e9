"""Streamed responses: how many are sent at once, and what is released after the last byte."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from threading import BoundedSemaphore
from typing import Any, Final

from flask import Response, request

from service.errors import ExportsBusy
from service.http.request_state import current_request

MOST_STREAMS: Final = 2
"""Maximum number of streamed responses in a process, so that other requests are served."""
_STREAMS_RETRY_SECONDS: Final = 5
HELD: Final = "ofc.held"
"""The key of a WSGI environment for what the streamed response to the request holds."""
_streams: Final = BoundedSemaphore(MOST_STREAMS)


def reserve_stream() -> None:
    """
    Count the response to the request as a streamed one, unless it is counted already.

    A view calls this before it computes a large response: others are refused before they have used the database.

    Raises:
        ExportsBusy: other responses are being streamed.
    """
    state = current_request()
    assert state.resources is not None, "only a guarded GET is streamed"
    if not state.is_stream:
        count_stream(state.resources)
        state.is_stream = True


def count_stream(opened: ExitStack) -> None:
    """
    Count a streamed response of this process until its resources are released.

    Raises:
        ExportsBusy: other responses are being streamed.
    """
    if not _streams.acquire(blocking=False):
        raise ExportsBusy(
            f"{MOST_STREAMS} exports are being read from this process; expected at most {MOST_STREAMS} at a"
            " time: retry when one of them has ended",
            _STREAMS_RETRY_SECONDS,
        )
    opened.callback(_streams.release)


def stream(response: Response, opened: ExitStack) -> Response:
    """Return a response that releases resources after its last block; if it is not sent, the application does."""
    resources = ExitStack()
    response.response = _release_after(response.response, resources)
    request.environ[HELD] = resources
    # Last, because the caller releases them after an error.
    resources.push(opened.pop_all())
    return response


def _release_after(blocks: Iterable[Any], resources: ExitStack) -> Iterator[Any]:
    with resources:
        yield from blocks
