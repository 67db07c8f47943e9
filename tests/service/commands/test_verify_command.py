"""`ofc-server verify` as an operator uses it."""

import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import CompletedProcess
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import make_url

from service.audit_trail.actions import make_checkpoint, origin_of
from service.clubs.actions import create_club, create_key
from service.db import Database, migrate
from service.server.embedded import OWNER, Cluster
from service.verification.verify_database import list_clubs, verify_database
from tests.support.application import SIGNING_KEY, House, open_house
from tests.support.client.run_ofc import ofc, ofc_process, read_example, write
from tests.support.database.owned_database import plain_owner
from tests.support.database.postgres import Server
from tests.support.database.recomputed_rounds import tamper
from tests.support.database.remove_records import remembered, take_back
from tests.support.import_lines import club_of, database_of
from tests.support.sample_rounds import COMPLETE, play, start_round
from tests.support.server_process import COMMAND, command, environment, running, wait_until


@pytest.fixture
def house(embedded_postgres: Server) -> Iterator[House]:
    """A house of its own, with one club that has played one round."""
    with open_house(embedded_postgres) as opened:
        yield opened


@pytest.fixture
def checkpoint(house: House, tmp_path: Path) -> Path:
    """The club's checkpoint after its round, stored elsewhere."""
    api = house.new_client()
    play(api, start_round(api), *COMPLETE)
    with database_of(house).transaction(club_of(house, api)) as transaction:
        note = make_checkpoint(transaction, SIGNING_KEY).checkpoint.note
    checkpoint_file = tmp_path / "home.checkpoint"
    checkpoint_file.write_text(note, encoding="utf-8")
    return checkpoint_file


def login_of(house: House) -> dict[str, str]:
    return {
        "OFC_DATABASE_URL": house.logins.service,
        "OFC_OWNER_URL": house.owner_url,
        "OFC_SIGNING_KEY_FILE": str(house.signing_key),
    }


def verify(house: House, *arguments: object) -> CompletedProcess[str]:
    return command("verify", *map(str, arguments), **login_of(house))


RAISE_DUE = "UPDATE hand_scores SET transfers[1].due = (transfers[1]).due + 1 WHERE number = 2"


def test_unchanged_records_pass_with_a_retained_checkpoint(house: House, checkpoint: Path) -> None:
    passed = verify(house, "--checkpoint", checkpoint)
    assert (passed.returncode, passed.stdout) == (0, ""), passed.stderr
    assert "0 findings" in passed.stderr
    incomplete = verify(house)
    assert incomplete.returncode == 3
    [(club,)] = house.query("SELECT id FROM clubs")
    assert f"no checkpoint was given for {origin_of(club)}" in incomplete.stderr


@pytest.mark.smoke
def test_a_changed_record_is_printed(house: House, checkpoint: Path) -> None:
    tamper(house.owner_url, RAISE_DUE)
    result = verify(house, "--checkpoint", checkpoint)
    [(round_id, changed)] = house.query("SELECT round_id, to_jsonb(transfers) FROM hand_scores WHERE number = 2")
    right = [{**changed[0], "due": changed[0]["due"] - 1}, *changed[1:]]
    [line] = result.stdout.splitlines()
    assert result.returncode == 1
    [(table,)] = house.query("SELECT name FROM tables")
    due = right[0]["due"]
    sides = " to ".join({1: "ann", 2: "bob", 3: "cyd"}[right[0][side]] for side in ("payer", "payee"))
    assert line.startswith(
        f"The points due of payment 1 ({sides}) of hand 2 of a round at {table} are {due + 1}; the cards say {due}."
        " It was changed without the service.  figure-differs: hand_scores "
    )
    assert line.endswith(f"round_id={round_id} revision=1 number=2: transfers")
    as_json = verify(house, "--json")
    finding, summary = map(json.loads, as_json.stdout.splitlines())
    assert (finding["kind"], finding["table"], finding["column"]) == ("figure-differs", "hand_scores", "transfers")
    assert (finding["stored"], finding["expected"]) == (changed, right)
    assert line.startswith(f"{finding['sentence']}  ")
    assert summary["summary"]["found"] == {"figure-differs": 1}
    assert as_json.returncode == 1


