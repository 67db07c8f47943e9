"""
What can go wrong for a client.

    ClientError
    ├── ApiError         the service refused, and says why
    ├── TransportError   the service did not answer
    └── UnreadableError  a file cannot be read as what it should be

Every message is one sentence for the person who can put it right.
"""

from collections.abc import Mapping
from typing import Any, ClassVar


class ClientError(Exception):
    """Something went wrong for a client."""

    code: ClassVar[str] = "client"


class TransportError(ClientError):
    """The service did not answer."""

    code = "transport"


class UnreadableError(ClientError):
    """A file cannot be read as what it should be."""

    code = "unreadable"


class ApiError(ClientError):
    """The service refused; `problem` is its problem document."""

    code = "refused"

    def __init__(self, problem: Mapping[str, Any]) -> None:
        self.problem = problem
        super().__init__(str(problem.get("detail", "the service refused")))
