"""Tables and rounds by what people call them."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from client.api import Client
from client.errors import UnreadableError

Document = dict[str, Any]


def find_table(client: Client, table: str) -> Document:
    """
    Find a table by its name, which people know, or by its id, which programs know.

    Raises:
        UnreadableError: there is none of that name.
    """
    if is_id(table):
        return client.get_table(table)
    found = client.find_table(table) if table else None
    if found is None:
        raise UnreadableError(f"there is no table {table!r}; `ofc table list` lists those that there are")
    return found


def find_round(client: Client, text: str) -> Document:
    """
    Find a round by its id, or the newest of a table.

    Raises:
        UnreadableError: there is no such table, or nothing was played at it.
    """
    if is_id(text):
        return client.get_round(text)
    table = find_table(client, text)
    newest = next(client.list_rounds(table=table["id"], limit="1"), None)
    if newest is None:
        raise UnreadableError(f"no round was opened at {text} yet; `ofc round open {text} PLAYER=STACK…` opens one")
    return newest


def find_seat(seats: Iterable[Document], player: str, where: str) -> int:
    """
    Find the seat of a player by what he is called, by its number, or by both.

    >>> find_seat([{"seat": 3, "player": "ann"}], "ann", "at friday")
    3

    Raises:
        UnreadableError: nobody is called so, or several can be meant.
    """
    sitting = {int(seat["seat"]): str(seat["player"]) for seat in seats}
    found = find_meant(sitting, player)
    if found is None:
        there = ", ".join(f"{seat} ({name})" for seat, name in sitting.items())
        raise UnreadableError(f"nobody called {player!r} sits {where}; {there} do")
    return found


def find_meant(sitting: Mapping[int, str], text: str) -> int | None:
    """
    Find which of several seats is meant, if any is: players may be called by numbers too.

    >>> sitting = {1: "2", 2: "ben"}
    >>> find_meant(sitting, "1"), find_meant(sitting, "ben"), find_meant(sitting, "1:2"), find_meant(sitting, "cyd")
    (1, 2, 1, None)

    Raises:
        UnreadableError: several can be meant.
    """
    meant = {seat: name for seat, name in sitting.items() if text in (str(seat), name, f"{seat}:{name}")}
    if len(meant) > 1:
        seats = " or ".join(f"seat {seat} ({name})" for seat, name in meant.items())
        right = " or ".join(f"{seat}:{name}" for seat, name in meant.items())
        raise UnreadableError(f"{text!r} can be {seats}; {right} is right")
    return next(iter(meant), None)


def is_id(text: str) -> bool:
    """
    Say whether a text is an id, and not a name.

    >>> is_id("01a1fa77-4a59-709e-b6dd-b28a73ab9d3e"), is_id("kitchen")
    (True, False)
    """
    try:
        return str(UUID(text)) == text.lower()
    except ValueError:
        return False
