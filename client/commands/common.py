"""What every command needs: where the service is, how to print, and how to fail."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from rich.console import Console

from client.api import Client
from client.errors import UnreadableError

View = TypeVar("View", bound=Callable[..., Any])

REFUSED: Final = 1
UNREADABLE: Final = 2
UNREACHABLE: Final = 3

json_option = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON, for scripts.")


@dataclass
class Session:
    """Where the service is, and what opens it."""

    url: str
    key: str | None
    key_file: Path | None

    def client(self) -> Client:
        """
        Connect to the service.

        Raises:
            UnreadableError: the key file cannot be read.
        """
        key = self.key
        if key is None and self.key_file is not None:
            try:
                key = self.key_file.read_text(encoding="utf-8").strip()
            except (OSError, UnicodeDecodeError) as error:
                raise UnreadableError(f"the key file {self.key_file} cannot be read: {error}") from None
        return Client(self.url, key)


pass_session = click.make_pass_decorator(Session)


def make_console(*, error: bool = False) -> Console:
    """Write for people: colours on a terminal that has them, unless NO_COLOR is set; wide lines into a pipe."""
    console = Console(stderr=error, highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = max(console.width, 160)
    return console


def print_json(document: Mapping[str, Any]) -> None:
    """Print an answer as it is."""
    json.dump(document, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")
