"""
Writes `migrations/manifest.json`: the schema that the migrations build, as `ofc-server verify` expects it.

Run as `python -m tests.support.schema_manifest` after a migration was added or changed (`make generate`).
"""

import json

from service.db import Database
from service.db.migrations import migrations_directory
from service.db.schema import MANIFEST, Schema, read_schema
from tests.support.database.postgres import Server, embedded_server


def schema_of(server: Server) -> Schema:
    """Read the schema of a fresh database at the newest migration."""
    logins = server.create_database()
    database = Database(logins.service)
    try:
        with database.outside_clubs() as connection:
            return read_schema(connection)
    finally:
        database.close()
        server.drop_database(logins)


if __name__ == "__main__":
    with embedded_server() as embedded:
        schema = schema_of(embedded)
    written = json.dumps(schema, indent=1, ensure_ascii=False, sort_keys=True)
    (migrations_directory() / MANIFEST).write_text(written + "\n", encoding="utf-8")
