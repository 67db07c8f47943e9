"""
Measure how many hands could be recorded per second over HTTP at the most, if the service's own Python took no time.

Hands are recorded once, and the statements that are sent to PostgreSQL are stored. Then a small application
(`benchmarks/statements_alone.py`) sends the same statements, in the same round trips, to a copy of the database from
before, and the floor of `benchmarks.post_hands` runs beside it. The application checks no key, scores nothing and
returns no hand. With `--bare`, it also runs on a second copy without triggers, CHECKs and foreign keys.

Example: python -m benchmarks.post_statements --runs 10 --bare
"""

import argparse
import json
import os
import pickle
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random
from typing import Any, Final
from unittest.mock import patch

import psycopg
from flask import Flask
from psycopg import sql
from sqlalchemy import make_url

from benchmarks.database import open_cluster
from benchmarks.floor import create_table
from benchmarks.hand_in_process import post, prepare
from benchmarks.post_hands import RULESET, SEATS, STACK, Turns, add_sizes, make_hands, serve, show_ratios
from benchmarks.statements_alone import LISTED, Sent
from service.app import create_app
from service.clubs.actions import create_club_with_key
from service.config import Config
from service.db.pipeline import run_together
from service.http.services import services_of
from service.server.embedded import OWNER, Cluster

GUARDED: Final = "guarded"
BARE: Final = "bare"
_CONSTRAINTS: Final = """
    SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE contype IN ('c', 'f') AND conrelid <> 0
        AND connamespace = 'public'::regnamespace
"""
_TRIGGERS: Final = "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal"


def open_rounds(app: Flask, key: str, count: int) -> list[str]:
    """Open rounds, each at its own table, and return their ids."""
    seats = json.dumps({"seats": [{"seat": seat, "player": f"player {seat}", "stack": STACK} for seat in SEATS]})
    tables = [json.dumps({"name": f"table {number}", "ruleset": RULESET}).encode() for number in range(count)]
    ids = [post(app, prepare(key, "/v1/tables", table))["id"] for table in tables]
    return [post(app, prepare(key, f"/v1/tables/{table}/rounds", seats.encode()))["id"] for table in ids]


@contextmanager
def written_down(sent: list[list[Sent]]) -> Iterator[None]:
    """Record the statements that are sent to PostgreSQL, by round trip."""

    def noting(driver: Any, statements: Sequence[Any]) -> Any:
        sent.append([Sent(each.query, dict(parameters)) for each, parameters in statements])
        return run_together(driver, statements)

    with patch("service.db.pipeline.run_together", noting):
        yield


def record(
    app: Flask, key: str, round_ids: Sequence[str], rounds: Sequence[Sequence[bytes]]
) -> list[list[list[list[Sent]]]]:
    """Post hands, and return the statements sent to PostgreSQL: by round, by hand, and by round trip."""
    noted: list[list[list[list[Sent]]]] = []
    for round_id, hands in zip(round_ids, rounds, strict=True):
        noted.append([])
        for hand in hands:
            sent: list[list[Sent]] = []
            with written_down(sent):
                post(app, prepare(key, f"/v1/rounds/{round_id}/hands", hand))
            noted[-1].append(sent)
    return noted


def copy(cluster: Cluster, name: str) -> None:
    """Copy the database."""
    with psycopg.connect(cluster.url(OWNER, "postgres"), autocommit=True) as connection:
        original = sql.Identifier(make_url(cluster.url(OWNER)).database or "")
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), original))


def drop_guards(url: str) -> None:
    """Drop the constraints and triggers of a database."""
    for query, drop in (
        (_CONSTRAINTS, "ALTER TABLE {} DROP CONSTRAINT {} CASCADE"),
        (_TRIGGERS, "DROP TRIGGER {1} ON {0}"),
    ):
        with psycopg.connect(url) as connection:
            for table, name in connection.execute(query).fetchall():
                connection.execute(sql.SQL(drop).format(sql.SQL(table), sql.Identifier(name)))


def main() -> int:
    """Print the rates and their ratios to the floor's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10, help="alternating runs of each (default 10)")
    add_sizes(parser)
    parser.add_argument("--bare", action="store_true", help="also without triggers, CHECKs and foreign keys")
    chosen = parser.parse_args()
    copies = [GUARDED, BARE] if chosen.bare else [GUARDED]
    with ExitStack() as stack:
        home, cluster = stack.enter_context(open_cluster())
        owner = cluster.url(OWNER)
        create_table(owner)
        rounds = make_hands(chosen.rounds * (chosen.runs + 1), Random(1))
        note_statements(cluster, home / "statements", copies, rounds)
        if chosen.bare:
            drop_guards(cluster.url(OWNER, BARE))
        os.environ[LISTED] = str(home / "statements")
        servers = {
            name: stack.enter_context(serve(application, url, chosen.workers, {}, home / "log"))
            for name, application, url in (
                ("floor", "benchmarks.floor:app", owner),
                *((name, "benchmarks.statements_alone:app", cluster.url("ofc_service", name)) for name in copies),
            )
        }
        turns = {name: Turns([]) for name in servers}
        for run in range(chosen.runs + 1):
            if run == 1:  # the first warmed all up
                turns = {name: Turns([]) for name in servers}
            places = range(run * chosen.rounds, (run + 1) * chosen.rounds)
            for name, server in servers.items():
                paths = [f"/rounds/{place}/hands" if name in copies else "/hands" for place in places]
                turns[name].play(server, owner, paths, [rounds[place] for place in places], chosen.clients)
        show_ratios(turns)
    return 0


def note_statements(cluster: Cluster, noted: Path, copies: Sequence[str], rounds: Sequence[Sequence[bytes]]) -> None:
    """Open rounds, copy the database, and write the statements that record their hands to a file."""
    environment = {"OFC_DATABASE_URL": cluster.url("ofc_service"), "OFC_RATE_LIMIT": "0"}
    app = create_app(Config.from_environment({**os.environ, **environment}))
    key = create_club_with_key(cluster.url(OWNER), "bench")
    round_ids = open_rounds(app, key, len(rounds))
    services_of(app).database.close()  # a database is copied while nobody uses it
    for name in copies:
        copy(cluster, name)
    noted.write_bytes(pickle.dumps(record(app, key, round_ids, rounds)))
    services_of(app).database.close()


if __name__ == "__main__":
    sys.exit(main())
