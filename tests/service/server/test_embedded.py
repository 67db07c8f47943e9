"""The embedded PostgreSQL: private, durable, and stopped with its owner."""

import os
import pwd
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from service.server.embedded import OWNER, Cluster, EmbeddedError, process
from service.server.embedded.binaries import binary
from service.server.embedded.data_directory import FORMAT_FILE
from tests.support.database.postgres import FORGETFUL
from tests.support.server_process import command, wait_until

ROOT_ONLY = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up being root")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with Cluster(tmp_path) as started:
        yield started


def fetch(cluster: Cluster, query: str) -> object:
    with psycopg.connect(cluster.url(OWNER)) as connection:
        record = connection.execute(query).fetchone()
    return record[0] if record else None


@pytest.mark.parametrize(
    ("setting", "value"),
    [("fsync", "on"), ("synchronous_commit", "on"), ("data_checksums", "on"), ("server_encoding", "UTF8")],
)
def test_it_is_durable(embedded: Cluster, setting: str, value: str) -> None:
    assert fetch(embedded, f"SELECT current_setting('{setting}')") == value


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux writes out a whole file system by one call")
def test_recovery_does_not_open_every_file(embedded: Cluster) -> None:
    assert fetch(embedded, "SELECT current_setting('recovery_init_sync_method')") == "syncfs"


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("embedded")) as started:
        yield started


def test_it_sorts_by_code_points(embedded: Cluster) -> None:
    assert fetch(embedded, "SELECT array_agg(word ORDER BY word) FROM unnest('{b,B,a,é}'::text[]) word") == list("Babé")


def test_it_listens_on_no_network(embedded: Cluster) -> None:
    assert embedded.pid is not None
    server = psutil.Process(embedded.pid)
    assert [one.laddr for one in server.net_connections("inet") if one.status == psutil.CONN_LISTEN] == []


def test_its_files_and_its_socket_are_private(embedded: Cluster) -> None:
    assert stat.S_IMODE(embedded.files.stat().st_mode) == 0o700
    assert stat.S_IMODE((embedded.home / "socket").stat().st_mode) == 0o700


def test_committed_records_survive_a_stop(tmp_path: Path) -> None:
    with Cluster(tmp_path) as first, psycopg.connect(first.url(OWNER)) as connection:
        connection.execute("CREATE TABLE note AS SELECT 'kept' AS text")
    with Cluster(tmp_path) as second:
        assert fetch(second, "SELECT text FROM note") == "kept"


def test_a_stopped_server_leaves_no_process_and_no_socket(cluster: Cluster) -> None:
    assert cluster.pid is not None
    processes = [psutil.Process(cluster.pid), *psutil.Process(cluster.pid).children(recursive=True)]
    cluster.stop()
    assert [one for one in processes if one.is_running()] == []
    assert cluster.pid is None
    assert not (cluster.home / "socket").exists()


def test_a_crashed_server_is_restarted_with_all_commits(cluster: Cluster) -> None:
    with psycopg.connect(cluster.url(OWNER)) as connection:
        connection.execute("CREATE TABLE note AS SELECT 'kept' AS text")
    assert not cluster.restart_if_dead()
    assert cluster.pid is not None
    os.kill(cluster.pid, signal.SIGKILL)
    assert wait_until(lambda: cluster.pid is None)
    assert cluster.restart_if_dead()
    assert fetch(cluster, "SELECT text FROM note") == "kept"


def test_a_second_owner_is_rejected(cluster: Cluster) -> None:
    with pytest.raises(
        EmbeddedError,
        match=r"is in use by another ofc-server; stop that one, or choose another directory with --data or OFC_DATA\.$",
    ):
        Cluster(cluster.home).start()
    assert fetch(cluster, "SELECT 1") == 1


