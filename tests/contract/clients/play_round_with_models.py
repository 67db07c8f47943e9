"""Plays a round with models by datamodel-code-generator; arguments: the address, a key, the table's name."""

import json
import sys
import time
from typing import TypeVar

import httpx2
import tablestakes_models as models
from pydantic import BaseModel

T = TypeVar("T", bound=BaseModel)

ANN = ["QsQd4c", "KsKd9h8h3c", "AhJh7h6h2h"]
BEN = ["Ac8d2s", "TsTc5d5c6s", "7s7d7cJdJs"]


class Api:
    """Requests and responses as models."""

    def __init__(self, url: str, key: str) -> None:
        self.http = httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60, trust_env=False)

    def get(self, path: str, form: type[T]) -> T:
        """Read a resource."""
        return form.model_validate_json(self.http.get(path).raise_for_status().content)

    def post(self, path: str, body: BaseModel, form: type[T]) -> T:
        """Send a request body."""
        content = body.model_dump_json(exclude_unset=True)
        response = self.http.post(path, content=content, headers={"Content-Type": "application/json"})
        return form.model_validate_json(response.content)


def board(seat: int, rows: list[str]) -> models.NamedPlayerHand:
    """Build a player's part of a hand."""
    cards = ([models.Card(row[place : place + 2]) for place in range(0, len(row), 2)] for row in rows)
    top, middle, bottom = cards
    return models.NamedPlayerHand(seat=models.Seat(seat), top=top, middle=middle, bottom=bottom)


def import_line(api: Api, line: bytes) -> models.Import:
    """Import a round document and wait for the end."""
    started = api.http.post("/v1/imports", content=line, headers={"Content-Type": "application/x-ndjson"})
    job = models.Import.model_validate_json(started.content)
    while job.state in (models.JobState.queued, models.JobState.running):
        time.sleep(0.1)
        job = api.get(f"/v1/imports/{job.id.root}", models.Import)
    return job


def main(url: str, key: str, name: str) -> None:
    """Play, and print what came out."""
    api = Api(url, key)
    request = models.TableRequest(name=name, ruleset=models.RulesetReference("pineapple"))
    table = api.post("/v1/tables", request, models.Table)
    seats = [
        models.RoundSeatRequest(seat=models.Seat(seat), player=player, stack=100)
        for seat, player in ((1, "ann"), (2, "ben"))
    ]
    round_ = api.post(f"/v1/tables/{table.id.root}/rounds", models.RoundRequest(seats=seats), models.Round)
    path = f"/v1/rounds/{round_.id.root}"
    hand = models.HandRequest(
        number=models.HandNumber(1), button=models.Seat(2), players=[board(1, ANN), board(2, BEN)]
    )
    recorded = api.post(f"{path}/hands", hand, models.RecordedHandWithRound)
    ninth = hand.model_copy(update={"number": models.HandNumber(9)})
    refused = api.post(f"{path}/hands", ninth, models.Problem)
    closed = api.post(f"{path}/close", models.RoundCloseRequest(reason="late"), models.Round)
    settlement = api.get(f"{path}/settlement", models.Settlement)
    ruleset = models.RulesetReference("pineapple-2-4-us-none")
    other = api.post(f"{path}/what-if", models.WhatIfRequest(ruleset=ruleset), models.RoundComparison)
    exported = api.http.get("/v1/export", params={"table": str(table.id.root)}).raise_for_status()
    document = models.RoundDocument.model_validate_json(exported.content)
    line = document.model_copy(update={"table": f"{name} again"}).model_dump_json(exclude_unset=True)
    job = import_line(api, line.encode())
    results = api.http.get(f"/v1/imports/{job.id.root}/results").raise_for_status()
    print(
        json.dumps(
            {
                "points": {player.seat.root: player.points for player in recorded.players},
                "category": recorded.players[0].rows.top.category.value,
                "refused": refused.code,
                "status": closed.status.value,
                "state": settlement.state.value,
                "net": settlement.net,
                "paid": [transfer.paid for transfer in settlement.transfers],
                "other_net": {net.player: net.after for net in other.net},
                "imported": [json.loads(line)["status"] for line in results.content.splitlines()],
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
