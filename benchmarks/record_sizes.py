"""
Measure the disk space of a hand in PostgreSQL: imported, and posted with an idempotency key.

The size is that of all tables with their indexes, divided by the number of hands. WAL and backups are not included.

Example: python -m benchmarks.record_sizes --rounds 2000
"""

import argparse
import json
import sys
from random import Random
from typing import Final
from uuid import uuid4

import psycopg
from flask import Flask

from benchmarks.hand_in_process import open_app, post, prepare
from benchmarks.import_rounds import bench, make_lines
from benchmarks.post_hands import RULESET, SEATS, STACK, make_hands

SIZE: Final = """
SELECT sum(pg_total_relation_size(oid))::bigint
FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
"""
LINES_AT_ONCE: Final = 300


def read_size(url: str) -> int:
    """Return the bytes of all tables with their indexes."""
    with psycopg.connect(url) as connection:
        row = connection.execute(SIZE).fetchone()
    assert row is not None
    return int(row[0])


def measure_imported(rounds: int) -> float:
    """Return the bytes per hand of imported rounds."""
    with bench() as database:
        before = read_size(database.superuser)
        database.import_lines(make_lines(rounds, Random(1)), LINES_AT_ONCE)
        return (read_size(database.superuser) - before) / (rounds * len(SEATS))


def measure_posted(rounds: int) -> float:
    """Return the bytes per hand of posted rounds."""
    with open_app() as (app, key, owner):
        before = read_size(owner)
        for number, hands in enumerate(make_hands(rounds, Random(1))):
            post_round(app, key, number, hands)
        return (read_size(owner) - before) / (rounds * len(SEATS))


def post_round(app: Flask, key: str, number: int, hands: list[bytes]) -> None:
    """Create a table, open a round and post its hands, each request with an idempotency key."""

    def send(path: str, body: bytes) -> str:
        request = prepare(key, path, body)
        request["HTTP_IDEMPOTENCY_KEY"] = str(uuid4())
        return str(post(app, request)["id"])

    seats = [{"seat": seat, "player": f"player {seat}", "stack": STACK} for seat in SEATS]
    table = send("/v1/tables", json.dumps({"name": f"table {number}", "ruleset": RULESET}).encode())
    opened = send(f"/v1/tables/{table}/rounds", json.dumps({"seats": seats}).encode())
    for hand in hands:
        send(f"/v1/rounds/{opened}/hands", hand)


def main() -> int:
    """Print the sizes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2000, help="imported rounds of three hands (default 2000)")
    parser.add_argument("--posted", type=int, default=400, help="posted rounds of three hands (default 400)")
    chosen = parser.parse_args()
    print(f"imported: {measure_imported(chosen.rounds) / 1000:.1f} kB a hand")
    print(f"posted: {measure_posted(chosen.posted) / 1000:.1f} kB a hand")
    return 0


if __name__ == "__main__":
    sys.exit(main())
