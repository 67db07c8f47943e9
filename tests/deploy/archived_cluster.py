"""A PostgreSQL that archives its WAL as deploy/postgresql/ configures it, and copies of it restored as the docs do."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Final

import psycopg

from service.db import SERVICE_ROLE
from service.server.embedded import OWNER, Cluster
from service.server.embedded.binaries import binary
from tests.deploy.deploy_files import DEPLOY
from tests.support.database.postgres import Logins
from tests.support.installation import ROOT
from tests.support.server_process import made_files, wait_until

CONFIGURATION: Final = (DEPLOY / "postgresql" / "archive.conf").read_text(encoding="utf-8")
PROGRAM: Final = DEPLOY / "postgresql" / "archive_wal.sh"
_DOCS: Final = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
_SECTION: Final = _DOCS.partition("## Restore to a moment")[2].partition("\n## ")[0]
[INSTALL, BASE_BACKUP, RESTORE, CLEAN] = re.findall(r"```sh\n(.*?)```", _SECTION, re.DOTALL)
_TARGET: Final = "recovery_target_time = '2026-11-20 20:15:00+00'\n"
_SETTINGS: Final = {"fsync": "off"}
"""A crash of the machine may cost the databases of the suite."""


def read_settings(backups: Path) -> dict[str, str]:
    """Return the settings of archive.conf, with the folder of the test."""
    settings = dict(re.findall(r"^(\w+) = '?(.*?)'?$", CONFIGURATION, re.MULTILINE))
    command = settings["archive_command"].replace("/usr/local/bin/archive_wal.sh", str(PROGRAM))
    return settings | {"archive_command": command.replace("/backups", str(backups))}


def logins_of(cluster: Cluster) -> Logins:
    return Logins(owner=cluster.url(OWNER), service=cluster.url(SERVICE_ROLE))


class Archive:
    """A folder with base backups and WAL."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.backups = directory / "backups"
        self.base = self.backups / "base-2026-11-20"
        self.wal = self.backups / "wal"
        self.wal.mkdir(parents=True)
        _change_owner(self.wal)

    @contextmanager
    def primary(self) -> Iterator[Cluster]:
        """Start a server whose WAL is archived."""
        home = self.directory / "primary"
        shutil.copytree(made_files(), home / "postgres")
        _change_owner(home / "postgres")
        with Cluster(home, _SETTINGS | read_settings(self.backups)) as cluster:
            yield cluster

    def make_base_backup(self, cluster: Cluster) -> None:
        # The wheel of PostgreSQL has a pg_verifybackup that crashes, whatever its arguments are.
        commands = [line for line in BASE_BACKUP.splitlines() if not line.startswith("pg_verifybackup ")]
        self.run("\n".join(commands), OFC_BACKUP_URL=cluster.url(OWNER))

    @contextmanager
    def restored(self, name: str, moment: datetime | None) -> Iterator[Cluster]:
        """Start a copy of the server as it was at a moment, or as it was last."""
        home = self.directory / name
        home.mkdir()
        assert _TARGET in RESTORE
        target = "" if moment is None else _TARGET.replace("2026-11-20 20:15:00+00", moment.isoformat(" "))
        self.run(RESTORE.replace(_TARGET, target).replace("/srv/restored", str(home / "postgres")))
        _change_owner(home / "postgres")
        with Cluster(home, _SETTINGS) as cluster:
            assert wait_until(lambda: not query(cluster, "SELECT pg_is_in_recovery()")), cluster.last_error()
            yield cluster

    def run(self, block: str, **variables: str) -> None:
        """Run commands of the docs on this folder."""
        path = f"{binary('pg_basebackup').parent}:{os.environ['PATH']}"
        command = ["bash", "-euc", block.replace("/backups", str(self.backups))]
        ended = subprocess.run(
            command,
            env={**os.environ, **variables, "PATH": path},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr


def query(cluster: Cluster, statement: str) -> object:
    with psycopg.connect(cluster.url(OWNER), autocommit=True) as connection:
        [value] = connection.execute(statement.encode()).fetchone() or (None,)
        return value


def read_moment(cluster: Cluster) -> datetime:
    """Return the time of the server, after everything that was committed before."""
    moment = query(cluster, "SELECT clock_timestamp()")
    assert isinstance(moment, datetime)
    return moment


def _change_owner(directory: Path) -> None:
    """Change the owner of a folder to the user that PostgreSQL runs as."""
    owner = made_files().stat()
    for path in (directory, *directory.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)
