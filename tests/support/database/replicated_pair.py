"""Two PostgreSQL servers: a primary and its streaming standby, which can change roles."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from service.server.embedded import OWNER, Cluster
from tests.support.database.broken_connection import Line, Place, breaking_line
from tests.support.database.postgres import FORGETFUL
from tests.support.server_process import made_files, wait_until

WITHOUT_TLS = "sslmode=disable&gssencmode=disable"


class Node:
    """A server, and a line to it. The other server and clients reach it over TCP."""

    def __init__(self, home: Path, line: Line) -> None:
        self.home = home
        self.line = line
        self.cluster = Cluster(home, FORGETFUL)

    @property
    def place(self) -> Place:
        return f"{self.cluster.socket_directory}/.s.PGSQL.5432"

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.line.port}"

    def start_as_primary(self) -> None:
        self.cluster.start()
        self.line.lead_to(self.place)

    def start_as_standby_of(self, primary: "Node") -> None:
        signal = self.home / "postgres" / "standby.signal"
        signal.touch()
        _give_to_owner(self.home, signal)
        upstream = f"host=127.0.0.1 port={primary.line.port} user={OWNER} sslmode=disable gssencmode=disable"
        self.cluster = Cluster(self.home, {**FORGETFUL, "primary_conninfo": upstream})
        self.cluster.start()
        self.line.lead_to(self.place)
        assert wait_until(lambda: primary.query("SELECT count(*) FROM pg_stat_replication") == 1)

    def query(self, query: str) -> object:
        with psycopg.connect(self.cluster.url(OWNER), autocommit=True) as connection:
            [value] = connection.execute(query.encode()).fetchone() or (None,)
            return value


class Pair:
    """A primary and its standby."""

    def __init__(self, primary: Node, standby: Node) -> None:
        self.primary = primary
        self.standby = standby
        primary.start_as_primary()
        standby.start_as_standby_of(primary)

    def switch_over(self) -> None:
        """Stop the primary, promote the standby, and start the former primary as its standby."""
        former = self.primary
        # A fast shutdown sends everything to the standby before it ends.
        former.cluster.stop()
        assert self.standby.query("SELECT pg_promote()")
        self.primary, self.standby = self.standby, former
        former.start_as_standby_of(self.primary)

    def stop(self) -> None:
        self.standby.cluster.stop()
        self.primary.cluster.stop()


@contextmanager
def replicated_pair(directory: Path) -> Iterator[Pair]:
    homes = [directory / "one", directory / "two"]
    for home in homes:
        shutil.copytree(made_files(), home / "postgres")
        _give_to_owner(home, *(home / "postgres").rglob("*"), home / "postgres")
    # Nothing reaches a server through its line before it is started.
    with breaking_line("") as first, breaking_line("") as second:
        pair = Pair(Node(homes[0], first), Node(homes[1], second))
        yield pair
        pair.stop()


def _give_to_owner(home: Path, *paths: Path) -> None:
    owner = made_files().stat()
    for path in paths:
        os.chown(path, owner.st_uid, owner.st_gid)
