"""Add requests that another device exported to those that wait on this machine."""

from collections.abc import Iterable, Mapping

from client.api import Client
from client.entry.current_round import learn_table, store_round
from client.errors import UnreadableError
from client.outbox.cache import KnownRound
from client.outbox.entries import OPENING
from client.outbox.exported import ExportedRequest
from client.outbox.store import Outbox, is_new, make_round_id


def import_requests(client: Client, outbox: Outbox, requests: Iterable[ExportedRequest]) -> int:
    """
    Add exported requests to the outbox, and return how many were not in it before.

    A round that a request opens gets an ID of this machine until the service has it, and so do the requests behind it.
    If the service has the round already, they are for the round with its reference.

    Raises:
        UnreadableError: the opening of a round is neither in the file nor on this machine nor in the service.
        TransportError: the service does not respond, and a table or a round is not stored on this machine.
    """
    opened: dict[tuple[str, str], str] = {}
    added = 0
    for request in requests:
        known = None
        if request.operation == OPENING:
            round_id, known = _open(client, outbox, request)
            opened[request.table, str(request.reference)] = round_id
        else:
            round_id = request.round_id or _find(client, outbox, request, opened)
            if outbox.find_round(round_id) is None:
                # By its stored round, a request is sent before the opening of the table's next one.
                store_round(client, outbox, request.table, client.get_round(round_id))
        added += outbox.add_exported(round_id, request, known)
    return added


def _open(client: Client, outbox: Outbox, request: ExportedRequest) -> tuple[str, KnownRound]:
    """Return the ID of a round to open, and the round as this machine plays it."""
    table = outbox.find_table(request.table) or learn_table(client, outbox, request.table)
    stored = [
        known
        for known in outbox.list_rounds(request.table)
        if known.reference == request.reference and is_new(known.round_id)
    ]
    round_id = stored[0].round_id if stored else make_round_id()
    body = request.document
    expected = body.get("expected", {}).get("seats", ())
    stacks = {seat["seat"]: seat["opening_stack"] for seat in expected}
    document = {
        "ruleset": table.document["ruleset"],
        "table": table.document["name"],
        "reference": request.reference,
        "point_value": table.document["point_value"],
        "currency": table.document["currency"],
        "seats": [{**seat, "stack": seat.get("stack") or stacks.get(seat["seat"])} for seat in body["seats"]],
        "hands": [],
        "departures": [],
        "closed": None,
    }
    shown = {"id": None, "table": table.document["id"], "state": "open", "opened_at": body.get("opened_at")}
    return round_id, KnownRound(round_id, table.document["name"], document, table.ruleset, response=shown)


def _find(client: Client, outbox: Outbox, request: ExportedRequest, opened: Mapping[tuple[str, str], str]) -> str:
    """Return the ID of the round with the reference of a request."""
    found = opened.get((request.table, str(request.reference)))
    if found is not None:
        return found
    for known in outbox.list_rounds(request.table):
        if known.reference == request.reference:
            return known.round_id
    table = outbox.find_table(request.table) or learn_table(client, outbox, request.table)
    for round_ in client.list_rounds(table=table.document["id"]):
        if round_["reference"] == request.reference:
            return str(round_["id"])
    raise UnreadableError(
        f"the file has a request for the round {request.reference!r} at {request.table}, but not its opening, and the"
        " service does not have the round; expected a file with all requests of the round"
    )