def test_files_of_another_major_version_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir(mode=0o700)
    (tmp_path / "postgres" / "PG_VERSION").write_text("15\n")
    with pytest.raises(EmbeddedError, match="was written by PostgreSQL 15; expected 18"):
        Cluster(tmp_path).start()


@pytest.mark.parametrize("format_", [None, "1\n"])
def test_records_of_an_incompatible_version_are_rejected_and_untouched(tmp_path: Path, format_: str | None) -> None:
    with Cluster(tmp_path, FORGETFUL) as cluster, psycopg.connect(cluster.url(OWNER)) as connection:
        connection.execute("CREATE TABLE alembic_version AS SELECT '0030' AS version_num")
    written = tmp_path / "postgres" / FORMAT_FILE
    written.unlink() if format_ is None else written.write_text(format_)
    before = content_of(tmp_path)
    refused = command("up", "--port", "0", "--data", str(tmp_path))
    assert (refused.returncode, refused.stderr) == (
        1,
        f"Error: {tmp_path} was written by an incompatible version of Tablestakes: export the rounds with that version"
        " (`ofc export`), start this version with a new directory (--data or OFC_DATA), and import them"
        " there (`ofc import`).\n",
    )
    for arguments in (["key", "list"], ["verify"], ["status"], ["backup", str(tmp_path / "copy")]):
        refused = command(*arguments, "--data", str(tmp_path))
        assert (refused.returncode, "incompatible version" in refused.stderr) == (1, True), refused
    assert content_of(tmp_path) == before


def content_of(directory: Path) -> dict[Path, tuple[int, float, bytes]]:
    """Return mode, time of the last change and content of every file, and those of directories without content."""
    return {
        path: (path.stat().st_mode, path.stat().st_mtime, path.read_bytes() if path.is_file() else b"")
        for path in directory.rglob("*")
    }


def test_an_interrupted_first_start_is_repeated(tmp_path: Path) -> None:
    (tmp_path / "postgres.unfinished").mkdir()
    (tmp_path / "postgres.unfinished" / "PG_VERSION").write_text("18\n")
    with Cluster(tmp_path) as cluster:
        assert fetch(cluster, "SELECT 1") == 1
    assert not (tmp_path / "postgres.unfinished").exists()


def test_a_reused_process_id_does_not_prevent_a_start(tmp_path: Path) -> None:
    with Cluster(tmp_path) as cluster:
        account = cluster.files.stat().st_uid
    with subprocess.Popen(["sleep", "60"], user=account if os.geteuid() == 0 else None) as stranger:
        try:
            (tmp_path / "postgres" / "postmaster.pid").write_text(f"{stranger.pid}\n{tmp_path}/postgres\n1\n5432\n\n\n")
            with Cluster(tmp_path) as cluster:
                assert fetch(cluster, "SELECT 1") == 1
        finally:
            stranger.kill()


