"""`ofc-server up` with real processes: start, stop, kill and restart."""

import shlex
import signal
import socket
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import psycopg
import pytest

from service.server.embedded import OWNER, Cluster
from tests.support.client.run_ofc import ofc
from tests.support.database.postgres import Logins
from tests.support.sample_rounds import THREE, document_of, hand
from tests.support.server_process import Running, command, running, wait_until


@pytest.mark.smoke
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_up_serves_and_one_signal_stops_everything(tmp_path: Path, number: signal.Signals) -> None:
    with running(tmp_path / "ofc", is_first=True, OFC_WORKERS="2") as service:
        assert service.get("/healthz").status_code == 200
        assert service.get("/readyz").status_code == 200
        assert len(service.children) >= 4
        assert service.stop(number) == 0
        assert service.left_over() == []
    assert not (tmp_path / "ofc" / "socket").exists()


def test_the_first_key_of_an_external_database_is_private_and_reused(tmp_path: Path, logins: Logins) -> None:
    database, key_file = {"OFC_DATABASE_URL": logins.service, "OFC_OWNER_URL": logins.owner}, tmp_path / "api-key"
    with running(tmp_path, **database) as service:
        assert str(key_file) in service.output
        assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
        key = key_file.read_text()
        assert httpx2.get(
            f"{service.url}/v1/tables", headers={"Authorization": f"Bearer {key.strip()}"}, timeout=60
        ).is_success
    with running(tmp_path, **database) as service:
        assert key_file.read_text() == key
        assert "That key is not valid" not in service.output
    key_file.unlink()
    with running(tmp_path, **database) as service:
        assert key_file.read_text() != key
        assert "That key is not valid" not in service.output
        assert service.get("/readyz").status_code == 200
        assert not (tmp_path / "postgres").exists()
        assert service.stop() == 0


def test_a_key_of_another_database_is_reported(tmp_path: Path, logins: Logins) -> None:
    (tmp_path / "api-key").write_text("ofc_of_another_database\n")
    with running(tmp_path, OFC_DATABASE_URL=logins.service, OFC_OWNER_URL=logins.owner) as service:
        assert f"That key is not valid in this database; move {tmp_path / 'api-key'} away" in service.output
        assert "Sign in to the console" not in service.output


def test_each_start_prints_a_sign_in_link_and_the_first_steps_until_the_club_has_a_table(tmp_path: Path) -> None:
    for is_empty in (True, False):
        with running(tmp_path) as service:
            check_sign_in_link(service)
            steps = [line.strip() for line in service.output.splitlines() if line.startswith("  ")]
            assert ("has no table yet" in service.output) is is_empty
            assert len(steps) == (3 if is_empty else 0)
            if is_empty:
                assert steps[2].endswith(f"{service.url}/scorekeeper/")
                for step in steps[:2]:
                    program, *arguments = shlex.split(step.partition(", or: ")[2])
                    assert program == "ofc"
                    result = ofc(*arguments)
                    assert result.code == 0, result.err


def check_sign_in_link(service: Running) -> None:
    """Validate that the printed link signs in with the first key, once."""
    printed = "Sign in to the console with it, once within 10 minutes: "
    [line] = [line for line in service.output.splitlines() if line.startswith(printed)]
    address, _, code = line.removeprefix(printed).rpartition("/")
    assert address == f"{service.url}/console/sign-in"
    for status in (303, 403):
        with httpx2.Client(base_url=service.url, timeout=60, trust_env=False, verify=False) as browser:
            assert browser.post("/console/sign-in", data={"code": code}).status_code == status
            assert browser.get("/console/keys").status_code == (200 if status == 303 else 303)
    assert code not in service.log


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"one\ntwo\n"], ids=["a directory", "not text", "two lines"])
def test_an_unreadable_key_file_is_reported(tmp_path: Path, logins: Logins, content: bytes | None) -> None:
    key_file = tmp_path / "api-key"
    if content is None:
        key_file.mkdir()
    else:
        key_file.write_bytes(content)
    database = {"OFC_DATABASE_URL": logins.service, "OFC_OWNER_URL": logins.owner}
    ended = command("up", "--port", "0", "--data", str(tmp_path), **database)
    assert ended.returncode == 1
    assert "Traceback" not in ended.stderr
    [sentence] = [line for line in ended.stderr.splitlines() if line.startswith("Error: ")]
    assert f"move {key_file} away and start again" in sentence


