"""Backups of the running embedded PostgreSQL."""

import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from service.files import SECRET, atomic_write
from service.server.embedded import process
from service.server.embedded.binaries import EmbeddedError, account_for, binary
from service.server.embedded.cluster import OWNER, Cluster

BACKUP_RECORD: Final = "last-backup"
"""The file of the data directory with the time of its last backup; a copy has none."""


def copy_files(cluster: Cluster, copy: Path, beside: Iterable[str]) -> None:
    """
    Copy a running cluster into a new data directory.

    The directory gets its name when it is complete; until then it is called `.NAME.….unfinished`. The time is recorded
    in the file `last-backup` of the data directory, for `ofc-server doctor`.

    Args:
        cluster: a running cluster.
        copy: the new directory, in an existing one.
        beside: further files of the data directory to copy, if they exist.

    Raises:
        EmbeddedError: the path exists, or cannot be written.
    """
    if os.path.lexists(copy):
        raise EmbeddedError(f"{copy} already exists; expected a directory that does not exist.")
    begun_at = datetime.now(UTC)
    try:
        unfinished = Path(tempfile.mkdtemp(prefix=f".{copy.name}.", suffix=".unfinished", dir=copy.parent))
        try:
            _run_basebackup(cluster, unfinished / cluster.files.name)
            for name in beside:
                _copy_secret(cluster.home / name, unfinished / name)
            unfinished.rename(copy)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    except OSError as error:
        raise EmbeddedError(f"The backup {copy} cannot be written: {error.strerror}.") from error
    # A backup is one without this file too.
    with contextlib.suppress(OSError), atomic_write(cluster.home / BACKUP_RECORD) as writer:
        writer.write(f"{begun_at.isoformat()}\n")


def _run_basebackup(cluster: Cluster, files: Path) -> None:
    files.mkdir(mode=0o700)
    account = account_for(cluster.files)
    if account is not None:
        os.chown(files, *account)
    command = [
        *(str(binary("pg_basebackup")), "--pgdata", str(files), "--wal-method=stream", "--checkpoint=fast"),
        *("--host", str(cluster.socket_directory), "--port", "5432", "--username", OWNER, "--no-password"),
    ]
    env = {name: text for name, text in os.environ.items() if not name.startswith("PG")} | {"LC_ALL": "C"}
    with tempfile.TemporaryFile() as log:
        copying = process.spawn(command, last_signal=signal.SIGKILL, account=account, env=env, output=log)
        try:
            code = copying.wait()
        finally:
            # An interrupted copy is deleted.
            copying.kill()
            copying.wait()
        log.seek(0)
        lines = log.read().decode(errors="replace").strip().splitlines()
    if code != 0:
        raise EmbeddedError(f"pg_basebackup failed: {lines[-1] if lines else f'exit code {code}'}.")


def _copy_secret(source: Path, target: Path) -> None:
    """Copy a small private file, if it exists."""
    with contextlib.suppress(FileNotFoundError):
        content = source.read_text(encoding="utf-8")
        with atomic_write(target, SECRET) as writer:
            writer.write(content)
