"""A worker whose machine is cut off: PostgreSQL notices, and another worker goes on."""

import os
import shutil
import time
from pathlib import Path

import pytest
from sqlalchemy import make_url

from service.db.address import SERVICE_ROLE
from service.imports.actions import imports
from service.server.embedded import OWNER, Cluster
from tests.support.application import house_on
from tests.support.brokers import opened_broker
from tests.support.database.cut_off_host import HAS_NAMESPACES, HERE, another_host
from tests.support.database.postgres import FORGETFUL, Logins, text_of
from tests.support.job_service import LINES, Room, check_outcome, lines
from tests.support.server_process import COMMAND, made_files, wait_until
from tests.support.worker_process import Working

LONGEST_SECONDS = 30
"""After a cable is cut, the chunk is free after so many seconds."""
OTHER_SECONDS = 20
"""What another worker takes to look at the job and end it, on a busy machine."""


def copy_cluster(home: Path) -> Cluster:
    """Return a PostgreSQL that the other host can reach."""
    files = home / "postgres"
    shutil.copytree(made_files(), files)
    with (files / "pg_hba.conf").open("a") as rules:
        rules.write(f"\nhost all all {HERE}/30 trust\n")
    owner = made_files().stat()
    for path in (home, files, *files.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)
    return Cluster(home, {**FORGETFUL, "listen_addresses": HERE})


@pytest.mark.thorough
@pytest.mark.skipif(not HAS_NAMESPACES, reason="network namespaces need root and iproute2")
def test_the_chunk_of_a_worker_that_was_cut_off_is_processed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(imports, "MOST_LINES", LINES)
    with another_host() as host, copy_cluster(tmp_path) as cluster, opened_broker("the database") as broker:
        logins = Logins(cluster.url(OWNER), cluster.url(SERVICE_ROLE))
        over_tcp = text_of(make_url(logins.service).set(host=HERE, port=5432, query={"sslmode": "disable"}))
        with house_on(logins) as house:
            room = Room(house, broker, house.new_client())
            far = Working(Logins(logins.owner, over_tcp), command=host.command(*COMMAND, "worker"))
            try:
                with room.closed_gate():
                    job = room.send(lines())
                    assert wait_until(room.someone_waits_at_the_gate)
                    host.cut_off()
                begun = time.monotonic()
                with room.work():
                    check_outcome(room, job)
                assert time.monotonic() - begun < LONGEST_SECONDS + OTHER_SECONDS
                assert room.repeated_chunks() == 1
            finally:
                far.close()