def test_a_killed_up_leaves_no_process_and_can_be_restarted(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        write_note(tmp_path, "before the crash")
        service.up.kill()
        assert service.left_over(seconds=60) == []
    with running(tmp_path) as service:
        assert service.get("/readyz").status_code == 200
        assert "That key is not valid" not in service.output
        assert read_notes(tmp_path) == ["before the crash"]


def test_up_waits_for_processes_of_a_killed_up(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        service.up.kill()
        with running(tmp_path) as next_service:
            assert next_service.get("/readyz").status_code == 200


def test_a_killed_postgresql_is_restarted_and_the_service_responds(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        first = service.child("postgres")
        first.kill()
        assert wait_until(lambda: not first.is_running())
        assert wait_until(lambda: (now := service.child_if_any("postgres")) is not None and now.pid != first.pid)
        assert wait_until(lambda: service.get("/readyz").status_code == 200)
        assert service.up.poll() is None


def test_a_postgresql_killed_during_its_restart_is_restarted(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        write_note(tmp_path, "before the crash")
        killed: list[int] = []
        while len(killed) < 3:
            if (server := service.child_if_any("postgres")) is not None and server.pid not in killed:
                server.kill()
                killed.append(server.pid)
            assert service.up.poll() is None, service.log
            time.sleep(0.01)
        assert wait_until(lambda: service.get("/readyz").status_code == 200)
        assert read_notes(tmp_path) == ["before the crash"]


def test_up_ends_after_repeated_crashes_of_postgresql(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        (tmp_path / "postgres" / "PG_VERSION").write_text("15\n")
        service.child("postgres").kill()
        assert service.up.wait(timeout=60) == 1
        assert service.left_over(seconds=60) == []
        assert "Error: PostgreSQL crashed 5 times within a minute: " in service.log
        assert f"incompatible with server (more in {tmp_path}/postgres.log)\n" in service.log


def test_a_killed_web_process_is_restarted(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        killed = service.child("service.server.web")
        killed.kill()
        assert wait_until(lambda: not killed.is_running())
        # The open socket holds the request until the next process accepts it.
        assert service.get("/readyz").status_code == 200
        assert service.stop() == 0


def test_a_second_up_on_the_same_data_is_rejected(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        second = command("up", "--port", "0", "--data", str(tmp_path))
        assert says_one_sentence(second.stderr, "is in use by another ofc-server")
        assert second.returncode == 1
        assert service.get("/readyz").status_code == 200


def test_a_port_in_use_is_reported_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = command("up", "--port", str(port), "--data", str(tmp_path / "ofc"))
    assert says_one_sentence(refused.stderr, f"Port {port} of 127.0.0.1 cannot be used: address already in use")
    assert refused.returncode == 1
    assert not (tmp_path / "ofc").exists()


def test_an_unwritable_data_directory_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused = command("up", "--port", "0", "--data", str(tmp_path / "file" / "ofc"))
    assert says_one_sentence(refused.stderr, "cannot be written: Not a directory")
    assert refused.returncode == 1


def test_an_unreachable_database_is_reported_without_its_password(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"postgresql://ofc:secret@127.0.0.1:{port}/ofc"
    refused = command("up", "--port", "0", "--data", str(tmp_path), OFC_DATABASE_URL=url)
    assert says_one_sentence(refused.stderr, f"ofc at 127.0.0.1:{port} cannot be reached")
    assert refused.returncode == 1
    assert "secret" not in refused.stdout + refused.stderr


def test_tables_of_a_newer_release_are_not_touched(tmp_path: Path) -> None:
    with running(tmp_path):
        pass
    with Cluster(tmp_path) as cluster, psycopg.connect(cluster.url(OWNER)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    refused = command("up", "--port", "0", "--data", str(tmp_path))
    assert says_one_sentence(refused.stderr, "has revision 9999; the newest of this release is")
    assert refused.returncode == 1


def test_requests_in_progress_receive_responses_before_a_stop(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        host, port = service.url.removeprefix("http://").split(":")
        headers = {"Authorization": f"Bearer {(tmp_path / 'api-key').read_text().strip()}"}
        events = f"{service.url}/v1/events?after=999999999&wait=30"
        with socket.create_connection((host, int(port)), timeout=60) as client, ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(httpx2.get, events, headers=headers, timeout=90, trust_env=False, verify=False)
            lines = [
                *(f"{name}: {value}" for name, value in headers.items()),
                "Content-Type: application/json",
                "Content-Length: 2",
                "Expect: 100-continue",
            ]
            client.sendall("\r\n".join(["POST /v1/score HTTP/1.1", f"Host: {host}", *lines, "", ""]).encode())
            assert client.recv(1000).startswith(b"HTTP/1.1 100 ")
            client.sendall(b"{")
            # The request for events, and that for the metrics; the other one waits for its body.
            assert wait_until(lambda: "ofc_requests_in_flight 2.0" in service.get("/metrics").text)
            service.up.send_signal(signal.SIGINT)
            time.sleep(0.5)
            client.sendall(b"}")
            assert client.recv(1000).startswith(b"HTTP/1.1 422 ")
            # The change has not happened, and whoever waits for it can retry.
            assert (waiting.result().status_code, waiting.result().text) == (200, "")
        assert service.up.wait(timeout=60) == 0
        assert service.left_over() == []


@pytest.mark.parametrize("ends", [True, False], ids=["that end", "that do not end"])
def test_requests_in_progress_receive_responses_before_a_stop_under_load(tmp_path: Path, ends: bool) -> None:
    with running(tmp_path, OFC_WORKERS="2") as service:
        headers = {"Authorization": f"Bearer {(tmp_path / 'api-key').read_text().strip()}"}
        with httpx2.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False, verify=False) as client:
            for name in "abcd":
                assert client.post("/v1/documents", json=document_of(table=name)).status_code == 201
            rounds = [round_["id"] for round_ in client.get("/v1/rounds").json()["rounds"]]
        posts = [(f"{service.url}/v1/rounds/{round_id}/hands", headers) for round_id in rounds]
        with psycopg.connect(Cluster(tmp_path).url(OWNER)) as blocking, ThreadPoolExecutor(len(posts)) as pool:
            blocking.execute("SELECT FROM round_heads FOR UPDATE")
            responses = [pool.submit(post_hand, *post) for post in posts]
            assert wait_until(lambda: count_waiting(tmp_path) == len(posts))
            service.up.send_signal(signal.SIGTERM)
            if ends:
                time.sleep(0.5)
                blocking.rollback()
            statuses = {response.result() for response in responses}
            assert service.up.wait(timeout=60) == 0
            blocking.close()
        assert statuses <= ({201} if ends else {None, 409, 503})
        assert service.left_over(seconds=60) == []
    with running(tmp_path) as service:
        with httpx2.Client(base_url=service.url, headers=headers, timeout=60, trust_env=False, verify=False) as client:
            hands = [len(client.get(f"/v1/rounds/{round_id}/hands").json()["hands"]) for round_id in rounds]
        assert hands == [1 if ends else 0] * len(rounds)


def post_hand(url: str, headers: dict[str, str]) -> int | None:
    """Return the status of the response, or None if there was none."""
    try:
        return httpx2.post(
            url, json=hand(1, 1, THREE), headers=headers, timeout=40, trust_env=False, verify=False
        ).status_code
    except httpx2.TransportError:
        return None


def count_waiting(directory: Path) -> int:
    with psycopg.connect(Cluster(directory).url(OWNER)) as connection:
        waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        return connection.execute(waiting).rowcount


def says_one_sentence(stderr: str, words: str) -> bool:
    lines = stderr.strip().splitlines()
    return len(lines) == 1 and lines[0].startswith("Error: ") and lines[0].endswith((".", ").")) and words in lines[0]


def write_note(directory: Path, text: str) -> None:
    with psycopg.connect(Cluster(directory).url(OWNER)) as connection:
        connection.execute("CREATE TABLE note (text text)")
        connection.execute("INSERT INTO note VALUES (%s)", [text])


def read_notes(directory: Path) -> list[str]:
    with psycopg.connect(Cluster(directory).url(OWNER)) as connection:
        return [text for (text,) in connection.execute("SELECT text FROM note")]
