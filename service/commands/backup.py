"""`ofc-server backup`: copy the data directory of the embedded PostgreSQL while it runs."""

import os
from pathlib import Path

import click

from service.audit_trail.signing import SIGNING_KEY
from service.commands.options import NamedPath, data_option
from service.commands.output import print_message
from service.config import Hosting
from service.errors import OperatorError
from service.server.embedded import Cluster
from service.server.embedded.backup import copy_files
from service.server.first_key import API_KEY


@click.command()
@click.argument("target", metavar="COPY", type=NamedPath(path_type=Path))
@data_option
def backup(target: Path, directory: Path | None) -> None:
    """
    Copy the data directory of the embedded PostgreSQL while the service runs.

    COPY must not exist. It becomes a data directory: `ofc-server up --data COPY` serves everything that was stored
    before the backup started. It contains `signing-key` and `api-key`: protect it like the data directory itself.

    For an external PostgreSQL, use its own tools; see docs/operations.md.

    \b
    Examples:
      ofc-server backup /backups/2026-11-20
      ofc-server backup --data /srv/ofc /backups/2026-11-20
    """
    if os.environ.get("OFC_DATABASE_URL"):
        raise OperatorError("OFC_DATABASE_URL names an external PostgreSQL; back it up with pg_basebackup or pg_dump.")
    cluster = Cluster(Hosting.from_environment(directory=directory).directory)
    try:
        cluster.join(only_reads=True)
        copy_files(cluster, target.absolute(), beside=(API_KEY, SIGNING_KEY))
    finally:
        cluster.stop()
    print_message(f"The backup is in {target}; `ofc-server verify --data {target}` checks it. It contains keys.")
