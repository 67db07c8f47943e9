"""The file that the outbox is: on disk before anything else happens, and one sentence where it cannot be used."""

import sqlite3
from pathlib import Path

import pytest

from client.outbox.database import Database
from client.outbox.store import Outbox
from tests.support.client.run_ofc import ofc

FILE = "outbox.sqlite3"
EXTRA = 3

CHOOSE = "choose another directory with --data or OFC_DATA"


def test_a_stored_request_is_on_disk_before_anything_else_happens(tmp_path: Path) -> None:
    """With EXTRA, SQLite flushes file and directory with every change: the power may fail in the next moment."""
    database = Database(tmp_path / FILE)
    [(synchronous,)] = database.fetch("PRAGMA synchronous")
    [(journal,)] = database.fetch("PRAGMA journal_mode")
    database.close()
    assert (synchronous, journal) == (EXTRA, "delete")


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"not a database" * 100, "file is not a database"), (None, "unable to open database file")],
)
def test_an_unusable_outbox_is_a_one_line_error(tmp_path: Path, content: bytes | None, why: str) -> None:
    path = tmp_path / FILE
    path.mkdir() if content is None else path.write_bytes(content)
    result = ofc("queue", "list", OFC_DATA=str(tmp_path))
    assert (result.code, result.out) == (2, "")
    assert result.err == f"Error: the outbox {path} cannot be used: {why}; {CHOOSE}\n"


def test_an_unusable_lock_file_is_a_one_line_error(tmp_path: Path) -> None:
    locks = [tmp_path / f"outbox-{number:02x}.lock" for number in range(64)]
    for lock in locks:
        lock.mkdir()
    with Outbox(tmp_path, "http://127.0.0.1:8000") as outbox:
        outbox.add("01a201b9-860b-7219-ba38-2cf769386ffa", "close_round", {"reason": "it rains"})
    for command in (["queue", "flush"], ["queue", "drop", "1", "--yes"]):
        result = ofc(*command, OFC_DATA=str(tmp_path))
        assert result.code == 2
        assert result.err in [f"Error: the outbox {lock} cannot be used: is a directory; {CHOOSE}\n" for lock in locks]
    assert "closing of the round" in ofc("queue", "list", OFC_DATA=str(tmp_path)).out


def test_an_outbox_of_a_newer_release_is_not_changed(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as newer:
        newer.execute("PRAGMA user_version = 5")
    newer.close()
    result = ofc("queue", "list", OFC_DATA=str(tmp_path))
    assert result.code == 2
    assert "was written by a newer `ofc`" in result.err
