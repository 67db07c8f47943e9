"""
Shell completion of names and ids from the service.

Nothing here fails or prints an error, because the shell would show it in the middle of the line.
"""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import islice
from threading import Thread
from typing import TYPE_CHECKING, Final

import click

from client.api import Client
from client.commands.base import Session

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Names = Iterable[tuple[str, str]]
"""Names or ids, each with a description, which is not part of the value."""
Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem[str]]"]

_MOST: Final = 100
_MOST_ROUNDS: Final = 20
_MOST_SECONDS: Final = 2
_UNSUITABLE: Final = re.compile(r"[,\n\t]|^-")
"""Of names that a shell cannot be given, or that would be options."""


def _completer(read: Callable[[Client], Names]) -> Completer:
    """Return a function that completes names from the service."""

    def complete(context: click.Context, _parameter: click.Parameter, incomplete: str) -> "list[CompletionItem[str]]":
        from click.shell_completion import CompletionItem

        import client.connection  # noqa: F401 - before the time begins

        root = context.find_root()
        names = _run_in_time(lambda: _ask_service(Session.select(root, **root.params), read))
        return [
            CompletionItem(name, help=description or None)
            for name, description in dict(names).items()
            if name.startswith(incomplete) and not _UNSUITABLE.search(name)
        ]

    return complete


def _run_in_time(function: Callable[[], list[tuple[str, str]]]) -> list[tuple[str, str]]:
    """Return the result of a function; nothing if it fails or takes too long, also where a name is resolved."""
    results = []

    def run() -> None:
        with suppress(Exception):
            results.append(function())

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(_MOST_SECONDS)
    return results[0] if results else []


def _ask_service(session: Session, read: Callable[[Client], Names]) -> list[tuple[str, str]]:
    import stamina

    # Retries take longer than a person waits.
    stamina.set_active(False)
    with session.client() as client:
        return list(islice(read(client), _MOST))


def _list_tables(client: Client) -> Names:
    return ((each["name"], each["ruleset"]) for each in client.list_tables())


def _list_rounds(client: Client) -> Names:
    yield from islice(_list_tables(client), _MOST - _MOST_ROUNDS)
    from client.lookup import describe_round

    rounds = client.list_rounds(limit=_MOST_ROUNDS)
    yield from ((each["id"], describe_round(each)) for each in islice(rounds, _MOST_ROUNDS))


def _list_players(client: Client) -> Names:
    rounds = islice(client.list_rounds(), _MOST)
    return ((seat["player"], "") for each in rounds for seat in each["seats"])


def _list_rulesets(client: Client) -> Names:
    return ((each["name"], "") for each in client.list_rulesets())


def _list_disputes(client: Client) -> Names:
    return ((each["id"], f"{each['state']}, on round {each['round']}") for each in client.list_disputes())


def _list_recomputations(client: Client) -> Names:
    return (
        (each["id"], f"{each['created_at']}, {each['mode']}: {each['reason'] or 'erased'}")
        for each in client.list_recomputations()
    )


def complete_files(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem[str]]":
    """Return the completion for which a shell lists files."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


complete_tables: Final = _completer(_list_tables)
complete_rounds: Final = _completer(_list_rounds)
"""Names of tables, each for its newest round, and ids of rounds."""
complete_players: Final = _completer(_list_players)
complete_rulesets: Final = _completer(_list_rulesets)
complete_disputes: Final = _completer(_list_disputes)
complete_recomputations: Final = _completer(_list_recomputations)


table_option = click.option("--table", help="Only of this table, by its name or id.", shell_complete=complete_tables)
