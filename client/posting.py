"""A round document, posted as it was played: hand by hand."""

from collections.abc import Callable, Mapping
from typing import Any

from client.api import Client
from client.errors import ApiError

Document = dict[str, Any]
Told = Callable[[Mapping[str, Any], Mapping[str, Any], bool], None]


def post_round(client: Client, document: Document, tell: Told) -> Document:
    """
    Open the document's round, at a table of its name that is made where there is none, and post all that happened.

    Args:
        client: the service.
        document: the round.
        tell: is told of each hand: as it was played, what it came to, and whether it was recorded before.

    Returns:
        The round as it stands afterwards.

    Raises:
        ApiError: the service refused something; what came before it is recorded.
    """
    table = find_table(client, document)
    seats = [{key: seat[key] for key in ("seat", "player", "stack") if key in seat} for seat in document["seats"]]
    round_ = client.open_round(table["id"], {"seats": seats, "reference": document.get("reference")})
    round_id = round_["id"]
    departures = list(document.get("departures") or [])
    for hand in document["hands"]:
        answer = client.record_hand(round_id, hand)
        tell(hand, answer, client.was_replay)
        for departure in departures:
            if departure["after_hand"] == hand["number"]:
                _leave(client, round_id, departure)
    closed = document.get("closed")
    if closed and client.get_round(round_id)["status"] != "closed":
        client.close_round(round_id, closed["reason"])
    return client.get_round(round_id)


def find_table(client: Client, document: Document) -> Document:
    """Find the document's table, or set one up by its name."""
    wanted = {"name": document["table"], "ruleset": document["ruleset"]}
    money = {key: document[key] for key in ("point_value", "currency") if document.get(key) is not None}
    try:
        return client.add_table({**wanted, **money})
    except ApiError as error:
        if error.problem["code"] != "table-conflict":
            raise
    return next(table for table in client.list_tables() if table["name"] == document["table"])


def _leave(client: Client, round_id: str, departure: Mapping[str, Any]) -> None:
    """Record a departure, unless it was recorded before."""
    try:
        client.record_departure(round_id, {"seat": departure["seat"], "reason": departure.get("reason")})
    except ApiError as error:
        is_recorded = {"departure-gone", "round-complete", "round-closed"}
        if not is_recorded & {error.problem["code"], *(mistake["code"] for mistake in error.problem["errors"])}:
            raise
