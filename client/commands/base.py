"""What all commands share: command classes, common options, the session with a service, and printing of JSON."""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import wraps
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import click
from click.core import ParameterSource

from client.api import Client
from client.errors import RefusedError, TransportError, UnreadableError
from client.files import refuse_existing
from client.render.format import escape_unprintable

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

json_option = click.option("--json", "as_json", is_flag=True, help="Print the response as JSON, for scripts.")

limit_option = click.option(
    "--limit", type=click.IntRange(1), default=50, show_default=True, help="Maximum number of items."
)

settle_up_option = click.option(
    "--settle-up",
    type=click.Choice(("fewest", "pairs")),
    help="By the fewest payments, which is the default, or by one between each two players who played.",
)

yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")

overwrite_option = click.option("--overwrite", "overwrites", is_flag=True, help="Overwrite an existing file.")


ACCEPTED: Final = (
    "expected today, yesterday, a date such as 2026-11-20, a number of days ago such as -7d, or a time such as"
    " 2026-11-20T20:15 or 2026-11-20T20:15:00Z"
)

_DAYS_AGO: Final = re.compile(r"-(\d{1,6})d", re.ASCII)
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)
_HAS_OFFSET: Final = re.compile(r"[Zz]$|[+-]\d\d:\d\d$")
_NAMED: Final = {"today": 0, "yesterday": 1}

Function = TypeVar("Function", bound=Callable[..., Any])

_WIDTH: Final = 100
"""Of a summary."""

REFUSED: Final = 1
UNREADABLE: Final = 2
UNREACHABLE: Final = 3
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141


class NamedPath(click.Path):
    """
    A path that is not empty.

    An empty one would mean the current directory, where a variable of a script is not set.
    """

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Convert the argument to a path."""
        if value == "":
            self.fail("the path is empty; expected the name of a file or a directory", param, ctx)
        return super().convert(value, param, ctx)


def refuse_output(file: Path | None, *, overwrites: bool) -> None:
    """
    Reject an output file that exists and may not be overwritten, before any work is done for it.

    Raises:
        UnreadableError: the file exists and may not be overwritten.
    """
    if file is not None:
        refuse_existing(file, overwrites=overwrites)
    elif overwrites:
        raise click.UsageError("--overwrite was given without a file to write; expected an option that names the file")


@dataclass(frozen=True, slots=True)
class Evenings:
    """The time zone of a club, None for that of this machine, and when its evenings begin."""

    time_zone: str | None = None
    begins: time = time(6)

    @property
    def zone(self) -> tzinfo | None:
        """The time zone; None for that of this machine."""
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        try:
            return None if self.time_zone is None else ZoneInfo(self.time_zone)
        except (ZoneInfoNotFoundError, ValueError):
            raise UnreadableError(
                f"the time zone {self.time_zone!r} of the club is unknown on this machine; `pip install tzdata` adds it"
            ) from None

    def begin(self, day: date) -> datetime:
        """Return when the evening of a day begins."""
        return datetime.combine(day, self.begins, self.zone).astimezone(UTC)

    def today(self) -> date:
        """Return the day of the current evening."""
        now = datetime.now(UTC)
        day = now.astimezone(self.zone).date()
        return day if self.begin(day) <= now else day - timedelta(days=1)


def find_evenings(client: Client) -> Evenings:
    """Return the evenings of the club, as the service knows them."""
    club = client.get_club()
    return Evenings(club["time_zone"], time.fromisoformat(club["evening_begins"]))


def parse_moment(text: str, evenings: Evenings) -> str:
    """
    Parse a point in time, and return it in RFC 3339 in UTC.

    A day begins when the evening of the club begins. Times without an offset are in its time zone.

    >>> berlin = Evenings("Europe/Berlin", time(6))
    >>> parse_moment("2026-11-20T20:15:00+05:00", berlin), parse_moment("2026-11-20", berlin)
    ('2026-11-20T15:15:00Z', '2026-11-20T05:00:00Z')

    Raises:
        ValueError: the text is not a time.
    """
    try:
        return _parse(text.strip(), evenings).astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError, OSError):
        raise ValueError(f"{text!r} is not a time; {ACCEPTED}") from None


def _parse(text: str, evenings: Evenings) -> datetime:
    days_ago = _DAYS_AGO.fullmatch(text)
    if text.lower() in _NAMED or days_ago:
        days = int(days_ago[1]) if days_ago else _NAMED[text.lower()]
        return evenings.begin(evenings.today() - timedelta(days))
    if _DAY.fullmatch(text):
        return evenings.begin(date.fromisoformat(text))
    if _TIME.fullmatch(text):
        parsed = datetime.fromisoformat(text.upper())
        return parsed if parsed.tzinfo else parsed.replace(tzinfo=evenings.zone)
    raise ValueError(text)


@dataclass(frozen=True, slots=True)
class Period:
    """A period as typed."""

    begin: str | None
    end: str | None

    @property
    def needs_club(self) -> bool:
        """Whether a time depends on the club."""
        return any(text is not None and not _HAS_OFFSET.search(text) for text in (self.begin, self.end))

    def find(self, client: Client) -> dict[str, Any]:
        """Return the filters `from_` and `to` of the period, by the evenings of the club."""
        evenings = find_evenings(client) if self.needs_club else Evenings()
        both = {"from_": self.begin, "to": self.end}
        return {name: None if text is None else parse_moment(text, evenings) for name, text in both.items()}


class Moment(click.ParamType[str]):
    """A point in time as people write it."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Check the argument, whose value depends on the club."""
        try:
            parse_moment(value, Evenings())
        except ValueError as error:
            self.fail(str(error), param, ctx)
        return str(value).strip()


