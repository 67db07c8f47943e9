"""What every command needs: where the service is, what opens it, and how to print."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import click

from client.api import Client
from client.errors import RefusedError, TransportError, UnreadableError
from client.writing import refuse_existing

if TYPE_CHECKING:
    from client.outbox.store import Outbox

REFUSED: Final = 1
UNREADABLE: Final = 2
UNREACHABLE: Final = 3
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141

json_option = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON, for scripts.")

overwrite_option = click.option(
    "--overwrite", "overwrites", is_flag=True, help="Write the file also where one is already."
)


class NamedPath(click.Path):
    """A path, not empty: that would be the folder one happens to be in, where a script's variable was not set."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read it."""
        if value == "":
            self.fail("it is empty; the name of a file or a folder is right", param, ctx)
        return super().convert(value, param, ctx)


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
    Commands that belong together. Those `elsewhere` are loaded once they are asked for.

    Of each it says where among the commands it is, as `module:name`, and what it does, which is all that the help of
    the group needs: to load them all takes longer than most of them work.
    """

    def __init__(
        self, *arguments: Any, elsewhere: Mapping[str, tuple[str, str]] = MappingProxyType({}), **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.elsewhere = elsewhere

    def list_commands(self, context: click.Context) -> list[str]:
        """Name them all, loaded or not."""
        return sorted({*self.commands, *self.elsewhere})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Find one, and load it where it is not yet."""
        if name in self.elsewhere and name not in self.commands:
            module, _, attribute = self.elsewhere[name][0].partition(":")
            self.add_command(getattr(import_module(f"client.commands.{module}"), attribute), name)
        return super().get_command(context, name)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each does, and load none."""
        here = {name: command.get_short_help_str(formatter.width) for name, command in self.commands.items()}
        told = here | {name: says for name, (_, says) in self.elsewhere.items()}
        with formatter.section("Commands"):
            formatter.write_dl(sorted(told.items()))


@dataclass
class Session:
    """Where the service is, and what opens it."""

    url: str
    key: str | None
    key_file: Path | None
    directory: Path | None = None

    def outbox(self, client: Client) -> "Outbox":
        """
        Open what waits on this machine for the service.

        Raises:
            UnreadableError: it cannot be read or written.
        """
        from client.outbox.store import Outbox

        return Outbox(self._find_directory(), client.server)

    def find_outbox(self, client: Client) -> "Outbox | None":
        """
        Open what waits, as `outbox` does, but only where anything was ever kept.

        Raises:
            UnreadableError: it cannot be read or written.
        """
        from client.outbox.store import Outbox

        return Outbox.find(self._find_directory(), client.server)

    def client(self) -> Client:
        """
        Connect to the service.

        Raises:
            UnreadableError: the address is none, or the key cannot be read.
        """
        from stamina.instrumentation import set_on_retry_hooks

        # Who waits is told so in our own words.
        set_on_retry_hooks([])
        return Client(self.url, self.key or self._read_key())

    def _find_directory(self) -> Path:
        import platformdirs

        directory = self.directory or platformdirs.user_data_path("tablestakes", appauthor=False)
        return directory.expanduser().absolute()

    def _read_key(self) -> str | None:
        if self.key_file is None:
            return None
        try:
            key = self.key_file.read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            why = (getattr(error, "strerror", None) or "it is no text").lower()
            raise UnreadableError(f"the key file {self.key_file} cannot be read: {why}") from None
        if not key:
            raise UnreadableError(f"the key file {self.key_file} is empty; one key is right")
        return key


pass_session = click.make_pass_decorator(Session)


@contextmanager
def speaking_of(file: str | Path) -> Iterator[None]:
    """Let what is refused say which file it was in."""
    try:
        yield
    except RefusedError as error:
        error.about = str(file)
        raise


def refuse_output(file: Path | None, *, overwrites: bool) -> None:
    """
    Refuse a file to write that is there and may not give way, before anything is done for it.

    Raises:
        UnreadableError: it is there, and stays as it is.
    """
    if file is not None:
        refuse_existing(file, overwrites=overwrites)
    elif overwrites:
        raise click.UsageError("--overwrite is of a file to write, and none is named")


def tell_waiting(error: TransportError) -> None:
    """Say why nothing goes on for a while."""
    click.echo(f"Waiting: {error}", err=True)


def print_json(document: Mapping[str, Any], *, indent: int | None = 2) -> None:
    """Print an answer as it is; an output that cannot show every character gets their numbers."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    is_unicode = encoding.lower().startswith("utf")
    print(json.dumps(document, ensure_ascii=not is_unicode, indent=indent))
