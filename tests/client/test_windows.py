"""`ofc` without the modules that Windows does not have."""

import subprocess
import sys
from pathlib import Path

import pytest

from client.api import Client
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import EXAMPLES, ofc
from tests.support.client.table_setup import PLAIN, hand_options, numbers_of, open_evening, reply_lines
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


def test_hands_are_recorded_and_undone_and_an_unsent_one_is_posted(
    by_proxy: dict[str, str],
    proxy: Proxy,
    client: Client,
    table: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    round_id = open_evening(by_proxy, table)
    typed = ofc_on_windows("hand", "add", table, text=reply_lines("1", *PLAIN, "yes"), **by_proxy)
    assert (typed.code, typed.out.splitlines()[-1]) == (0, f"Recorded: hand 1 at {table}."), typed
    proxy.way = Way.LOSES_REQUESTS
    unsent = ofc_on_windows("hand", "add", table, *hand_options(*PLAIN), **by_proxy)
    assert unsent.code == 3, unsent
    [file] = tmp_path.iterdir()
    proxy.way = Way.THROUGH
    posted = ofc_on_windows("post", file, **by_proxy)
    assert (posted.code, posted.out.splitlines()[-1]) == (0, "Recorded: 1 hand."), posted
    assert numbers_of(client, round_id) == [1, 2]
    undone = ofc_on_windows("undo", table, "--yes", **by_proxy)
    assert undone.code == 0, undone
    assert numbers_of(client, round_id) == [1]
