"""What happens in a club, event by event, as it happens, also when the connection breaks now and then."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from client.answers import Lines
from client.api import Client
from client.errors import TransportError

WAIT: Final = 10
"""So many seconds the service waits for an event before it answers that there was none."""
_PAUSE: Final = 2.0
_LONGEST_PAUSE: Final = 30.0


def pages_of_events(client: Client, after: int | None) -> Iterator[Lines]:
    """
    List events after a position, or from the first on, page by page, until there are no more.

    Raises:
        TransportError: the service does not answer.
        ApiError: it refuses.
    """
    while True:
        page = client.list_events(after)
        if not page.content:
            return
        after = _last_position(page)
        yield page


def find_event(client: Client, position: int) -> Mapping[str, Any]:
    """
    Find the event at a position.

    Raises:
        TransportError: the service does not answer, or with something else.
        ApiError: it refuses.
    """
    page = client.list_events(position - 1 if position else None)
    try:
        found: Mapping[str, Any] = json.loads(page.content.splitlines()[0])
        if found["position"] == position:
            return found
    except (ValueError, KeyError, TypeError, IndexError):
        pass
    raise TransportError(f"the service answered without the event at position {position}; is the address right?")


def follow_events(client: Client, after: int | None, tell: Callable[[TransportError], None]) -> Iterator[Lines]:
    """
    List events after a position, or from the first on, and then as they happen, for ever; none is left out.

    Pages may be empty: then nothing has happened for a while. Once the service has answered, a connection that breaks
    is waited for, however long, and the list goes on after the last event that came.

    Args:
        client: the service.
        after: the position of the last event that is known.
        tell: is told what broke, once each time that something does.

    Raises:
        TransportError: the service does not answer from the beginning.
        ApiError: it refuses.
    """
    page = client.list_events(after)
    while True:
        after = _last_position(page) if page.content else after
        yield page
        page = _next_page(client, after, tell)


def _next_page(client: Client, after: int | None, tell: Callable[[TransportError], None]) -> Lines:
    pause, is_told = _PAUSE, False
    while True:
        asked = time.monotonic()
        try:
            page = client.list_events(after, WAIT)
        except TransportError as error:
            if not is_told:
                tell(error)
            is_told = True
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            continue
        if not page.content:
            # A service for which too many wait already answers at once; it is not to be asked again and again.
            time.sleep(max(0.0, asked + _PAUSE - time.monotonic()))
        return page


def _last_position(page: Lines) -> int:
    try:
        position: int = json.loads(page.content.splitlines()[-1])["position"]
    except (ValueError, KeyError, TypeError):
        raise TransportError("the service answered with lines that are no events; is the address right?") from None
    return position
