"""Plays a round with a client that openapi-python-client generated; arguments: the address, a key, the table's name."""

import io
import json
import sys
import time
from http import HTTPStatus
from typing import TypeVar

from tablestakes_client import AuthenticatedClient
from tablestakes_client.api.corrections import what_if
from tablestakes_client.api.exports import export_rounds
from tablestakes_client.api.hands import record_hand
from tablestakes_client.api.imports import get_import, list_import_results, start_import
from tablestakes_client.api.rounds import close_round, get_settlement, open_round
from tablestakes_client.api.tables import add_table
from tablestakes_client.models.hand_request import HandRequest
from tablestakes_client.models.import_ import Import
from tablestakes_client.models.job_state import JobState
from tablestakes_client.models.named_player_hand import NamedPlayerHand
from tablestakes_client.models.problem import Problem
from tablestakes_client.models.round_close_request import RoundCloseRequest
from tablestakes_client.models.round_request import RoundRequest
from tablestakes_client.models.round_seat_request import RoundSeatRequest
from tablestakes_client.models.table_request import TableRequest
from tablestakes_client.models.what_if_request import WhatIfRequest
from tablestakes_client.types import File

T = TypeVar("T")

ANN = ["QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h"]
BEN = ["Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs"]


def must(result: T | Problem | None) -> T:
    """Return the result, or end with the problem."""
    if result is None or isinstance(result, Problem):
        sys.exit(f"refused: {result}")
    return result


def board(seat: int, rows: list[str]) -> NamedPlayerHand:
    """Build a player's part of a hand."""
    top, middle, bottom = ([row[place : place + 2] for place in range(0, len(row), 2)] for row in rows)
    return NamedPlayerHand(seat=seat, top=top, middle=middle, bottom=bottom)


def import_line(client: AuthenticatedClient, line: bytes) -> Import:
    """Import a round document and wait for the end."""
    payload = File(payload=io.BytesIO(line))
    job = must(start_import.sync(client=client, body=payload))
    while job.state in (JobState.QUEUED, JobState.RUNNING):
        time.sleep(0.1)
        job = must(get_import.sync(job.id, client=client))
    return job


def main(url: str, key: str, name: str) -> None:
    """Play, and print what came out."""
    client = AuthenticatedClient(base_url=url, token=key)
    table = must(add_table.sync(client=client, body=TableRequest(name=name, ruleset="pineapple")))
    seats = [RoundSeatRequest(seat=1, player="ann", stack=100), RoundSeatRequest(seat=2, player="ben", stack=100)]
    round_ = must(open_round.sync(table.id, client=client, body=RoundRequest(seats=seats)))
    hand = HandRequest(number=1, button=2, players=[board(1, ANN), board(2, BEN)])
    recorded = must(record_hand.sync(round_.id, client=client, body=hand, idempotency_key=name))
    refused = record_hand.sync(round_.id, client=client, body=HandRequest(number=9, button=2, players=hand.players))
    closed = must(close_round.sync(round_.id, client=client, body=RoundCloseRequest(reason="late")))
    settlement = must(get_settlement.sync(round_.id, client=client))
    other = must(what_if.sync(round_.id, client=client, body=WhatIfRequest(ruleset="pineapple-2-4-us-none")))
    exported = export_rounds.sync_detailed(client=client, table=table.id)
    assert exported.status_code is HTTPStatus.OK
    document = json.loads(exported.content)
    document |= {"table": f"{name} again"}
    job = import_line(client, json.dumps(document).encode())
    results = list_import_results.sync_detailed(job.id, client=client)
    print(
        json.dumps(
            {
                "points": {player.seat: player.points for player in recorded.players},
                "category": recorded.players[0].rows.top.category.value,
                "refused": refused.code if isinstance(refused, Problem) else None,
                "status": closed.status.value,
                "state": settlement.state.value,
                "net": settlement.net.additional_properties,
                "paid": [transfer.paid for transfer in settlement.transfers],
                "other_net": {net.player: net.after for net in other.net},
                "imported": [json.loads(line)["status"] for line in results.content.splitlines()],
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