UNREAPING_PROGRAM = """
    import ctypes, os, signal, subprocess, sys, time
    # Whoever loses their parent becomes a child of this process, which never asks how a child ended.
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
    owner = subprocess.Popen([sys.executable, "-c", *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
    server = int(owner.stdout.readline())
    os.kill(server, signal.SIGKILL)
    owner.kill()
    owner.wait()
    print(server, flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt the children of others")
def test_a_zombie_server_does_not_prevent_a_start(tmp_path: Path) -> None:
    program = textwrap.dedent(UNREAPING_PROGRAM), textwrap.dedent(OWNER_PROGRAM), str(tmp_path)
    with subprocess.Popen([sys.executable, "-c", *program], stdout=subprocess.PIPE, text=True) as unreaping:
        try:
            assert unreaping.stdout is not None
            server = psutil.Process(int(unreaping.stdout.readline()))
            assert wait_until(lambda: server.status() == psutil.STATUS_ZOMBIE)
            assert (server.name(), server.ppid()) == ("postgres", unreaping.pid)
            assert (tmp_path / "postgres" / "postmaster.pid").read_text().startswith(f"{server.pid}\n")
            with Cluster(tmp_path) as cluster:
                assert fetch(cluster, "SELECT 1") == 1
                assert server.status() == psutil.STATUS_ZOMBIE
        finally:
            unreaping.kill()


def test_a_process_id_reused_by_another_postgresql_does_not_prevent_a_start(tmp_path: Path, embedded: Cluster) -> None:
    with Cluster(tmp_path) as cluster:
        pass
    (tmp_path / "postgres" / "postmaster.pid").write_text(f"{embedded.pid}\n{tmp_path}/postgres\n1\n5432\n\n\n")
    with cluster:
        assert fetch(cluster, "SELECT 1") == 1
    assert fetch(embedded, "SELECT 1") == 1


def test_a_server_started_by_another_owner_is_not_touched(tmp_path: Path) -> None:
    with Cluster(tmp_path) as cluster:
        account = cluster.files.stat()
    other = tmp_path / "other"
    other.mkdir(mode=0o700)
    os.chown(other, account.st_uid, account.st_gid)
    with (other / "log").open("wb") as log:
        server = process.spawn(
            [str(binary("postgres")), "-D", str(cluster.files), "-c", "listen_addresses=", "-k", str(other)],
            last_signal=signal.SIGQUIT,
            account=(account.st_uid, account.st_gid) if os.geteuid() == 0 else None,
            output=log,
        )
    try:
        note = cluster.files / "postmaster.pid"
        assert wait_until(lambda: note.exists() and "ready" in note.read_text())
        written = note.read_text()
        with pytest.raises(EmbeddedError, match="PostgreSQL did not start"):
            cluster.start()
        assert note.read_text() == written
        assert server.poll() is None
    finally:
        server.send_signal(signal.SIGINT)
        server.wait()


def test_a_directory_with_a_long_path_works(tmp_path: Path) -> None:
    deep = tmp_path / ("deep " * 20) / "er,\"'"
    with Cluster(deep) as cluster:
        assert fetch(cluster, "SELECT 1") == 1
        assert cluster.pid is not None
        os.kill(cluster.pid, signal.SIGKILL)
        assert wait_until(lambda: cluster.pid is None)
        assert cluster.restart_if_dead()
        assert fetch(cluster, "SELECT 1") == 1
        elsewhere = (deep / "socket").readlink()
    assert not elsewhere.exists()


OWNER_PROGRAM = """
    import sys, time
    from pathlib import Path
    from service.server.embedded import Cluster
    cluster = Cluster(Path(sys.argv[1]))
    cluster.start()
    print(cluster.pid, flush=True)
    time.sleep(60)
"""


def test_the_server_stops_when_its_owner_is_killed(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(OWNER_PROGRAM), str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as owner:
        assert owner.stdout is not None
        server = psutil.Process(int(owner.stdout.readline()))
        processes = [server, *server.children(recursive=True)]
        owner.kill()
        _gone, alive = psutil.wait_procs(processes, timeout=60)
    assert alive == []


PROGRAM = """
    import os, signal, sys, time
    def say(text):
        # A signal can come in the middle of a print, and another print is refused there.
        os.write(1, text.encode() + b"\\n")
    def leave(number, frame):
        say(signal.Signals(number).name)
        sys.exit(7)
    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGQUIT, leave)
    say("ready")
    time.sleep(60)
"""
STARTER = """
    import signal, sys, time
    from service.server.embedded import process
    process.spawn([sys.executable, "-c", sys.argv[1]], last_signal=signal.SIGQUIT, watched=sys.argv[2] == "watched")
    time.sleep(60)
