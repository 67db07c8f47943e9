"""The statements of a hand and nothing else: the speed of the service if its Python code took no time."""

import os
import pickle
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, cast

import psycopg
from flask import Flask, Response, request

from service.db.pipeline import Parameters, Statement, run_together

LISTED: Final = "OFC_BENCHMARK_STATEMENTS"
"""The variable that names a file with the statements of each hand of each round, by round trip."""

app = Flask(__name__)
_local = threading.local()


@dataclass(frozen=True, slots=True)
class Sent:
    """A recorded statement with its parameters."""

    query: bytes
    parameters: Parameters


@cache
def rounds() -> list[list[list[list[Sent]]]]:
    """Read the statements: by round, by hand, and by round trip to PostgreSQL."""
    listed: list[list[list[list[Sent]]]] = pickle.loads(Path(os.environ[LISTED]).read_bytes())
    return listed


def connect() -> psycopg.Connection:
    """Return the connection of the thread."""
    if not hasattr(_local, "connection"):
        _local.connection = psycopg.connect(os.environ["OFC_DATABASE_URL"], autocommit=True)
    connection: psycopg.Connection = _local.connection
    return connection


@app.post("/rounds/<int:place>/hands")
def post_hand(place: int) -> Response:
    """Send the statements of a hand, in the same round trips as the service."""
    for together in rounds()[place][request.get_json()["number"] - 1]:
        run_together(connect(), [(cast("Statement", each), each.parameters) for each in together])
    return Response('{"status":"stored"}\n', 201, content_type="application/json")
