"""The rig: etcd, Patroni with PostgreSQL, HAProxy and the service, each on hosts of its own."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx2

from tests.cluster.debian_root import build_root, cache_folder
from tests.cluster.host_processes import HostProcess
from tests.cluster.network import HOSTS, address, enter, kill_host, network, run_at
from tests.support.installation import ROOT

SERVERS: Final = ("pg1", "pg2", "pg3")
ETCD: Final = ("etcd1", "etcd2", "etcd3")
WEB: Final = ("web1", "web2")
HA: Final = ROOT / "deploy" / "ha"
URL: Final = f"http://{address('lb')}:8000"
_PASSWORD: Final = "rig"
_ROLES: Final = f"""
CREATE ROLE ofc_service NOLOGIN;
CREATE ROLE ofc_owner LOGIN PASSWORD '{_PASSWORD}';
CREATE ROLE ofc_web LOGIN PASSWORD '{_PASSWORD}' IN ROLE ofc_service;
CREATE DATABASE ofc OWNER ofc_owner;
"""
# The servers share a root: each has its own folders of data and of sockets there.
_OWN_FOLDERS: Final = """
mount --bind "$1/srv/$2" "$1/var/lib/postgresql" && mount --bind "$1/srv/$2/run" "$1/run/postgresql" || exit
shift 2
exec "$@"
"""


class Rig:
    """All hosts, and the processes on them."""

    def __init__(self, root: Path, folder: Path) -> None:
        """
        Define the processes.

        Args:
            root: the Debian root.
            folder: where logs and the signing key are stored.
        """
        self.root, self.folder, self.logs = root, folder, folder / "logs"
        self.logs.mkdir(parents=True)
        self.processes: dict[str, HostProcess] = {}
        for host in ETCD:
            self._define_etcd(host)
        for server in SERVERS:
            self._define_server(server)
        haproxy = self._in_root("haproxy", "haproxy", "-W", "-f", "/etc/ofc/haproxy.cfg")
        self._add("haproxy", "lb", haproxy)
        for host in WEB:
            self._add(f"web-{host}", host, self._service("web", "--host", "0.0.0.0", "--workers", "1"), self.settings)
        self._add("worker-worker1", "worker1", self._service("worker", "--concurrency", "1"), self.settings)

    def database_url(self, login: str, *, database: str = "ofc") -> str:
        hosts = ",".join(f"{address(server)}:5432" for server in SERVERS)
        return f"postgresql://{login}:{_PASSWORD}@{hosts}/{database}?target_session_attrs=read-write"

    @property
    def settings(self) -> dict[str, str]:
        """The environment of the service."""
        others = {name: text for name, text in os.environ.items() if not name.startswith("OFC_")}
        return others | {
            "PYTHONPATH": str(ROOT),
            "OFC_DATABASE_URL": self.database_url("ofc_web"),
            "OFC_SIGNING_KEY_FILE": str(self.folder / "signing-key"),
            "OFC_RATE_LIMIT": "0",
            "OFC_LOG": "json",
        }

    def start(self) -> None:
        """Start everything, migrate the database, and wait until requests are answered."""
        shutil.rmtree(self.root / "etc/ofc", ignore_errors=True)
        shutil.copytree(HA, self.root / "etc/ofc")
        aliases = {"lb": "lb haproxy"}
        lines = [f"{address(host)} {aliases.get(host, host)}\n" for host in HOSTS]
        (self.root / "etc/hosts").write_text("127.0.0.1 localhost\n" + "".join(lines))
        for host in (*ETCD, *SERVERS):
            self._make_folders(host)
        for host in ETCD:
            self.processes[host].start()
        for server in SERVERS:
            self.processes[f"patroni-{server}"].start()
        wait_for(lambda: len(self.find_standbys()) == 2, 120, "two standbys")
        self._create_database()
        self.processes["haproxy"].start()
        for host in WEB:
            self.processes[f"web-{host}"].start()
        self.processes["worker-worker1"].start()
        wait_for(lambda: run_at("client", _is_ready), 120, "a web server that is ready")

    def run_service(self, *arguments: str) -> str:
        """Run a command of `ofc-server` on the client host as the owner of the database."""
        settings = self.settings | {"OFC_OWNER_URL": self.database_url("ofc_owner")}
        command = [*enter("client"), *self._service(*arguments)]
        done = subprocess.run(command, env=settings, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def members(self) -> list[dict[str, Any]]:
        """Return the members of the cluster as the first server that responds reports them."""

        def read() -> list[dict[str, Any]]:
            for server in SERVERS:
                try:
                    response = httpx2.get(f"http://{address(server)}:8008/cluster", timeout=3, trust_env=False)
                    members: list[dict[str, Any]] = response.json()["members"]
                except (httpx2.HTTPError, ValueError, KeyError):
                    continue
                if any(member["role"] == "leader" and member["state"] == "running" for member in members):
                    return members
            return []

        return run_at("client", read)

    def find_primary(self) -> str:
        wait_for(lambda: bool(self.members()), 60, "a primary")
        return next(str(member["name"]) for member in self.members() if member["role"] == "leader")

    def find_standbys(self) -> list[str]:
        """Return the standbys that the primary streams to and that count for the quorum."""
        return [
            str(member["name"])
            for member in self.members()
            if member["role"] == "quorum_standby" and member["state"] == "streaming"
        ]

    def wait_until_whole(self) -> None:
        wait_for(lambda: len(self.find_standbys()) == 2, 120, "two standbys")

    def switch_over(self, primary: str, candidate: str) -> None:
        options = ["--leader", primary, "--candidate", candidate, "--force"]
        command = self._in_root("postgres", "patronictl", "-c", "/etc/ofc/patroni.yml", "switchover", "ofc", *options)
        subprocess.run([*enter("client"), *command], check=True, capture_output=True, timeout=60)

    def data_folder(self, server: str) -> Path:
        return self.root / "srv" / server / "17" / "ofc"

    def kill(self) -> None:
        """End all processes."""
        for host in HOSTS:
            self.kill_host(host)

    def kill_host(self, host: str) -> None:
        """End all processes of a host at once."""
        kill_host(host)
        for process in self.processes.values():
            if process.host == host and process.process is not None:
                process.process.wait(20)

    def start_host(self, host: str) -> None:
        """Start the processes of a host that were killed."""
        for process in self.processes.values():
            if process.host == host and not process.is_running:
                process.start()

    def _define_etcd(self, host: str) -> None:
        lines = (HA / "etcd.env").read_text().splitlines()
        environment = dict(line.split("=", 1) for line in lines if line and not line.startswith("#")) | {
            "PATH": os.environ["PATH"],
            "ETCD_NAME": host,
            "ETCD_INITIAL_ADVERTISE_PEER_URLS": f"http://{host}:2380",
            "ETCD_ADVERTISE_CLIENT_URLS": f"http://{host}:2379",
            "ETCD_DATA_DIR": f"/srv/{host}/etcd",
        }
        self._add(host, host, self._in_root("postgres", "etcd"), environment)

    def _define_server(self, server: str) -> None:
        patroni = {
            "PATH": os.environ["PATH"],
            "PATRONI_NAME": server,
            "PATRONI_RESTAPI_CONNECT_ADDRESS": f"{server}:8008",
            "PATRONI_POSTGRESQL_CONNECT_ADDRESS": f"{server}:5432",
            "PATRONI_POSTGRESQL_PGPASS": "/var/lib/postgresql/pgpass",
        }
        for login in ("SUPERUSER", "REPLICATION", "REWIND"):
            patroni[f"PATRONI_{login}_PASSWORD"] = _PASSWORD
        command = ["unshare", "--mount", "sh", "-c", _OWN_FOLDERS, "sh", self.root, server]
        run_patroni = self._in_root("postgres", "patroni", "/etc/ofc/patroni.yml")
        self._add(f"patroni-{server}", server, [*command, *run_patroni], patroni)

    def _make_folders(self, host: str) -> None:
        folder = self.root / "srv" / host
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "run").mkdir(parents=True)
        (self.root / "run/postgresql").mkdir(exist_ok=True)
        subprocess.run(["chroot", self.root, "chown", "-R", "postgres:postgres", f"/srv/{host}"], check=True)

    def _create_database(self) -> None:
        run_at("client", lambda: _run_sql(self.database_url("postgres", database="postgres")))
        self.run_service("migrate")
        self.run_service("signing-key", "create")

    def _in_root(self, login: str, *command: str) -> list[str | Path]:
        return ["chroot", f"--userspec={login}:{login}", self.root, *command]

    def _service(self, *arguments: str) -> list[str | Path]:
        return [sys.executable, "-m", "service", *arguments]

    def _add(
        self, name: str, host: str, command: list[str | Path], environment: Mapping[str, str] = os.environ
    ) -> None:
        self.processes[name] = HostProcess(name, host, ["nice", "-n", "5", *command], environment, self.logs)


def wait_for(is_so: Any, seconds: float, what: str) -> float:
    """Wait until a condition is met, and return the seconds."""
    begun = time.monotonic()
    while not is_so():
        assert time.monotonic() - begun < seconds, f"{what}: not within {seconds:.0f} s"
        time.sleep(0.2)
    return time.monotonic() - begun


def _is_ready() -> bool:
    try:
        return httpx2.get(f"{URL}/readyz", timeout=5, trust_env=False).status_code == 200
    except httpx2.HTTPError:
        return False


def _run_sql(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for statement in _ROLES.strip().splitlines():
            connection.execute(statement)  # type: ignore[call-overload]  # a literal of this module


@contextmanager
def running_rig() -> Iterator[Rig]:
    """Build the rig, and remove it at the end; the logs stay in the cache folder."""
    root = build_root()
    folder = cache_folder() / "rig"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["mount", "-t", "proc", "proc", root / "proc"], check=True)
    try:
        with network():
            rig = Rig(root, folder)
            try:
                rig.start()
                yield rig
            finally:
                rig.kill()
    finally:
        subprocess.run(["umount", root / "proc"], check=True)
