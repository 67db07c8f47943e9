"""What a service answers with, as it comes from the connection."""

from dataclasses import dataclass
from typing import Any, Final

Document = dict[str, Any]

BUSY: Final = frozenset({"busy", "idempotency-key-in-use"})
"""Codes of refusals that end by themselves, soon."""


class Answer(Document):
    """A document that the service answered with."""

    is_replay: bool = False
    """Whether what was posted had been recorded before."""


@dataclass(frozen=True, slots=True)
class Lines:
    """NDJSON, where its next page begins, and how many lines there are in all."""

    content: bytes
    next_cursor: str | None
    total: int | None
