"""
What can go wrong for a client.

    ClientError
    ├── RefusedError         the rules refuse it, and say why
    │   └── ApiError         the service did
    ├── TransportError       the service did not answer, or something else did
    └── UnreadableError      what was given (a file, an address, a key) cannot be read as what it should be

Every message is one sentence for the person who can put it right; every `code` is a word for a program.
"""

from typing import Any

Problem = dict[str, Any]


class ClientError(Exception):
    """Something went wrong for a client."""

    code = "client"


class TransportError(ClientError):
    """The service did not answer, or what answered is no Tablestakes."""

    code = "transport"


class UnreadableError(ClientError):
    """What was given cannot be read as what it should be."""

    code = "unreadable"


class RefusedError(ClientError):
    """
    The rules refuse it; `problem` says why, in the form of the service's problem documents, and `code` is its own.

    `about` is the file that it speaks of, where there is one; `waits_as` its number in the outbox, if it stays there.

    >>> error = RefusedError({"title": "The hand cannot be", "code": "hand-invalid", "detail": "…", "errors": []})
    >>> error.code
    'hand-invalid'
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.code = str(problem["code"])
        self.about: str | None = None
        self.waits_as: int | None = None
        super().__init__(str(problem["detail"]))

    def under(self, *place: str | int) -> None:
        """
        Say where in a larger document the refused part stands.

        >>> mistake = {"pointer": "#/players/0", "code": "seat-twice", "detail": "…"}
        >>> error = RefusedError({"code": "hand-invalid", "detail": "…", "errors": [mistake]})
        >>> error.under("hands", 1)
        >>> error.problem["errors"][0]["pointer"]
        '#/hands/1/players/0'
        """
        prefix = "#" + "".join(f"/{step}" for step in place)
        whole = {"pointer": "#", "code": self.code, "detail": str(self)}
        mistakes = self.problem["errors"] or [whole]
        moved = [{**mistake, "pointer": prefix + mistake["pointer"].removeprefix("#")} for mistake in mistakes]
        self.problem = {**self.problem, "errors": moved}


class ApiError(RefusedError):
    """The service refused; its problem document has a `status` and a `request_id` too."""
