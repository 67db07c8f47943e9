"""Look up tables, rounds, keys and seats by the names and ids that people type."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from client.api import Client
from client.errors import ApiError, UnreadableError

if TYPE_CHECKING:
    from client.models import IdKind

Document = dict[str, Any]

_ENDING: Final = re.compile(r"[0-9a-fA-F-]{6,36}")
"""The end of an id: what the operation `find_id` accepts."""
_MOST_NAMED: Final = 10
"""How many archived tables with one name are listed."""
_LISTED_BY: Final = {
    "hand": "`ofc round hands ROUND` lists ids",
    "delivery": "`ofc webhook deliveries WEBHOOK` lists all deliveries",
    "recomputation": "`ofc recompute list` lists all recomputations",
}
"""The commands that list records, where it is not `ofc KIND list`."""
_TABLES_LISTED_BY: Final = "`ofc table list` lists the tables, and with `--archived` those that are archived"


def find_table(client: Client, table: str) -> Document:
    """
    Find a table by its name, its id, or the end of its id. The name of an archived table does not find it.

    Raises:
        UnreadableError: there is no table of that name.
    """
    if is_id(table):
        return client.get_table(table)
    record: Document | None = client.find_table(table) if table else None
    if record is None:
        table_id = _find_ending(client, "table", table)
        if table_id is None:
            raise UnreadableError(f"there is no table {table!r}; {_TABLES_LISTED_BY}")
        record = client.get_table(table_id)
    return record


def find_any_table(client: Client, table: str) -> Document:
    """
    Find a table as `find_table` does, or else the archived table with a name.

    Raises:
        UnreadableError: there is no table of that name, or several archived ones.
    """
    if not is_id(table) and table and client.find_table(table) is None:
        archived = list(islice(client.list_tables(name=table, archived=True), _MOST_NAMED))
        if len(archived) > 1:
            ids = ", ".join(each["id"] for each in archived)
            raise UnreadableError(f"several archived tables are named {table!r}; expected the id of one: {ids}")
        if archived:
            return archived[0]
    return find_table(client, table)


def list_table_names(client: Client) -> dict[str, str]:
    """Return the names of all tables by their ids, of archived ones too."""
    return {each["id"]: each["name"] for archived in (False, True) for each in client.list_tables(archived=archived)}


def find_round(client: Client, text: str) -> Document:
    """
    Find a round by its id or the end of its id, or the newest round of a table.

    Raises:
        UnreadableError: the table does not exist, or no round was opened at it.
    """
    if is_id(text):
        return client.get_round(text)
    if _ENDING.fullmatch(text) and client.find_table(text) is None:
        round_id = _find_ending(client, "round", text)
        if round_id is not None:
            return client.get_round(round_id)
    return find_newest_round(client, text)[1]


def find_newest_round(client: Client, text: str) -> tuple[Document, Document]:
    """
    Find a table by its name or id, and its newest round.

    Raises:
        UnreadableError: the table does not exist, or no round was opened at it.
    """
    table = find_table(client, text)
    newest = next(client.list_rounds(table=table["id"], limit=1), None)
    if newest is None:
        name = table["name"]
        raise UnreadableError(f"no round was opened at {name} yet; `ofc round open {name} PLAYER=STACK...` opens one")
    return table, newest


def find_id(client: Client, kind: "IdKind", text: str) -> str:
    """
    Find the whole id of a record by its last six or more characters. A whole id is not looked up.

    Args:
        client: asks the service.
        kind: what it is the id of, such as `dispute`, as the operation `find_id` has it.
        text: the id or its end.

    Raises:
        UnreadableError: no id ends so.
        ApiError: several do; its problem lists them.
    """
    if is_id(text):
        return text
    record_id = _find_ending(client, kind, text)
    if record_id is None:
        advice = _LISTED_BY.get(kind, f"`ofc {kind} list` lists all {kind}s")
        raise UnreadableError(f"there is no {kind} {text!r}; {advice}")
    return record_id


def _find_ending(client: Client, kind: "IdKind", text: str) -> str | None:
    if not _ENDING.fullmatch(text):
        return None
    try:
        return str(client.find_id(ending=text, kind=kind)["id"])
    except ApiError as error:
        if error.code == "not-found":
            return None
        raise


def describe_round(round_: Document) -> str:
    """Describe a round in a few words, for a person who chooses between several."""
    opened = round_["opened_at"][:16].replace("T", " ")
    return f"{opened}, {', '.join(seat['player'] for seat in round_['seats'])}"


def find_seat(seats: Iterable[Document], player: str, where: str) -> int:
    """
    Find the seat of a player by the player's name, the number of the seat, or both.

    >>> find_seat([{"seat": 3, "player": "ann"}], "ann", "at friday")
    3

    Raises:
        UnreadableError: the player does not exist, or the text matches several.
    """
    sitting = {int(seat["seat"]): str(seat["player"]) for seat in seats}
    number = match_seat(sitting, player)
    if number is None:
        there = ", ".join(f"{seat} ({name})" for seat, name in sitting.items())
        raise UnreadableError(f"no player {player!r} sits {where}; expected one of {there}")
    return number


def match_seat(sitting: Mapping[int, str], text: str) -> int | None:
    """
    Return the seat that a text refers to, or None. Names of players may be numbers too.

    >>> sitting = {1: "2", 2: "ben"}
    >>> match_seat(sitting, "1"), match_seat(sitting, "ben"), match_seat(sitting, "1:2"), match_seat(sitting, "cyd")
    (1, 2, 1, None)

    Raises:
        UnreadableError: the text matches several seats.
    """
    meant = {seat: name for seat, name in sitting.items() if text in (str(seat), name, f"{seat}:{name}")}
    if len(meant) > 1:
        seats = " or ".join(f"seat {seat} ({name})" for seat, name in meant.items())
        right = " or ".join(f"{seat}:{name}" for seat, name in meant.items())
        raise UnreadableError(f"{text!r} matches {seats}; expected {right}")
    return next(iter(meant), None)


def add_table_names(client: Client, records: Sequence[Mapping[str, Any]]) -> list[Document]:
    """Add the names of their tables to records as `table_name`; the ids if the key may not read tables."""
    try:
        names = list_table_names(client)
    except ApiError as error:
        if error.code != "scope-missing":
            raise
        names = {}
    return [{**record, "table_name": names.get(record["table"], record["table"])} for record in records]


def add_names_of_payments(client: Client, jobs: Sequence[Mapping[str, Any]]) -> list[Document]:
    """Add the names of the tables whose points have no value, by their ids, to recomputations as `table_names`."""
    return [{**job, "table_names": _find_names(client, job["summary"]["payments"]["points"])} for job in jobs]


def _find_names(client: Client, payments: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    at_tables = [paid for paid in payments if paid["table"] is not None]
    named = add_table_names(client, at_tables) if at_tables else []
    return {paid["table"]: paid["table_name"] for paid in named}


def find_key(client: Client, text: str) -> Document:
    """
    Find a key of the club by its prefix, the whole key, its id, or the end of its id.

    Raises:
        UnreadableError: no key matches, or several have this prefix.
    """
    keys = list(client.list_keys())
    matches = [key for key in keys if text.startswith(key["prefix"])]
    if not matches:
        key_id = find_id(client, "key", text)
        matches = [key for key in keys if key["id"] == key_id]
    if not matches:
        raise UnreadableError(f"there is no key {text!r}; `ofc key list` lists all keys")
    if len(matches) > 1:
        ids = ", ".join(key["id"] for key in matches)
        raise UnreadableError(f"{len(matches)} keys of the club begin with this prefix; expected the id of one: {ids}")
    return matches[0]


def is_id(text: str) -> bool:
    """
    Return whether a text is an id, and not a name.

    >>> is_id("01a1fa77-4a59-709e-b6dd-b28a73ab9d3e"), is_id("kitchen")
    (True, False)
    """
    try:
        return str(UUID(text)) == text.lower()
    except ValueError:
        return False
