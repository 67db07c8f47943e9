"""Send what a scorekeeper's page has exported, with `ofc queue import`."""

import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from client.api import Client
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import numbers_of, open_evening
from tests.support.sample_rounds import THREE, hand

REFERENCE = "2026-11-24/abcdef"


def line(operation: str, table: str, body: dict[str, Any], round_id: str | None = None) -> dict[str, Any]:
    """Return a request as the page exports it."""
    reference = REFERENCE if round_id is None else None
    return {
        "operation": operation,
        "table": table,
        "round": round_id,
        "reference": reference,
        "body": json.dumps(body),
        "idempotency_key": str(uuid4()),
        "stored_at": "2026-11-24T20:00:00Z",
    }


def opening(table: str) -> dict[str, Any]:
    seats = [{"seat": seat, "player": player, "stack": 200} for seat, player in enumerate(("ann", "ben", "cyd"), 1)]
    expected = {"seats": [{"seat": seat, "opening_stack": 200} for seat in (1, 2, 3)]}
    return line("open_round", table, {"seats": seats, "reference": REFERENCE, "expected": expected})


def write(directory: Path, *lines: dict[str, Any]) -> Path:
    path = directory / "queue.ndjson"
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


def test_hands_before_and_after_the_opening_of_a_round_are_sent_in_order(
    by_proxy: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    round_id = open_evening(by_proxy, table)
    file = write(
        tmp_path,
        line("record_hand", table, hand(1, 1, THREE), round_id),
        line("close_round", table, {"reason": "dinner"}, round_id),
        opening(table),
        line("record_hand", table, hand(1, 2, THREE)),
        line("undo_hand", table, {"number": 1}),
    )
    for added in (5, 0):
        done = ofc("queue", "import", file, **by_proxy)
        assert done.code == 0, done.err
        if added:
            assert f"{added} requests added." in done.out
    newest, first = client.list_rounds(table=client.get_round(round_id)["table"])
    assert (first["id"], first["status"], first["hands"]) == (round_id, "closed", 1)
    assert (newest["reference"], newest["status"], newest["hands"], newest["version"]) == (REFERENCE, "open", 0, 3)


def test_what_is_imported_waits_while_the_service_does_not_respond(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, tmp_path: Path
) -> None:
    round_id = open_evening(by_proxy, table)
    file = write(tmp_path, line("record_hand", table, hand(1, 1, THREE), round_id))
    proxy.way = Way.AWAY
    assert ofc("queue", "import", file, **by_proxy).code != 0
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "line 1"),
        ('{"operation": "drop_table"}', "`operation` is not one of"),
        ('{"operation": "undo_hand", "table": "friday", "body": "{}"}', "`idempotency_key` is not a string"),
        ('{"operation": "undo_hand", "table": "f", "body": "[]", "idempotency_key": "k", "round": "r"}', "`body`"),
        ('{"operation": "undo_hand", "table": "f", "body": "{}", "idempotency_key": "k"}', "neither a `round`"),
    ],
)
def test_other_files_are_refused(by_proxy: dict[str, str], tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "queue.ndjson"
    file.write_text(text)
    refused = ofc("queue", "import", file, **by_proxy)
    assert refused.code == 2
    assert why in refused.err
    assert "expected a file that the scorekeeper's page has exported" in " ".join(refused.err.split())


def test_a_request_of_an_unknown_round_is_refused(by_proxy: dict[str, str], table: str, tmp_path: Path) -> None:
    open_evening(by_proxy, table)
    refused = ofc("queue", "import", write(tmp_path, line("undo_hand", table, {"number": 1})), **by_proxy)
    assert refused.code == 2
    assert "expected a file with all requests of the round" in " ".join(refused.err.split())
