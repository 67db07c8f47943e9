"""
What the service says about its work: one line on stderr for each thing that happens.

JSON for machines, text where a person looks on. No line can be broken or forged by what a client sends, and no secret
is ever in one.
"""

import json
import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Any, Final, TextIO

import structlog
from structlog import DropEvent
from structlog.stdlib import BoundLogger, ProcessorFormatter
from structlog.typing import EventDict, Processor

from service.config import ConfigError

_LEVELS: Final = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_LONGEST_MESSAGE: Final = 200
_QUOTED: Final = re.compile(r"""['"].*['"]""")
_JSON: Final = json.JSONEncoder(default=str)
_SECRETS: Final = (
    ("ofc_", re.compile(r"\bofc_[A-Za-z0-9_-]{32,}"), "ofc_***"),
    ("bearer", re.compile(r"\b(bearer)\s+[^\s\"'\\]+", re.IGNORECASE), r"\1 ***"),
    ("basic", re.compile(r"\b(basic)\s+[^\s\"'\\]+", re.IGNORECASE), r"\1 ***"),
    ("://", re.compile(r"(://[^\s:@/\"']*):[^\s@/\"']+@"), r"\1:***@"),
)
"""
Nothing logs these; should anything ever try, the last step before the line is written takes them out.

The word that each has in it comes first: to look for words takes a tenth of the time of the expressions, in every line.
"""


@dataclass(frozen=True, slots=True)
class _Output:
    """Where lines go, who writes them, and which are left out."""

    handler: "logging.StreamHandler[TextIO]"
    write: Callable[[EventDict], str]
    least_level: int


class _Lines:
    """
    Where structlog leaves our own lines, which are written as they are.

    The loggers, records and formatters of the standard library would take as long again as all else about a line. The
    handler is the same as theirs, and so is its lock: lines never mix.
    """

    @staticmethod
    def write(line: str) -> None:
        handler = _output.handler
        # What cannot be written is lost, as with the standard library: the work that it tells of is done.
        with handler.lock or nullcontext(), suppress(OSError, ValueError):
            handler.stream.write(line + "\n")
            handler.flush()

    info = warning = error = exception = write


def get_log(name: str) -> BoundLogger:
    """Give the log of one part of the service."""
    log: BoundLogger = structlog.stdlib.get_logger(name)
    return log


def start_logging(environment: Mapping[str, str] = os.environ) -> None:
    """
    Write everything that is logged in this process to stderr, as OFC_LOG and OFC_LOG_LEVEL want it.

    Raises:
        ConfigError: one of them cannot be what it says.
    """
    global _output
    level = _LEVELS[_choose(environment, "OFC_LOG_LEVEL", tuple(_LEVELS), "info")]
    _output = _Output(logging.StreamHandler(sys.stderr), _choose_form(environment), level)
    _output.handler.setFormatter(line_formatter(environment))
    root = logging.getLogger()
    root.handlers = [_output.handler]
    # Of what libraries have to say, only what is wrong.
    root.setLevel(max(level, logging.WARNING))
    logging.captureWarnings(True)


def line_formatter(environment: Mapping[str, str] = os.environ) -> logging.Formatter:
    """
    Make what turns anything that a library logs into one line.

    Raises:
        ConfigError: OFC_LOG is none of its three words.
    """
    write = _choose_form(environment)
    return ProcessorFormatter(
        processors=[ProcessorFormatter.remove_processors_meta, lambda _log, _method, event: hide_secrets(write(event))],
        foreign_pre_chain=[structlog.stdlib.add_logger_name, *_STEPS],
    )


def _leave_out(_log: Any, method: str, event: EventDict) -> EventDict:
    if _LEVELS.get(method, logging.ERROR) < _output.least_level:
        raise DropEvent
    return event


_STEPS: Final[list[Processor]] = [
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
    structlog.processors.format_exc_info,
]

structlog.configure(
    processors=[_leave_out, *_STEPS, lambda _log, _method, event: hide_secrets(_output.write(event))],
    wrapper_class=BoundLogger,
    logger_factory=lambda *_names: _Lines,
    cache_logger_on_first_use=True,
)


def write_json(event: EventDict) -> str:
    r"""
    Write an event as one line of JSON, in ASCII: nothing in it can end the line.

    >>> write_json({"route": "/v1/score\n", "event": "request", "level": "info", "time": "2026-11-20T20:15:00Z"})
    '{"time": "2026-11-20T20:15:00Z", "level": "info", "event": "request", "route": "/v1/score\\n"}'
    """
    first = {name: event.pop(name) for name in ("time", "level", "event")}
    return _JSON.encode({**first, **event})


def write_text(event: EventDict) -> str:
    r"""
    Write an event for a person; only a traceback takes further lines, and those are indented.

    >>> write_text({"detail": "a\nb", "event": "request", "level": "info", "time": "2026-11-20T20:15:00Z"})
    '2026-11-20T20:15:00Z info    request detail="a\\nb"'
    """
    time, level, what = (event.pop(name) for name in ("time", "level", "event"))
    exception = str(event.pop("exception", ""))
    words = [f"{name}={_word(value)}" for name, value in event.items()]
    line = " ".join([str(time), f"{level:7}", _printable(str(what)), *words])
    return "".join([line, *(f"\n    {_printable(further)}" for further in exception.splitlines())])


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
    Write where and why something went wrong in a request, without what the request said.

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


def _word(value: object) -> str:
    text = value if isinstance(value, str) else _JSON.encode(value)
    return text if text and not re.search(r"[\s\"=]", text) and text.isprintable() else json.dumps(text)


def _printable(text: str) -> str:
    return text if text.isprintable() else json.dumps(text)


def _choose_form(environment: Mapping[str, str]) -> Callable[[EventDict], str]:
    form = _choose(environment, "OFC_LOG", ("json", "text", "auto"), "auto")
    if form == "auto":
        form = "text" if sys.stderr.isatty() else "json"
    return write_text if form == "text" else write_json


def _choose(environment: Mapping[str, str], name: str, words: tuple[str, ...], default: str) -> str:
    word = environment.get(name) or default
    if word not in words:
        raise ConfigError(f"{name} is {word!r}; expected {', '.join(words[:-1])} or {words[-1]}.")
    return word


_output = _Output(logging.StreamHandler(), write_json, logging.WARNING)
"""Until logging is started, only what is wrong."""