"""
WAYS = pytest.mark.parametrize(
    "way",
    [
        "watched",
        pytest.param(
            "signalled",
            marks=pytest.mark.skipif(
                not process.KERNEL_SIGNALS_DEATH, reason="this kernel does not report a parent's death"
            ),
        ),
    ],
)


@WAYS
def test_a_program_gets_its_last_signal_when_its_parent_is_killed(way: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(STARTER), textwrap.dedent(PROGRAM), way],
        stdout=subprocess.PIPE,
        text=True,
    ) as starter:
        assert starter.stdout is not None
        assert starter.stdout.readline() == "ready\n"
        starter.kill()
        assert starter.stdout.readline() == "SIGQUIT\n"
        assert starter.stdout.read() == ""


@WAYS
def test_a_program_can_be_signalled_and_returns_its_exit_code(tmp_path: Path, way: str) -> None:
    with (tmp_path / "output").open("wb") as output:
        program = process.spawn(
            [sys.executable, "-c", textwrap.dedent(PROGRAM)],
            last_signal=signal.SIGKILL,
            output=output,
            watched=way == "watched",
        )
    assert wait_until(lambda: (tmp_path / "output").read_text() == "ready\n")
    program.terminate()
    assert program.wait(timeout=60) == 7
    assert (tmp_path / "output").read_text() == "ready\nSIGTERM\n"
    if program.stdin:
        program.stdin.close()


@ROOT_ONLY
def test_started_by_root_it_runs_as_the_user_nobody(embedded: Cluster) -> None:
    assert embedded.pid is not None
    server = psutil.Process(embedded.pid)
    assert server.uids() == (pwd.getpwnam("nobody").pw_uid,) * 3
    effective = next(line for line in Path(f"/proc/{server.pid}/status").read_text().splitlines() if "CapEff" in line)
    assert int(effective.split()[1], 16) in {0, 1 << process.CAP_DAC_READ_SEARCH, 1 << process.CAP_DAC_OVERRIDE}


@ROOT_ONLY
def test_started_by_root_it_works_in_private_directories(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    install = binary("postgres").parents[1]
    wheel = closed / "site" / install.parent.name
    shutil.copytree(install, wheel / install.name, symlinks=True, ignore=shutil.ignore_patterns("include", "*.a"))
    (wheel / "__init__.py").touch()
    for libraries in install.parents[1].glob(f"{install.parent.name}.libs"):
        shutil.copytree(libraries, closed / "site" / libraries.name)
    before = {path: path.stat().st_mode for path in (tmp_path, closed, *closed.rglob("*"))}
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(OWNER_PROGRAM), str(closed / "ofc")],
        env={**os.environ, "PYTHONPATH": str(closed / "site")},
        stdout=subprocess.PIPE,
        text=True,
    ) as owner:
        assert owner.stdout is not None
        server = psutil.Process(int(owner.stdout.readline()))
        assert server.exe().startswith(str(closed))
        owner.kill()
        server.wait(timeout=60)
    assert {path: path.stat().st_mode for path in before} == before


@ROOT_ONLY
def test_files_of_root_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    with pytest.raises(EmbeddedError, match="belongs to root, but PostgreSQL does not run as root"):
        Cluster(tmp_path).start()


@ROOT_ONLY
def test_root_can_start_a_server_of_an_ordinary_user(tmp_path: Path) -> None:
    account = pwd.getpwnam("nobody")
    home = tmp_path / "ofc"
    home.mkdir(mode=0o700)
    os.chown(home, account.pw_uid, account.pw_gid)
    with (tmp_path / "output").open("wb") as output:
        owner = process.spawn(
            [sys.executable, "-c", textwrap.dedent(OWNER_PROGRAM), str(home)],
            last_signal=signal.SIGKILL,
            account=(account.pw_uid, account.pw_gid),
            output=output,
        )
    assert wait_until(lambda: (tmp_path / "output").read_text().strip().isdigit())
    server = psutil.Process(int((tmp_path / "output").read_text()))
    owner.kill()
    owner.wait()
    server.wait(timeout=60)
    assert (home / "owner.lock").stat().st_uid == account.pw_uid
    with Cluster(home) as cluster:
        assert fetch(cluster, "SELECT 1") == 1
