"""
W3C Trace Context: the trace that a request belongs to, in log lines, jobs and messages to webhooks.

The service records no spans. It passes a received trace on, and shows its ID in the log.
"""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, Self

HEADER: Final = "traceparent"
_FIELDS: Final = re.compile(r"([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?")
_LONGEST: Final = 512
_INVALID_VERSION: Final = "ff"
_VERSION: Final = "00"
_SAMPLED: Final = 0x01


@dataclass(frozen=True, slots=True)
class Trace:
    """
    A trace, and the part of it from which something follows.

    Attributes:
        trace_id: the ID of the trace, 32 hexadecimal digits.
        span_id: the ID of the part, 16 hexadecimal digits.
        is_sampled: whether the caller records the trace.
    """

    trace_id: str
    span_id: str
    is_sampled: bool

    @classmethod
    def parse(cls, header: str | None) -> Self | None:
        """
        Parse a header; return None if there is none, or if it is not valid.

        >>> Trace.parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").trace_id
        '4bf92f3577b34da6a3ce929d0e0e4736'
        >>> Trace.parse("00-00000000000000000000000000000000-00f067aa0ba902b7-01"), Trace.parse("garbage")
        (None, None)
        """
        fields = _FIELDS.fullmatch(header) if header and len(header) <= _LONGEST else None
        if fields is None:
            return None
        version, trace_id, span_id, flags, rest = fields.groups()
        # Later versions can have further fields.
        if (
            version == _INVALID_VERSION
            or (version == _VERSION and rest)
            or not (int(trace_id, 16) and int(span_id, 16))
        ):
            return None
        return cls(trace_id, span_id, bool(int(flags, 16) & _SAMPLED))

    def begin_part(self) -> "Trace":
        """Return the trace with the ID of a new part."""
        return Trace(self.trace_id, secrets.token_hex(8), self.is_sampled)

    @property
    def header(self) -> str:
        """The header of requests that follow from this part."""
        return f"{_VERSION}-{self.trace_id}-{self.span_id}-{int(self.is_sampled):02x}"


_current: ContextVar[Trace | None] = ContextVar("trace", default=None)


def current_trace() -> Trace | None:
    """Return the trace of what this thread works on; None without one."""
    return _current.get()


def begin_trace(header: str | None) -> None:
    """Begin a part of the trace of a received request, or end that of the thread's last request."""
    received = Trace.parse(header)
    _current.set(received and received.begin_part())


@contextmanager
def tracing(header: str | None) -> Iterator[Trace | None]:
    """Continue a stored trace in the block."""
    stored = Trace.parse(header)
    token = _current.set(stored and stored.begin_part())
    try:
        yield _current.get()
    finally:
        _current.reset(token)
