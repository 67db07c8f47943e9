"""
Errors of the client.

    ClientError
    ├── RefusedError         the rules refuse a request, with every reason
    │   └── ApiError         the service refused it
    ├── NotModified          a conditional read: the client has the current response
    ├── TransportError       the service did not respond, or another server did
    └── UnreadableError      an argument, a file, an address or a key is invalid

Every message is one sentence for the user; every `code` is for programs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

Problem = dict[str, Any]


class ClientError(Exception):
    """The base of all errors of the client."""

    code = "client"


class TransportError(ClientError):
    """The service did not respond, or another server did. `advice` says how to repeat the request, if it is stored."""

    code = "transport"
    advice: str | None = None


class NotModified(ClientError):
    """What `if_none_match` names is still current, so the service sent nothing."""

    code = "not-modified"


class UnreadableError(ClientError):
    """An argument, a file or an address is not readable or not valid."""

    code = "unreadable"


class RefusedError(ClientError):
    """
    The rules refuse a request. `problem` is a problem document with every reason, and `code` is its code.

    `source` names the file that the problem is about, if any. `advice` says what to do instead. `hand` is the hand that
    was sent, if the request was one.

    >>> error = RefusedError({"title": "Invalid hand", "code": "hand-invalid", "detail": "…", "errors": []})
    >>> error.code
    'hand-invalid'
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.code = str(problem["code"])
        self.source: str | None = None
        self.advice: str | None = None
        self.hand: Problem | None = None
        super().__init__(str(problem["detail"]))

    def move_pointers(self, *place: str | int) -> None:
        """
        Prefix every pointer of the problem with the place of the refused part in a larger document.

        >>> mistake = {"pointer": "#/players/0", "code": "seat-twice", "detail": "…"}
        >>> error = RefusedError({"code": "hand-invalid", "detail": "…", "errors": [mistake]})
        >>> error.move_pointers("hands", 1)
        >>> error.problem["errors"][0]["pointer"]
        '#/hands/1/players/0'
        """
        prefix = "#" + "".join(f"/{step}" for step in place)
        whole = {"pointer": "#", "code": self.code, "detail": str(self)}
        mistakes = self.problem["errors"] or [whole]
        moved = [{**mistake, "pointer": prefix + mistake["pointer"].removeprefix("#")} for mistake in mistakes]
        self.problem = {**self.problem, "errors": moved}


@contextmanager
def attach_hand(hand: Problem) -> Iterator[None]:
    """Attach the hand that was sent to a refusal of it."""
    try:
        yield
    except RefusedError as error:
        error.hand = hand
        raise


class ApiError(RefusedError):
    """The service refused a request. Its problem document has a `status` and a `request_id` too."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        return int(self.problem["status"])

    @property
    def errors(self) -> list[Problem]:
        """Every error found in the request: its `pointer`, `code` and `detail`."""
        return list(self.problem["errors"])

    @property
    def request_id(self) -> str:
        """The ID of the request, as in the log of the service."""
        return str(self.problem["request_id"])
