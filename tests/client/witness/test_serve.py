"""A witness over HTTP: the statuses and bodies of C2SP `tlog-witness`."""

from hashlib import sha256
from pathlib import Path

import pytest

from evidence import Checkpoint, SigningKey, sign_note, verify_note
from evidence.notes import read_note
from tests.client.witness.witness_process import WitnessFiles, make_files, run_ofc, serving
from tests.evidence.witness_logs import ORIGIN, submit

LOG = SigningKey.make("tablestakes")
EVENTS = [bytes([number]) for number in range(12)]
FORK = [*EVENTS[:4], b"other", *EVENTS[5:]]


@pytest.fixture
def files(tmp_path: Path) -> WitnessFiles:
    return make_files(tmp_path, LOG.verifier)


def test_a_witness_cosigns_a_log_that_grows_and_remembers_it_after_a_restart(files: WitnessFiles) -> None:
    first, second = submit(EVENTS[:5], 0, LOG), submit(EVENTS, 5, LOG)
    with serving(files) as witness:
        response = witness.send(first)
        assert (response.status_code, response.text.count("\n")) == (200, 1)
        note = read_note(first.note.written + response.text)
        assert verify_note(note, [files.key.verifier]) == [files.key.verifier]
        assert witness.stop() == 0
    with serving(files) as witness:
        response = witness.send(submit(EVENTS, 0, LOG))
        assert (response.status_code, response.text) == (409, "5\n")
        assert response.headers["Content-Type"] == "text/x.tlog.size"
        assert witness.send(second).status_code == 200
        assert witness.send(submit(EVENTS, 12, LOG)).status_code == 200


def test_every_refusal_has_its_status(files: WitnessFiles) -> None:
    empty = Checkpoint(ORIGIN, 0, bytes(32))
    other = SigningKey.make("tablestakes")
    with serving(files) as witness:
        statuses = [
            witness.post(b"old 0\n\nnonsense").status_code,
            witness.send(submit(EVENTS, 0, LOG, "tablestakes/clubs/other")).status_code,
            witness.send(submit(EVENTS, 0, other)).status_code,
            witness.post(f"old 0\n\n{sign_note(empty.text, [LOG]).written}".encode()).status_code,
            witness.send(submit(EVENTS[:5], 6, LOG)).status_code,
            witness.send(submit(EVENTS, 5, LOG)).status_code,
            witness.post(b"old 0\n\n" + b"x" * 2_000_000).status_code,
            witness.get("/add-checkpoint").status_code,
            witness.get("/").status_code,
        ]
    assert statuses == [400, 404, 403, 422, 400, 409, 413, 405, 404]


def test_the_newest_cosigned_checkpoint_is_served_by_the_hash_of_its_origin(files: WitnessFiles) -> None:
    path = f"/{sha256(ORIGIN.encode()).hexdigest()}/checkpoint"
    stranger = SigningKey.make("stranger")
    with serving(files) as witness:
        assert witness.get(path).status_code == 404
        submission = submit(EVENTS, 0, LOG)
        body = submission.written + sign_note(submission.note.text, [stranger]).lines
        line = witness.post(body.encode()).text
        assert witness.get(path).text == submission.note.written + line


def test_a_second_history_is_refused_and_both_notes_are_evidence(files: WitnessFiles) -> None:
    with serving(files) as witness:
        honest = submit(EVENTS[:8], 0, LOG)
        assert witness.send(honest).status_code == 200
        assert run_ofc("witness", "conflicts", "--config", files.configuration).stdout == "no conflicts\n"
        fork = submit(FORK[:8], 8, LOG)
        assert witness.send(fork).status_code == 422
        assert witness.send(submit(FORK, 8, LOG)).status_code == 422
        assert witness.send(submit(EVENTS, 8, LOG)).status_code == 200
    printed = run_ofc("witness", "conflicts", "--config", files.configuration)
    assert printed.returncode == 1
    assert fork.note.written in printed.stdout
    assert honest.note.written in printed.stdout
    assert printed.stdout.count("contradicts") == 2


def test_a_checkpoint_that_was_refused_for_its_proof_is_cosigned_with_the_right_one(files: WitnessFiles) -> None:
    with serving(files) as witness:
        assert witness.send(submit(EVENTS[:5], 0, LOG)).status_code == 200
        right = submit(EVENTS, 5, LOG)
        assert (
            witness.post(right.written.encode().replace(b"old 5\n", b"old 5\n" + b"A" * 43 + b"=\n")).status_code == 422
        )
        assert witness.send(right).status_code == 200
    assert run_ofc("witness", "conflicts", "--config", files.configuration).returncode == 0


def test_a_key_is_created_once_with_its_public_key_printed(tmp_path: Path) -> None:
    file = tmp_path / "witness.key"
    created = run_ofc("witness", "create-key", "friend.example/witness", "-o", file)
    assert created.returncode == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert created.stdout.startswith("friend.example/witness+")
    again = run_ofc("witness", "create-key", "friend.example/witness", "-o", file)
    assert (again.returncode, "already exists" in again.stderr) == (2, True)
    assert run_ofc("witness", "create-key", "a name", "-o", tmp_path / "other").returncode == 2


@pytest.mark.parametrize(
    ("change", "detail"),
    [
        (("[[log]]", "[[logs]]"), "not the configuration of a witness"),
        (("key_file", "key"), "not the configuration of a witness"),
        (("witness.key", "missing.key"), "no such file"),
        (("witness.key", "witness.toml"), "no valid key of a witness"),
        (("keys = [", "keys = [] # "), "[[log]] number 1 is not valid"),
        (('keys = ["', 'keys = ["x'), "the key's id is"),
        (("127.0.0.1:0", "nowhere"), "cannot listen"),
        (("witness.sqlite", "witness.toml"), "cannot be used as the store"),
        (("[[log]]", "[[log"), "not valid TOML"),
    ],
    ids=["log", "name", "missing", "key", "keys", "id", "address", "store", "toml"],
)
def test_an_invalid_configuration_is_refused(files: WitnessFiles, change: tuple[str, str], detail: str) -> None:
    text = files.configuration.read_text()
    files.configuration.write_text(text.replace(*change, 1))
    result = run_ofc("witness", "serve", "--config", files.configuration)
    assert (result.returncode, detail in result.stderr) == (2, True), result.stderr