def stored(house: House) -> dict[UUID, tuple[int, int, bool]]:
    """Return the stored result of each club: events, findings, and whether everything was verified."""
    rows = house.query("SELECT club_id, events, findings, complete FROM verifications")
    return {club: (events, findings, complete) for club, events, findings, complete in rows}


def test_the_result_of_each_club_is_stored(house: House, checkpoint: Path) -> None:
    [(club, events)] = house.query("SELECT club_id, count(*) FROM events GROUP BY club_id")
    verify(house, "--store-result")
    assert stored(house) == {club: (events, 0, False)}, "without a checkpoint"
    verify(house, "--checkpoint", checkpoint, "--store-result")
    assert stored(house) == {club: (events, 0, True)}
    house.new_client()
    tamper(house.owner_url, RAISE_DUE)
    verify(house, "--checkpoint", checkpoint, "--store-result")
    other, result = next((each, result) for each, result in stored(house).items() if each != club)
    assert stored(house) == {club: (events, 1, True), other: result}
    [(round_id,)] = house.query("SELECT id FROM rounds WHERE club_id = %s", club)
    assert house.query("SELECT club_id, round_id, hand, kind FROM verification_findings") == [
        (club, round_id, 2, "figure-differs")
    ]
    assert result[1:] == (0, False), "what is wrong in one club is no finding in another"
    house.change("DROP INDEX hands_played")
    verify(house, "--checkpoint", checkpoint, "--store-result")
    counts = {each: findings for each, (_, findings, _) in stored(house).items()}
    assert counts == {club: 2, other: 1}, "the schema is that of all clubs"
    assert {
        each for (each,) in house.query("SELECT sentence FROM verification_findings WHERE club_id = %s", other)
    } == {"The database lacks the index public.hands_played. It was removed without the service."}
    [(ended_at,)] = house.query("SELECT ended_at FROM verifications WHERE club_id = %s", club)
    assert datetime.now(UTC) - ended_at < timedelta(minutes=5)


def test_a_database_that_cannot_be_written_is_verified(house: House, checkpoint: Path) -> None:
    assert verify(house, "--checkpoint", checkpoint, "--store-result").returncode == 0
    before = house.query("SELECT * FROM verifications")
    url = make_url(house.owner_url).update_query_dict({"options": "-c default_transaction_read_only=on"})
    read_only = {**login_of(house), "OFC_OWNER_URL": url.render_as_string(hide_password=False)}
    passed = command("verify", "--checkpoint", str(checkpoint), "--store-result", **read_only)
    assert (passed.returncode, passed.stdout) == (0, ""), passed.stderr
    assert "The result is not stored for the console" in passed.stderr
    assert house.query("SELECT * FROM verifications") == before


def test_verification_resumes_after_an_interruption_and_loses_nothing(house: House, checkpoint: Path) -> None:
    [(club,)] = house.query("SELECT id FROM clubs")
    state = checkpoint.with_name("verify.state")
    tamper(house.owner_url, "UPDATE clubs SET name = 'other'")
    before = {"position": {"club": str(club), "pass": "rounds", "after": str(club)}, "events": 9}
    [renamed] = verify(house, "--json").stdout.splitlines()[:-1]
    sentence = json.loads(renamed)["sentence"]
    assert sentence.startswith("The name of the club is other; the events say club ")
    finding = {"kind": "record-differs", "place": "clubs: name", "sentence": sentence, "round_id": None, "hand": None}
    found_before = {
        "found": {"record-differs": 1},
        "wrong": {str(club): 1},
        "findings": {str(club): [{**finding, "digest": "00" * 32}]},
    }
    state.write_text(json.dumps({**before, **found_before}))
    result = verify(house, "--resume", state, "--store-result")
    # The name was looked at before, and is not looked at again.
    assert (result.returncode, result.stdout) == (1, "")
    assert ": 1 finding." in result.stderr
    assert stored(house)[club][1:] == (1, False)
    assert house.query("SELECT sentence FROM verification_findings") == [(sentence,)]
    assert not state.exists()
    link = state.with_name("link.state")
    link.symlink_to(state)
    assert verify(house, "--resume", link).returncode == 1
    assert not state.exists()
    state.write_text("{}")
    refused = verify(house, "--resume", state)
    assert refused.returncode == 1
    assert "is not a progress file of `ofc-server verify`" in refused.stderr


