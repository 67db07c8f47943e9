"""
Shell completion of names and ids, from the service, or from this machine if it does not respond in time.

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

    from client.outbox.store import Outbox

Names = Iterable[tuple[str, str]]
"""Names or ids, each with a description, which is not part of the value."""
Completer = Callable[[click.Context, click.Parameter, str], "list[CompletionItem[str]]"]

_MOST: Final = 100
_MOST_ROUNDS: Final = 20
_SERVICE_SECONDS: Final = 2
_MACHINE_SECONDS: Final = 5
"""Another `ofc` may have locked the outbox."""
_UNSUITABLE: Final = re.compile(r"[,\n\t]|^-")
"""Of names that a shell cannot be given, or that would be options."""


def _completer(from_service: Callable[[Client], Names] | None, from_machine: Callable[[Session], Names]) -> Completer:
    """Return a function that completes names from the service, or else from this machine."""

    def complete(context: click.Context, _parameter: click.Parameter, incomplete: str) -> "list[CompletionItem[str]]":
        from click.shell_completion import CompletionItem

        root = context.find_root()
        found = None
        if from_service is not None:
            import client.connection  # noqa: F401 - before the time begins

            read = from_service
            found = _run_within(_SERVICE_SECONDS, lambda: _ask_service(Session.select(root, **root.params), read))
        if found is None:
            found = _run_within(_MACHINE_SECONDS, lambda: list(from_machine(Session.select(root, **root.params))))
        return [
            CompletionItem(name, help=description or None)
            for name, description in dict(found or []).items()
            if name.startswith(incomplete) and not _UNSUITABLE.search(name)
        ]

    return complete


def _run_within(seconds: float, function: Callable[[], list[tuple[str, str]]]) -> list[tuple[str, str]] | None:
    """Return the result of a function; None if it fails or takes too long, also where a name is resolved."""
    results = []

    def run() -> None:
        with suppress(Exception):
            results.append(function())

    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return results[0] if results else None


def _ask_service(session: Session, read: Callable[[Client], Names]) -> list[tuple[str, str]]:
    import stamina

    # Retries take longer than a person waits.
    stamina.set_active(False)
    with session.client() as client:
        return list(islice(read(client), _MOST))


def _stored(read: "Callable[[Outbox], Names]") -> Callable[[Session], Names]:
    """Return a function that reads names from the outbox of this machine, if there is one."""

    def ask(session: Session) -> Names:
        with session.client() as client:
            found = session.find_outbox(client)
        if found is None:
            return []
        with found as outbox:
            return list(read(outbox))

    return ask


def _list_tables(client: Client) -> Names:
    return ((each["name"], each["ruleset"]) for each in client.list_tables())


def _list_rounds(client: Client) -> Names:
    yield from islice(_list_tables(client), _MOST - _MOST_ROUNDS)
    from client.lookup import describe_round

    rounds = client.list_rounds(limit=str(_MOST_ROUNDS))
    yield from ((each["id"], describe_round(each)) for each in islice(rounds, _MOST_ROUNDS))


def _list_players(client: Client) -> Names:
    rounds = islice(client.list_rounds(), _MOST)
    return ((seat["player"], "") for each in rounds for seat in each["seats"])


def _list_rulesets(client: Client) -> Names:
    return ((each["name"], "") for each in client.list_rulesets())


def _list_presets(_session: Session) -> Names:
    from client.offline.score import list_presets

    return ((name, "") for name in list_presets())


def _list_disputes(client: Client) -> Names:
    return ((each["id"], f"{each['state']}, on round {each['round']}") for each in client.list_disputes())


def _list_stored_tables(outbox: "Outbox") -> Names:
    return ((each.document["name"], each.document["ruleset"]) for each in outbox.list_tables())


def _list_stored_rounds(outbox: "Outbox") -> Names:
    yield from _list_stored_tables(outbox)
    for each in outbox.list_newest_rounds(_MOST_ROUNDS):
        yield each.round_id, f"at {each.table}"


def _list_stored_players(outbox: "Outbox") -> Names:
    return ((seat["player"], "") for each in outbox.list_newest_rounds(_MOST) for seat in each.document["seats"])


def complete_files(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> "list[CompletionItem[str]]":
    """Return the completion for which a shell lists files."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


complete_tables: Final = _completer(_list_tables, _stored(_list_stored_tables))
complete_rounds: Final = _completer(_list_rounds, _stored(_list_stored_rounds))
"""Names of tables, each for its newest round, and ids of rounds."""
complete_players: Final = _completer(_list_players, _stored(_list_stored_players))
complete_rulesets: Final = _completer(_list_rulesets, _list_presets)
complete_disputes: Final = _completer(_list_disputes, lambda _session: ())
complete_recomputations: Final = _completer(None, _stored(lambda outbox: outbox.list_recomputations().items()))
"""Those that were started from this machine."""


table_option = click.option("--table", help="Only of this table, by its name or id.", shell_complete=complete_tables)
