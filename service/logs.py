"""
The log: one line on stderr for each event, as JSON or as text.

No line can be broken or forged by what a client sends, and secrets are masked.
"""

import logging
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from typing import Any, Final

import structlog
from structlog.stdlib import BoundLogger, ProcessorFormatter
from structlog.typing import EventDict, Processor

from service.config import ConfigError
from service.trace_context import current_trace

_LEVELS: Final = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_LONGEST_MESSAGE: Final = 200
_QUOTED: Final = re.compile(r"""['"].*['"]""")
_SECRETS: Final = (
    ("ofc_", re.compile(r"\bofc_[A-Za-z0-9_-]{32,}"), "ofc_***"),
    ("bearer", re.compile(r"\b(bearer)\s+[^\s\"'\\]+", re.IGNORECASE), r"\1 ***"),
    ("basic", re.compile(r"\b(basic)\s+[^\s\"'\\]+", re.IGNORECASE), r"\1 ***"),
    ("://", re.compile(r"(://[^\s:@/\"']*):[^\s@/\"']+@"), r"\1:***@"),
)
"""
Secrets. No code logs them; as a safeguard, the last step before a line is written removes them.

Each expression comes after a word that it contains: searching every line for the words takes a tenth of the time.
"""


def get_log(name: str) -> BoundLogger:
    """Return the log of one part of the service."""
    log: BoundLogger = structlog.stdlib.get_logger(name)
    return log


def start_logging(environment: Mapping[str, str] = os.environ) -> None:
    """
    Write the log of this process to stderr, configured by OFC_LOG and OFC_LOG_LEVEL.

    Raises:
        ConfigError: one of them is not valid.
    """
    level = _LEVELS[_choose(environment, "OFC_LOG_LEVEL", tuple(_LEVELS), "info")]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(make_formatter(environment))
    root = logging.getLogger()
    root.handlers = [handler]
    # Libraries log only warnings and errors.
    root.setLevel(max(level, logging.WARNING))
    logging.getLogger("service").setLevel(level)
    logging.captureWarnings(True)
    # A line that cannot be written is lost; the work that it describes is done.
    logging.raiseExceptions = False


def make_formatter(environment: Mapping[str, str] = os.environ) -> logging.Formatter:
    """
    Return what formats the service's events, and the records of libraries, as one line each.

    Raises:
        ConfigError: OFC_LOG is not valid.
    """
    form = _choose(environment, "OFC_LOG", ("json", "text", "auto"), "auto")
    if form == "auto":
        form = "text" if sys.stderr.isatty() else "json"
    return _Formatter(
        processors=[*(_TEXT if form == "text" else _JSON), _hide_secrets],
        foreign_pre_chain=[structlog.stdlib.add_logger_name, *_STEPS, ProcessorFormatter.remove_processors_meta],
    )


class _Formatter(ProcessorFormatter):
    """Renders the service's events without the copy of their record that structlog would make."""

    def format(self, record: logging.LogRecord) -> str:
        if not hasattr(record, "_logger"):
            return super().format(record)
        line: Any = record.msg
        line = line.copy()
        for render in self.processors:
            line = render(None, record.levelname, line)
        return str(line)


def _escape(_log: Any, _method: str, event: EventDict) -> EventDict:
    """Escape the control characters in what the text form does not quote, and indent a traceback."""
    event["event"] = _printable(str(event["event"]))
    if "exception" in event:
        lines = str(event["exception"]).splitlines()
        event["exception"] = "\n".join(f"    {_printable(line)}" for line in lines)
    return event


def _printable(text: str) -> str:
    return text if text.isprintable() else repr(text)


def _add_trace(_log: Any, _method: str, event: EventDict) -> EventDict:
    """Add the trace of the request or the job, if there is one."""
    trace = current_trace()
    if trace is not None:
        event["trace_id"], event["span_id"] = trace.trace_id, trace.span_id
    return event


def _order(_log: Any, _method: str, event: EventDict) -> EventDict:
    """Move the time, the level and the event to the front."""
    first = {name: event.pop(name) for name in ("time", "level", "event")}
    return {**first, **event}


def _hide_secrets(_log: Any, _method: str, line: Any) -> str:
    return hide_secrets(line)


def hide_secrets(line: str) -> str:
    """
    Take out what looks like a key or a password.

    >>> hide_secrets("postgresql://ofc:secret@db.example/ofc, Authorization: Bearer abc")
    'postgresql://ofc:***@db.example/ofc, Authorization: Bearer ***'
    >>> hide_secrets("BASIC abc, ofc_" + "x" * 43)
    'BASIC *** ofc_***'
    """
    lowered = line.casefold()
    for word, secret, instead in _SECRETS:
        if word in lowered:
            line = secret.sub(instead, line)
    return line


def format_exception(error: BaseException) -> str:
    """
    Write where and why something went wrong in a request, without the content of the request.

    Messages of errors repeat values: a player's name in a `KeyError`, a whole record in PostgreSQL's details. So only
    the first line of each is kept, and what is quoted in it is left out.

    >>> format_exception(KeyError("Ann"))
    "KeyError: '…'"
    """
    return "\n".join(_causes_first(error))


def _causes_first(error: BaseException) -> Iterator[str]:
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _causes_first(cause)
        yield "which led to:"
    if error.__traceback__ is not None:
        yield "Traceback (most recent call last):"
        yield from "".join(traceback.format_tb(error.__traceback__)).splitlines()
    message = (str(error).splitlines() or [""])[0]
    masked = _QUOTED.sub("'…'", message)[:_LONGEST_MESSAGE]
    yield f"{type(error).__qualname__}: {masked}"


def _choose(environment: Mapping[str, str], name: str, words: tuple[str, ...], default: str) -> str:
    word = environment.get(name) or default
    if word not in words:
        raise ConfigError(f"{name} is {word!r}; expected {', '.join(words[:-1])} or {words[-1]}.")
    return word


_STEPS: Final[list[Processor]] = [
    structlog.stdlib.add_log_level,
    _add_trace,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
    structlog.processors.format_exc_info,
]
_JSON: Final[list[Processor]] = [_order, structlog.processors.JSONRenderer(default=str)]
_TEXT: Final[list[Processor]] = [
    _escape,
    structlog.dev.ConsoleRenderer(
        colors=False, repr_native_str=True, sort_keys=False, pad_event_to=0, timestamp_key="time"
    ),
]

structlog.configure(
    processors=[structlog.stdlib.filter_by_level, *_STEPS, ProcessorFormatter.wrap_for_formatter],
    wrapper_class=BoundLogger,
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)
if logging.lastResort is not None:
    # Until logging is started, warnings and errors are logged.
    logging.lastResort.setFormatter(make_formatter({"OFC_LOG": "json"}))
