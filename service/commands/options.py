"""Options, arguments and groups of several commands."""

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from service.config import default_directory
from service.errors import OperatorError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_DIRECTORY: Final = str(default_directory()).replace(str(Path.home()), "~")
_LONGEST: Final = 100
_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LONGEST_LIFE: Final = timedelta(days=3660)

_LONGEST_SENTENCE: Final = 1000


class Commands(click.Group):
    """A group whose help has the complete first sentence of each command; click would cut it."""

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with their summaries."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self.summaries().items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> "list[CompletionItem[str]]":
        """Complete the names of commands, which need not be imported, and options."""
        from click.shell_completion import CompletionItem

        names = sorted(self.summaries().items())
        completions = [CompletionItem(name, help=summary) for name, summary in names if name.startswith(incomplete)]
        return completions + click.Command.shell_complete(self, ctx, incomplete)

    def summaries(self) -> dict[str, str]:
        """Return the summary of each command."""
        return {name: command.get_short_help_str(_LONGEST_SENTENCE) for name, command in self.commands.items()}


class NamedPath(click.Path):
    """A path that is not empty. An empty one, from an unset variable of a script, would be the current directory."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Parse the path."""
        if value == "":
            self.fail("it is empty; expected the name of a file or a directory", param, ctx)
        return super().convert(value, param, ctx)


data_option = click.option(
    "--data",
    "directory",
    type=NamedPath(path_type=Path),
    help=f"Directory of the records and the first key.  [OFC_DATA; {_DIRECTORY}]",
)
_certificate_option = click.option(
    "--tls-cert",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Certificate for HTTPS with its chain, as PEM; with --tls-key.",
)
_key_option = click.option(
    "--tls-key",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Private key of the certificate, as PEM, not encrypted.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def tls_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of the certificate and its key to a command."""
    return _certificate_option(_key_option(command))


def read_tls(certificate: Path | None, key: Path | None) -> tuple[Path, Path] | None:
    """
    Return the files of the certificate and its key; None for HTTP.

    Raises:
        click.UsageError: only one of them is given.
    """
    if (certificate is None) != (key is None):
        raise click.UsageError("--tls-cert and --tls-key belong together; expected both or none")
    return None if certificate is None or key is None else (certificate, key)


def read_name(what: str, text: str) -> str:
    """
    Validate a name: one line of text.

    Raises:
        OperatorError: the name is empty, too long or has control characters.

    >>> read_name("The club's name", "home")
    'home'
    """
    from marshmallow import ValidationError

    from schemas.fields import Text

    try:
        name: str = Text(longest=_LONGEST).deserialize(text)
    except ValidationError as error:
        raise OperatorError(f"{what} {error.messages[0]}.") from None
    return name


def read_player(text: str) -> str:
    """
    Validate the operator's ID of a player.

    Raises:
        OperatorError: it is no ID.

    >>> read_player("ann")
    'ann'
    """
    from marshmallow import ValidationError

    from schemas.game_fields import PlayerField

    try:
        player: str = PlayerField().deserialize(text)
    except ValidationError as error:
        raise OperatorError(f"The player's ID {error.messages[0]}.") from None
    return player


def read_duration(what: str, text: str) -> timedelta:
    """
    Parse a duration: a number and a unit.

    Raises:
        OperatorError: the text is not a duration, or is more than ten years.

    >>> read_duration("The key's life", "90d")
    datetime.timedelta(days=90)
    """
    match = re.fullmatch(r"([1-9]\d{0,6})([mhdw])", text, re.ASCII)
    duration = timedelta(**{_UNITS[match[2]]: int(match[1])}) if match else timedelta(0)
    if not timedelta(0) < duration <= _LONGEST_LIFE:
        raise OperatorError(
            f"{what} is {text!r}; expected a number and m, h, d or w, for example 90d, up to ten years."
        )
    return duration
