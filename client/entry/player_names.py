"""Checks of new player names against known ones that differ by case or accents only."""

import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final

import click

from client.api import Client
from client.entry.prompt import confirm, make_asker
from client.errors import ApiError, TransportError

_ROUNDS: Final = 100
"""How many rounds of the table and of the club are searched for players, in one request each."""

_JOINERS: Final = "\u200c\u200d"
_TABLES: Final = 20
"""How many tables of documents are searched for players."""

yes_option = click.option("--yes", is_flag=True, help="Accept new names without asking.")


def resolve_names(client: Client, table_id: str, names: Iterable[str], *, yes: bool) -> Mapping[str, str]:
    """
    Return the name to record for each player: the given one, or the known one that was meant.

    A person at a terminal is asked. Otherwise a warning is printed on stderr, and the name remains.

    Args:
        client: the service.
        table_id: the table where they sit down.
        names: the names as given.
        yes: whether to accept names without asking.
    """
    players = list(dict.fromkeys(names))
    if not players:
        return {}
    similar: dict[str, str] = {}
    with suppress(ApiError):  # a key that may not list rounds can open one
        similar = find_similar_names(client, [table_id], players)
    return {
        name: similar[name] if name in similar and _accept_known_name(name, similar[name], yes=yes) else name
        for name in players
    }


def find_similar_names(
    client: Client,
    table_ids: Iterable[str],
    names: Iterable[str],
    others: Iterable[str] = (),
    *,
    without: str | None = None,
) -> dict[str, str]:
    """
    Return each new name together with the known one that differs from it by case or accents only.

    Args:
        client: the service.
        table_ids: the tables where they play; players of the club's newest rounds are known at every table.
        names: the players to be recorded.
        others: further known players.
        without: the id of a round whose players do not count as known.

    Raises:
        ApiError: the key may not list rounds, for example.
        TransportError: the service does not respond.
    """
    known = set(others).union(*(_list_players(client, table_id, without) for table_id in {*table_ids, None}))
    matched = _match(list(dict.fromkeys(names)), known)
    return {name: like for name, like in matched.items() if not _is_recorded(client, name, without)}


def find_similar_in_documents(client: Client, documents: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """
    Return each new name in the seats of documents together with the known one that is similar.

    Invalid parts are rejected later, by the service.
    """
    names: dict[str, None] = {}
    tables: dict[str, None] = {}
    for document in documents:
        seats = document.get("seats")
        for seat in seats if isinstance(seats, list) else ():
            if isinstance(seat, dict) and isinstance(seat.get("player"), str):
                names[seat["player"]] = None
        if isinstance(document.get("table"), str):
            tables[document["table"]] = None
    if not names:
        return {}
    # A key that may not list rounds can record one, and what follows reports that the service does not respond.
    with suppress(ApiError, TransportError):
        records = [client.find_table(table) for table in islice(tables, _TABLES)]
        return find_similar_names(client, [each["id"] for each in records if each is not None], names)
    return {}


def confirm_names(similar: Mapping[str, str], *, yes: bool) -> bool:
    """
    Return whether new names that are similar to known ones are accepted.

    A person at a terminal is asked. Otherwise a warning is printed on stderr, and the names are accepted.
    """
    for name, known in similar.items():
        if yes or not _is_at_terminal():
            warn_of_name(name, known)
        elif not confirm(make_asker(), f"{_describe_new_player(name, known)}. Continue with {name!r}?"):
            return False
    return True


def warn_of_name(name: str, known: str) -> None:
    """Warn on stderr that a name becomes a new player."""
    click.echo(f"Warning: {_describe_new_player(name, known)}.", err=True)


def _describe_new_player(name: str, known: str) -> str:
    return f"{name!r} becomes a new player; there is a known player {known!r} with a similar name"


def _accept_known_name(name: str, meant: str, *, yes: bool) -> bool:
    if not yes and _is_at_terminal():
        return confirm(make_asker(), f"There is no player {name!r} yet. Did you mean {meant}?")
    warn_of_name(name, meant)
    return False


def _is_at_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _match(names: Sequence[str], known: Iterable[str]) -> dict[str, str]:
    """
    Match each new name with a known one, or an earlier new one, that differs by case or accents only.

    >>> _match(["Ann", "ben", "ANN"], {"ann"}), _match(["José", "jose"], set())
    ({'Ann': 'ann', 'ANN': 'ann'}, {'jose': 'José'})
    """
    listed = sorted(known)
    matches = {name: find_similar_name(name, [*listed, *names[:index]]) for index, name in enumerate(names)}
    return {name: like for name, like in matches.items() if like is not None}


def _list_players(client: Client, table_id: str | None, without: str | None = None) -> set[str]:
    """List the players of the newest rounds of a table, or of the club, except of one round."""
    newest = islice(client.list_rounds(table=table_id, limit=_ROUNDS), _ROUNDS)
    return {str(seat["player"]) for round_ in newest if round_["id"] != without for seat in round_["seats"]}


def _is_recorded(client: Client, player: str, without: str | None) -> bool:
    """Return whether a player is recorded under exactly this name in any round, except in one."""
    return any(round_["id"] != without for round_ in islice(client.list_rounds(player=player, limit=2), 2))


def find_similar_name(name: str, known: Iterable[str]) -> str | None:
    """
    Return the known name that differs from a new one by case or accents only. None for a name that is known.

    >>> find_similar_name("Ann", ["ben", "ann"]), find_similar_name("jose", ["José"])
    ('ann', 'José')
    >>> find_similar_name("ann", ["Ann", "ann"]) is None
    True
    """
    listed = list(known)
    if name in listed:
        return None
    plain = _plain(name)
    return next((each for each in listed if _plain(each) == plain), None)


def _plain(name: str) -> str:
    """Return a name without case, accents and surrounding spaces. Letters that only look alike remain different."""
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", name).casefold())
    return "".join(each for each in decomposed if not unicodedata.combining(each) and each not in _JOINERS).strip()
