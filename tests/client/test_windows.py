"""`ofc` without the modules that Windows does not have."""

import subprocess
import sys
from pathlib import Path

from client.api import Client
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import EXAMPLES, ofc
from tests.support.client.table_setup import PLAIN, given, numbers_of, open_evening, reply_lines
from tests.support.client.windows import MISSING, PROGRAM, ofc_on_windows


def test_the_modules_are_missing() -> None:
    for module in MISSING:
        failed = subprocess.run(
            [sys.executable, "-c", PROGRAM.partition("from client")[0] + f"import {module}"], capture_output=True
        )
        assert b"ModuleNotFoundError" in failed.stderr


def test_hands_are_scored_and_evidence_is_verified(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    example = EXAMPLES / "score.json"
    assert ofc_on_windows("score", example).out == ofc("score", example).out
    round_id = open_evening(reached, table)
    file = tmp_path / "evidence.json"
    file.write_text(ofc("round", "evidence", round_id, **reached).out)
    here, there = ofc_on_windows("verify", file), ofc("verify", file)
    assert (here.code, here.out) == (there.code, there.out)


def test_an_evening_is_stored_and_sent(by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str) -> None:
    round_id = open_evening(by_proxy, table)
    typed = ofc_on_windows("hand", "add", table, text=reply_lines("1", *PLAIN, "yes"), **by_proxy)
    assert (typed.code, typed.out.splitlines()[-1]) == (0, f"Recorded: hand 1 at {table}."), typed
    proxy.way = Way.AWAY
    result = ofc_on_windows("hand", "add", table, *given(*PLAIN), **by_proxy)
    assert "Saved on this machine; 1 hand waits to be sent." in result.out, result
    listed = ofc_on_windows("queue", "list", **by_proxy)
    assert f"2  hand 2 at {table}, round " in listed.out, listed
    proxy.way = Way.THROUGH
    sent = ofc_on_windows("queue", "flush", **by_proxy)
    assert (sent.code, sent.out) == (0, f"Sent: hand 2 at {table}.\nNo requests wait.\n"), sent
    assert numbers_of(client, round_id) == [1, 2]
    undone = ofc_on_windows("undo", table, "--yes", **by_proxy)
    assert undone.code == 0, undone
    assert ofc_on_windows("queue", "drop", "99", "--yes", **by_proxy).code == 2