def test_verification_resumes_after_a_kill(house: House, checkpoint: Path) -> None:
    tamper(house.owner_url, "UPDATE clubs SET name = 'other'")
    tamper(house.owner_url, "UPDATE tree_heads SET signed_at = now()")
    state, first = checkpoint.with_name("verify.state"), checkpoint.with_name("first.ndjson")
    arguments = "--json", "--checkpoint", str(checkpoint), "--resume", str(state)
    [(club,)] = house.query("SELECT id FROM clubs")
    # The schema has been looked at already: that would wait for the lock, too.
    beginning = {"club": str(club), "pass": "club", "after": str(UUID(int=0))}
    state.write_text(json.dumps({"position": beginning, "events": 0, "found": {}, "wrong": {}, "findings": {}}))
    with psycopg.connect(house.owner_url) as holding, first.open("wb") as printed:
        # It reaches the tree, and no further.
        holding.execute("LOCK TABLE shared.signing_keys IN ACCESS EXCLUSIVE MODE")
        killed = subprocess.Popen([*COMMAND, "verify", *arguments], env=environment(**login_of(house)), stdout=printed)
        assert wait_until(lambda: state.exists() and json.loads(state.read_bytes())["position"]["pass"] == "tree")
        killed.kill()
        killed.wait()
    resumed = verify(house, *arguments)
    documents = [json.loads(line) for line in (*first.read_text().splitlines(), *resumed.stdout.splitlines())]
    assert [(each["table"], each["column"]) for each in documents[:-1]] == [
        ("clubs", "name"),
        ("tree_heads", "signed_at"),
    ]
    assert documents[-1]["summary"]["found"] == {"record-differs": 2}
    assert resumed.returncode == 1
    assert not state.exists()


def test_an_invalid_checkpoint_is_refused(house: House, checkpoint: Path) -> None:
    checkpoint.write_text("nothing\n")
    refused = verify(house, "--checkpoint", checkpoint)
    assert refused.returncode == 1
    assert "home.checkpoint is not a checkpoint" in refused.stderr


def test_a_retained_checkpoint_detects_a_restored_older_backup(tmp_path: Path) -> None:
    with running(tmp_path / "ofc") as service:
        owner_url = Cluster(service.directory).url(OWNER)
        reached = {"OFC_URL": service.url, "OFC_API_KEY_FILE": str(service.directory / "api-key")}
        with remembered(owner_url):
            assert ofc("post", write(tmp_path, read_example("turbo")), **reached).code == 0
            checkpoint_file = tmp_path / "kept.checkpoint"
            assert ofc_process("checkpoint", "make", "-o", str(checkpoint_file), **reached).code == 0

        def verify_with(*arguments: object) -> CompletedProcess[str]:
            return command("verify", *map(str, arguments), "--data", str(service.directory))

        passed = verify_with("--checkpoint", checkpoint_file)
        assert (passed.returncode, passed.stdout) == (0, ""), passed.stderr
        take_back(owner_url)
        result = verify_with("--checkpoint", checkpoint_file)
        assert result.returncode == 1
        assert result.stdout.startswith("The events contradict a checkpoint that was retained elsewhere")
        assert "checkpoint-broken: tree_nodes " in result.stdout.splitlines()[0]


def test_the_owner_of_the_tables_need_be_no_superuser(embedded_postgres: Server) -> None:
    with plain_owner(embedded_postgres) as logins:
        migrate(logins.owner)
        owner = Database(logins.owner, role=None)
        create_key(owner, create_club(owner, "home"), name="first")
        clubs = list_clubs(owner)
        findings = [finding for page in verify_database(owner, clubs) for finding in page.findings]
        owner.close()
    assert (len(clubs), findings) == (1, [])
