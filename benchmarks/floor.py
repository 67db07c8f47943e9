"""The floor: the least that a service can do with a hand. It inserts the JSON as one row and commits."""

import os
import threading

import psycopg
from flask import Flask, Response, request
from psycopg.types.json import Jsonb

app = Flask(__name__)
_local = threading.local()


def connection() -> psycopg.Connection:
    """Return the connection of the thread, as simple services do."""
    if not hasattr(_local, "connection"):
        _local.connection = psycopg.connect(os.environ["OFC_DATABASE_URL"])
    return _local.connection


def create_table(url: str) -> None:
    """Create the table of the hands."""
    with psycopg.connect(url) as owner:
        owner.execute("CREATE TABLE floor (id bigserial PRIMARY KEY, hand jsonb NOT NULL)")


@app.post("/hands")
def post_hand() -> Response:
    """Insert a hand."""
    with connection().transaction():
        connection().execute("INSERT INTO floor (hand) VALUES (%s)", [Jsonb(request.get_json())])
    return Response('{"status":"stored"}\n', 201, content_type="application/json")