MOMENT: Final = Moment()


_LIFETIME: Final = re.compile(r"(?P<number>[1-9][0-9]{0,5})(?P<unit>[mhd])", re.ASCII)
_SECONDS: Final = {"m": 60, "h": 60 * 60, "d": 24 * 60 * 60}


class Lifetime(click.ParamType[int]):
    """
    A time such as `90m`, `24h` or `7d`, as seconds.

    >>> Lifetime().convert("24h", None, None)
    86400
    """

    name = "lifetime"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the seconds of a time."""
        match = _LIFETIME.fullmatch(str(value))
        if match is None:
            self.fail(
                f"{value!r} is not a time; expected minutes, hours or days, for example 90m, 24h or 7d", param, ctx
            )
        return int(match["number"]) * _SECONDS[match["unit"]]


class Entry(click.ParamType[tuple[str, str]]):
    """One entry of metadata, such as `city=Lyon`."""

    name = "entry"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """Return the key and the text of an entry."""
        key, separator, text = value.partition("=")
        if not separator:
            self.fail(f"{value!r} has no text; expected, for example, city=Lyon", param, ctx)
        return key, text


_BEGIN: Final = "Only rounds opened at TIME or later: today, yesterday, 2026-11-20, -7d (days ago), or RFC 3339."
_END: Final = "Only rounds opened before TIME. Days begin with the evening of the club, at 06:00 unless it is set up."


def period_options(command: Function) -> Function:
    """Add the options `--from` and `--to`, and pass them as one `period` in which rounds were opened."""

    @wraps(command)
    def joined(*arguments: Any, opened_from: str | None, opened_before: str | None, **options: Any) -> Any:
        return command(*arguments, period=Period(opened_from, opened_before), **options)

    decorated = click.option("--to", "opened_before", metavar="TIME", type=MOMENT, help=_END)(joined)
    decorated = click.option("--from", "opened_from", metavar="TIME", type=MOMENT, help=_BEGIN)(decorated)
    return cast("Function", decorated)


class Command(click.Command):
    """A command whose help ends with examples, printed as they are typed."""

    def __init__(self, *arguments: Any, examples: Sequence[str] = (), **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.examples = examples

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples after the options."""
        if self.examples:
            with formatter.section("Examples"):
                indent = " " * formatter.current_indent
                formatter.write("".join(f"{indent}{example}\n" for example in self.examples))


