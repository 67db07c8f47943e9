"""A PostgreSQL whose commits wait for a standby that does not exist, and the processes that wait."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import LiteralString

import psycopg

from tests.support.database.postgres import Server, embedded_server, text_of
from tests.support.server_process import wait_until


@dataclass(frozen=True)
class WaitingServer:
    """A server whose commits wait while `synchronous_standby_names` names a standby."""

    server: Server

    def stop_confirming(self) -> None:
        """Make commits wait. A running process learns of it a moment later."""
        self._query("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self._query("SELECT pg_reload_conf()")
        assert wait_until(self._does_commit_wait)

    def confirm(self) -> None:
        """Release the waiting commits and those that come later."""
        self._query("ALTER SYSTEM RESET synchronous_standby_names")
        self._query("SELECT pg_reload_conf()")

    def list_waiting(self) -> list[int]:
        """The processes of PostgreSQL whose commits wait."""
        rows = self._query("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        return [pid for (pid,) in rows]

    def wait_for_commits(self, number: int = 1) -> list[int]:
        """Wait until so many commits wait, and return their processes."""
        assert wait_until(lambda: len(self.list_waiting()) >= number)
        return self.list_waiting()

    def cancel(self, pid: int) -> None:
        self._query("SELECT pg_cancel_backend(%s)", pid)

    def terminate(self, pid: int) -> None:
        self._query("SELECT pg_terminate_backend(%s)", pid)

    def crash(self, pid: int) -> None:
        """Kill a process of PostgreSQL, which then restarts all others, and wait until it can be used again."""
        with self._connect() as other:
            os.kill(pid, signal.SIGKILL)
            assert wait_until(lambda: not _responds(other))
        assert wait_until(self._is_up)

    def _is_up(self) -> bool:
        with suppress(psycopg.OperationalError):
            return bool(self._query("SELECT 1"))
        return False

    def _does_commit_wait(self) -> bool:
        with self._connect() as probe, ThreadPoolExecutor(1) as threads:
            probe.execute("SET synchronous_commit = on")
            commit = threads.submit(probe.execute, "SELECT pg_logical_emit_message(true, 'test', '')")
            try:
                return wait_until(lambda: commit.done() or probe.info.backend_pid in self.list_waiting()) and (
                    not commit.done()
                )
            finally:
                probe.cancel_safe()

    def _query(self, query: LiteralString, *parameters: object) -> list[tuple[int]]:
        with self._connect() as connection:
            cursor = connection.execute(query, parameters)
            return cursor.fetchall() if cursor.description else []

    def _connect(self) -> psycopg.Connection[tuple[int]]:
        return psycopg.connect(text_of(self.server.admin), autocommit=True)


def _responds(connection: psycopg.Connection) -> bool:
    with suppress(psycopg.OperationalError):
        connection.execute("SELECT 1")
        return True
    return False


@contextmanager
def waiting_server() -> Iterator[WaitingServer]:
    """A server of its own, because its settings and its crashes concern all databases."""
    with embedded_server() as server:
        waiting = WaitingServer(server)
        yield waiting
        waiting.confirm()
