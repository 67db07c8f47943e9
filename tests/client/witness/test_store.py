"""The store of a witness: kills, races and several processes never lead to two histories."""

import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from client.offline.witness.store import SqliteStore
from evidence import SigningKey, read_note
from evidence.cosignatures import CosigningKey
from evidence.witness import Seen, Verdict, add_checkpoint
from tests.client.witness.witness_process import WitnessFiles, WitnessProcess, make_files, serving
from tests.evidence import naive
from tests.evidence.witness_logs import ORIGIN, submit

LOG = SigningKey.make("tablestakes")
EVENTS = [bytes([number]) for number in range(40)]
FORK = [b"other", *EVENTS[1:]]
# Submits one checkpoint, and is killed at a place: before the commit, or between the commit and the response.
SUBMIT = """
import os, signal, sys
from pathlib import Path
from client.offline.witness.store import SqliteStore
from evidence import VerifierKey
from evidence.cosignatures import CosigningKey
from evidence.witness import add_checkpoint

place, file, key, log, origin = sys.argv[1:]

def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)

def clock():
    if place == "before":
        kill()
    return 1_700_000_000

decision = add_checkpoint(
    sys.stdin.buffer.read(), {origin: [VerifierKey.read(log)]}, CosigningKey.read(key), clock, SqliteStore(Path(file))
)
kill()
"""


@pytest.fixture
def files(tmp_path: Path) -> WitnessFiles:
    return make_files(tmp_path, LOG.verifier)


@pytest.mark.parametrize(("place", "size"), [("before", 0), ("after", 5)])
def test_a_killed_witness_has_stored_what_it_may_have_cosigned(files: WitnessFiles, place: str, size: int) -> None:
    arguments = [place, str(files.database), files.key.secret, LOG.verifier.written, ORIGIN]
    process = subprocess.run(
        [sys.executable, "-c", SUBMIT, *arguments],
        input=submit(EVENTS[:5], 0, LOG).written.encode(),
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert process.returncode == -signal.SIGKILL
    assert SqliteStore(files.database).seen(ORIGIN).size == size
    with serving(files) as witness:
        assert witness.send(submit(FORK[:5], size, LOG)).status_code == (422 if size else 200)


def test_a_witness_that_is_killed_again_and_again_cosigns_one_history(files: WitnessFiles) -> None:
    """Both histories are submitted at the same time; each process is killed in the middle of it."""
    cosigned: set[bytes] = set()
    for _ in range(4):
        with serving(files) as witness, ThreadPoolExecutor(4) as threads:
            size = SqliteStore(files.database).seen(ORIGIN).size
            sent = [
                threads.submit(_try, witness, events, size + step) for step in (1, 2, 3) for events in (EVENTS, FORK)
            ]
            sent[0].result()
            witness.stop(signal.SIGKILL)
            cosigned |= {root for each in sent if (root := each.result())}
    stored = SqliteStore(files.database).seen(ORIGIN)
    history = EVENTS if stored.root == naive.mth(EVENTS[: stored.size]) else FORK
    assert stored.root == naive.mth(history[: stored.size])
    assert cosigned
    assert cosigned <= {naive.mth(history[:size]) for size in range(stored.size + 1)}


def _try(witness: WitnessProcess, events: list[bytes], size: int) -> bytes | None:
    """Submit a checkpoint, first from the size before, then from the one that the witness names."""
    import httpx2

    old = size - 1
    for _ in range(3):
        submission = submit(events[:size], old, LOG)
        try:
            response = witness.send(submission)
        except httpx2.TransportError:
            return None
        if response.status_code == 200:
            return submission.checkpoint.root
        if response.status_code != 409 or int(response.text) > size:
            return None
        old = int(response.text)
    return None


def test_two_processes_on_one_store_cosign_one_of_two_histories(files: WitnessFiles) -> None:
    with serving(files) as one, serving(files) as other, ThreadPoolExecutor(4) as threads:
        for size in range(1, 9):
            submissions = [(one, EVENTS), (other, FORK), (other, EVENTS), (one, FORK)]
            sent = [
                threads.submit(witness.send, submit(events[:size], size - 1, LOG)) for witness, events in submissions
            ]
            statuses = [each.result().status_code for each in sent]
            assert statuses.count(200) == 1
            assert set(statuses) <= {200, 409, 422}
    roots = _cosigned_roots(files.database)
    assert roots in ([naive.mth(events[:size]) for size in range(1, 9)] for events in (EVENTS, FORK))


def _cosigned_roots(database: Path) -> list[bytes]:
    connection = sqlite3.connect(database)
    rows = connection.execute("SELECT root FROM checkpoints WHERE is_cosigned ORDER BY size").fetchall()
    connection.close()
    return [root for (root,) in rows]


def test_the_time_of_a_larger_tree_is_not_before_that_of_a_smaller_one(tmp_path: Path) -> None:
    """The clock is read while the store is locked."""
    store, key, times = SqliteStore(tmp_path / "witness.sqlite"), CosigningKey.make("w"), iter(range(1, 20))
    logs = {ORIGIN: [LOG.verifier]}
    stamps = []
    for size in range(1, 6):
        body = submit(EVENTS[:size], size - 1, LOG).written.encode()
        decision = add_checkpoint(body, logs, key, times.__next__, store)
        [signed] = read_note(f"text\n\n{decision.body}").signatures
        stamps.append(int.from_bytes(signed.signature[:8], "big"))
    assert stamps == [1, 2, 3, 4, 5]


def test_a_full_disk_or_a_locked_store_cosigns_nothing(files: WitnessFiles) -> None:
    store = SqliteStore(files.database)
    submission = submit(EVENTS[:5], 0, LOG)
    connection = sqlite3.connect(files.database)
    connection.execute("""
        CREATE TRIGGER full_disk BEFORE INSERT ON checkpoints BEGIN SELECT raise(ABORT, 'disk full'); END
    """)
    with pytest.raises(sqlite3.Error):
        add_checkpoint(submission.written.encode(), {ORIGIN: [LOG.verifier]}, files.key, lambda: 1_700_000_000, store)
    with serving(files) as witness:
        assert witness.send(submission).status_code == 503
        connection.execute("DROP TRIGGER full_disk")
        connection.close()
        assert store.seen(ORIGIN) == Seen()
        assert witness.send(submission).status_code == Verdict.COSIGNED