class Group(Command, click.Group):
    """
    A group of commands. Those in `lazy_commands` are imported when they are used.

    Each value of `lazy_commands` is the place of the command as `module:name`, and the summary for the help of the
    group. To import all commands takes longer than most of them run.
    """

    def __init__(
        self, *arguments: Any, lazy_commands: Mapping[str, tuple[str, str]] = MappingProxyType({}), **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.lazy_commands = lazy_commands

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands, imported or not."""
        return sorted({*self.commands, *self.lazy_commands})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command, and import it if necessary."""
        if name in self.lazy_commands and name not in self.commands:
            module, _, attribute = self.lazy_commands[name][0].partition(":")
            self.add_command(getattr(import_module(f"client.commands.{module}"), attribute), name)
        return super().get_command(context, name)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the summary of each command without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self._summaries(formatter.width).items()))

    def shell_complete(self, context: click.Context, incomplete: str) -> "list[CompletionItem[str]]":
        """Complete the names of commands without importing any, and options."""
        from click.shell_completion import CompletionItem

        names = sorted(self._summaries(_WIDTH).items())
        items = [CompletionItem(name, help=summary) for name, summary in names if name.startswith(incomplete)]
        return items + click.Command.shell_complete(self, context, incomplete)

    def _summaries(self, width: int) -> dict[str, str]:
        here = {name: command.get_short_help_str(width) for name, command in self.commands.items()}
        return here | {name: summary for name, (_, summary) in self.lazy_commands.items()}


DEFAULT_TIMEOUT: Final = 3.0
"""Seconds that a person waits for a connection, and for the response to a read."""


@dataclass
class Session:
    """The address of the service, the key for it, and how long to wait for it."""

    url: str
    key: str | None
    key_file: Path | None
    timeout: float = DEFAULT_TIMEOUT

    @classmethod
    def select(
        cls,
        context: click.Context,
        url: str,
        key: str | None,
        key_file: Path | None,
        timeout: float,
    ) -> "Session":
        """Return the session of the options of `ofc`. Options take precedence over variables of the environment."""
        if context.get_parameter_source("key_file") is ParameterSource.COMMANDLINE:
            key = key if context.get_parameter_source("key") is ParameterSource.COMMANDLINE else None
        return cls(url, key, key_file, timeout)

    def client(self, *, is_patient: bool = False, reports_waiting: bool = True) -> Client:
        """
        Return a client of the service.

        Args:
            is_patient: whether the command works without a person who waits for it: --timeout does not apply.
            reports_waiting: whether the client reports why a request takes long; else the command does.

        Raises:
            UnreadableError: the address is invalid, or the key cannot be read.
        """
        timeout = None if is_patient else self.timeout
        on_waiting = print_waiting if reports_waiting else _ignore
        return Client(self.url, self.key or self._read_key(), timeout=timeout, on_waiting=on_waiting)

    def _read_key(self) -> str | None:
        if self.key_file is None:
            return None
        try:
            key = self.key_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            why = (getattr(error, "strerror", None) or "it is not text").lower()
            raise UnreadableError(f"the key file {self.key_file} cannot be read: {why}") from None
        if not key:
            raise UnreadableError(f"the key file {self.key_file} is empty; expected one key")
        return key


pass_session = click.make_pass_decorator(Session)


@contextmanager
def with_source(file: str | Path) -> Iterator[None]:
    """Add the name of the file to a refusal."""
    try:
        yield
    except RefusedError as error:
        error.source = str(file)
        raise


def _ignore(_error: TransportError) -> None:
    """Report nothing."""


def print_waiting(error: TransportError) -> None:
    """Print why the client waits."""
    click.echo(f"Waiting: {error}", err=True)


def print_json(document: Mapping[str, Any], *, indent: int | None = 2) -> None:
    """Print a response as JSON. An output that cannot encode every character gets escapes."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    is_unicode = encoding.lower().startswith("utf")
    print(escape_unprintable(json.dumps(document, ensure_ascii=not is_unicode, indent=indent)))
