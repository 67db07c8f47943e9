"""Look up tables, rounds and seats by the names and ids that people type."""

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Final
from uuid import UUID

from client.api import Client
from client.errors import UnreadableError

Document = dict[str, Any]

_BEGUN: Final = re.compile(r"[0-9a-fA-F]{4,8}(?:-[0-9a-fA-F-]*)?")
"""The beginning of an id."""

_MOST_LISTED: Final = 10
_ROUNDS_SEARCHED: Final = 50


def find_table(client: Client, table: str) -> Document:
    """
    Find a table by its name, its id, or the beginning of its id.

    Raises:
        UnreadableError: there is no table of that name.
    """
    if is_id(table):
        return client.get_table(table)
    found = client.find_table(table) if table else None
    if found is None:
        by_id = {each["id"]: each for each in client.list_tables()} if _may_be_id_prefix(table) else {}
        meant = match_prefix({table_id: f"table {each['name']}" for table_id, each in by_id.items()}, table)
        found = by_id.get(meant or "")
    if found is None:
        raise UnreadableError(f"there is no table {table!r}; `ofc table list` lists all tables")
    return found


def find_round(client: Client, text: str) -> Document:
    """
    Find a round by its id or the beginning of its id, or the newest round of a table.

    Raises:
        UnreadableError: the table does not exist, or no round was opened at it.
    """
    if is_id(text):
        return client.get_round(text)
    if _may_be_id_prefix(text) and client.find_table(text) is None:
        meant = match_prefix({each["id"]: describe_round(each) for each in client.list_rounds()}, text)
        if meant is not None:
            return client.get_round(meant)
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


def find_dispute_id(client: Client, text: str) -> str:
    """
    Find the id of a dispute by the id or its beginning.

    Raises:
        UnreadableError: no id matches, or several do.
    """
    return _find_listed(
        "dispute", text, client.list_disputes, lambda each: f"{each['state']}, on round {each['round']}"
    )


def find_hand_id(client: Client, text: str) -> str:
    """
    Find the id of a hand by the id, or by its beginning among the hands of the newest rounds.

    Raises:
        UnreadableError: no id matches, or several do.
    """
    if is_id(text):
        return text
    rounds = islice(client.list_rounds(), _ROUNDS_SEARCHED) if _may_be_id_prefix(text) else ()
    hands = {
        hand["id"]: f"hand {hand['number']} of round {round_['id']}"
        for round_ in rounds
        if round_["hands"]
        for hand in client.list_hands(round_["id"])
    }
    meant = match_prefix(hands, text)
    if meant is None:
        raise UnreadableError(
            f"no hand of the newest {_ROUNDS_SEARCHED} rounds has the id {text!r}; `ofc round hands ROUND` lists ids"
        )
    return meant


def find_checkpoint_id(client: Client, text: str) -> str:
    """
    Find the id of a checkpoint by the id or its beginning. A whole id is not looked up, because that needs a key.

    Raises:
        UnreadableError: no id matches, or several do.
    """
    return _find_listed(
        "checkpoint", text, client.list_checkpoints, lambda each: f"{each['created_at']}, {each['size']} events"
    )


def find_webhook_id(client: Client, text: str) -> str:
    """
    Find the id of a webhook by the id or its beginning.

    Raises:
        UnreadableError: no id matches, or several do.
    """
    return _find_listed("webhook", text, client.list_webhooks, lambda each: f"{each['state']}, {each['url']}")


def find_delivery_id(client: Client, webhook_id: str, text: str) -> str:
    """
    Find the id of a delivery of a webhook by the id or its beginning.

    Raises:
        UnreadableError: no id matches, or several do.
    """
    return _find_listed(
        "delivery",
        text,
        lambda: client.list_webhook_deliveries(webhook_id),
        lambda each: f"{each['kind']}, {each['state']}",
        f"`ofc webhook deliveries {webhook_id}` lists all deliveries",
    )


def find_link_id(client: Client, text: str) -> str:
    """
    Find the id of a link by the id or its beginning.

    Raises:
        UnreadableError: no id matches, or several do.
    """
    return _find_listed("link", text, client.list_links, lambda each: f"{each['label']}, {each['kind']}")


def _find_listed(
    kind: str,
    text: str,
    list_all: Callable[[], Iterable[Document]],
    describe: Callable[[Document], str],
    advice: str = "",
) -> str:
    """
    Find the id of something that a command lists, by the id or its beginning. A whole id is not looked up.

    Args:
        kind: what it is, such as `dispute`.
        text: the id or its beginning.
        list_all: lists all of this kind.
        describe: describes one, for a message that lists several.
        advice: names the command that lists all; `ofc KIND list` by default.
    """
    if is_id(text):
        return text
    listed = list_all() if _may_be_id_prefix(text) else ()
    meant = match_prefix({each["id"]: describe(each) for each in listed}, text)
    if meant is None:
        raise UnreadableError(f"there is no {kind} {text!r}; {advice or f'`ofc {kind} list` lists all {kind}s'}")
    return meant


def find_recomputation_id(client: Client, text: str) -> str:
    """
    Find the id of a recomputation by the id or its beginning.

    Raises:
        UnreadableError: no id matches, or several do.
    """
    return _find_listed(
        "recomputation",
        text,
        client.list_recomputations,
        lambda each: f"{each['created_at']}, {each['mode']}: {each['reason']}",
        "`ofc recompute list` lists all recomputations",
    )


def match_prefix(described: Mapping[str, str], text: str) -> str | None:
    """
    Return the only id that begins with a text, or None.

    >>> match_prefix({"01a1": "round 1", "01b2": "round 2"}, "01B"), match_prefix({"01a1": "round 1"}, "02")
    ('01b2', None)

    Raises:
        UnreadableError: several ids begin with the text; the message lists them.
    """
    matches = [each for each in described if each.startswith(text.lower())]
    if len(matches) > 1:
        listed = "".join(f"\n  {each}  {described[each]}" for each in matches[:_MOST_LISTED])
        more = f"\n  and {len(matches) - _MOST_LISTED} more" if len(matches) > _MOST_LISTED else ""
        raise UnreadableError(f"{text!r} matches {len(matches)} ids; expected more characters of one:{listed}{more}")
    return matches[0] if matches else None


def describe_round(round_: Document) -> str:
    """Describe a round in a few words, for a person who chooses between several."""
    opened = round_["opened_at"][:16].replace("T", " ")
    return f"{opened}, {', '.join(seat['player'] for seat in round_['seats'])}"


def _may_be_id_prefix(text: str) -> bool:
    return bool(_BEGUN.fullmatch(text))


def find_seat(seats: Iterable[Document], player: str, where: str) -> int:
    """
    Find the seat of a player by the player's name, the number of the seat, or both.

    >>> find_seat([{"seat": 3, "player": "ann"}], "ann", "at friday")
    3

    Raises:
        UnreadableError: the player does not exist, or the text matches several.
    """
    sitting = {int(seat["seat"]): str(seat["player"]) for seat in seats}
    found = match_seat(sitting, player)
    if found is None:
        there = ", ".join(f"{seat} ({name})" for seat, name in sitting.items())
        raise UnreadableError(f"no player {player!r} sits {where}; expected one of {there}")
    return found


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
