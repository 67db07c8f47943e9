"""`ofc-server status`: the state of the server, its jobs and its signatures."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import click

from schemas.fields import show_time
from service.audit_trail.queries import trees
from service.audit_trail.signing import read_signing_key
from service.clubs.actions import list_clubs
from service.clubs.queries import clubs
from service.commands.database_owner import open_as_owner
from service.commands.options import data_option, json_option
from service.commands.output import print_json, print_message, print_table, show_moment
from service.commands.signing_key import configured_key_file
from service.db import Database, ServerState
from service.errors import OperatorError
from service.jobs.queries import jobs, moments
from service.jobs.queries.jobs import JobState, UnfinishedJob
from service.jobs.queries.moments import Moment

_LONGEST_PAUSE: Final = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class JobStatus:
    """
    An unfinished job of any club.

    Attributes:
        dead_lettered: the number of its dead-lettered chunks.
    """

    id: UUID
    club: str
    kind: str
    state: str
    done: int
    total: int | None
    dead_lettered: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class SigningStatus:
    """
    The state of the trees and checkpoints of all clubs.

    Attributes:
        waiting: the number of events that are not in their club's tree yet.
        unsigned: the number of events in a tree that no checkpoint covers yet.
        signed_at: the time of the newest checkpoint; None if there is none.
    """

    waiting: int
    unsigned: int
    signed_at: datetime | None


@dataclass(frozen=True, slots=True)
class Status:
    """
    The state of workers, jobs, checkpoints and the database.

    Attributes:
        workers: when workers last started, by host and queues.
        periodic: when periodic tasks last ran, by name.
        server: the durability settings of the database.
        signing: the state of the checkpoints.
        oldest_waiting: the creation time of the oldest queued job; None if no job is queued.
    """

    workers: list[Moment]
    periodic: list[Moment]
    jobs: list[JobStatus]
    oldest_waiting: datetime | None
    signing: SigningStatus
    server: ServerState

    @property
    def is_working(self) -> bool:
        """Whether a worker has run a periodic task just now."""
        return any(datetime.now(UTC) - each.at < _LONGEST_PAUSE for each in self.periodic)


def get_status(database: Database) -> Status:
    """Read what workers did, the unfinished jobs of all clubs, and the state of the checkpoints."""
    with database.outside_clubs() as connection:
        starts, runs = moments.list_moments(connection)
        under_way = jobs.list_unfinished(connection)
    job_statuses = [_read_job(database, job) for job in under_way]
    waiting = [job.created_at for job in job_statuses if job.state == JobState.QUEUED]
    return Status(
        starts, runs, job_statuses, min(waiting, default=None), _read_signing(database), database.read_server()
    )


def _read_job(database: Database, unfinished: UnfinishedJob) -> JobStatus:
    with database.reading(unfinished.club_id) as transaction:
        job = jobs.get(transaction, unfinished.id)
        progress = jobs.get_progress(transaction, unfinished.id)
        club = clubs.get(transaction)
    return JobStatus(
        job.id, club.name, job.kind, job.state.value, progress.done, job.total, progress.dead_lettered, job.created_at
    )


def _read_signing(database: Database) -> SigningStatus:
    waiting, unsigned, signed_at = 0, 0, list[datetime]()
    for club in list_clubs(database):
        with database.reading(club.id) as transaction:
            head = trees.get_head(transaction)
            waiting += trees.count_waiting(transaction)
        unsigned += head.size - head.signed_size
        signed_at += [head.signed_at] if head.signed_at else []
    return SigningStatus(waiting, unsigned, max(signed_at, default=None))


@click.command()
@data_option
@json_option
def status(directory: Path | None, as_json: bool) -> None:
    """
    Show workers, unfinished jobs, the durability of the database, and checkpoints.

    Workers are listed by host and queues, with their last start. While one works, its periodic tasks run every few
    seconds. The signing key is that of this machine.

    \b
    Examples:
      ofc-server status
      ofc-server status --json
    """
    with open_as_owner(directory) as database:
        state = get_status(database)
    key, missing = _find_key(directory)
    if as_json:
        print_json({**_dump(state), "signing_key": key})
        return
    if state.workers:
        print_table(("WORKER", "LAST START (UTC)"), [(each.name, show_moment(each.at)) for each in state.workers])
        print_table(("PERIODIC TASK", "LAST RUN (UTC)"), [(each.name, show_moment(each.at)) for each in state.periodic])
    if not state.is_working:
        print_message("No worker is active; `ofc-server worker` starts one, and so does `ofc-server up`.")
    click.echo()
    if state.jobs:
        print_table(
            ("JOB", "KIND", "STATE", "DONE", "CLUB", "CREATED (UTC)"),
            [
                (str(job.id), job.kind, job.state, _share(job.done, job.total), job.club, show_moment(job.created_at))
                for job in state.jobs
            ],
        )
    else:
        print_message("No job is unfinished.")
    if state.oldest_waiting is not None:
        waited = datetime.now(UTC) - state.oldest_waiting
        print_message(f"The oldest queued job has waited for {max(0, round(waited.total_seconds()))} seconds.")
    _print_server(state.server)
    _print_signing(state.signing)
    if missing:
        print_message(missing)


def _print_server(server: ServerState) -> None:
    settings = f"fsync = {server.fsync}, full_page_writes = {server.full_page_writes}"
    commit = f"synchronous_commit = {server.synchronous_commit}"
    if server.default_synchronous_commit != server.synchronous_commit:
        commit += f" (set by the service; the default of the database is {server.default_synchronous_commit})"
    print_message(f"The database runs with {settings}, {commit}.")
    if server.unsafe:
        print_message(f"A crash of the database can lose committed records: {' and '.join(server.unsafe)} must be on.")
    if server.is_standby or server.is_read_only:
        print_message("The database is read-only" + (", as a standby is." if server.is_standby else "."))


def _print_signing(signing: SigningStatus) -> None:
    if signing.signed_at is None:
        print_message("There is no checkpoint yet.")
    else:
        ago = datetime.now(UTC) - signing.signed_at
        print_message(f"The newest checkpoint was signed {max(0, round(ago.total_seconds()))} seconds ago.")
    if signing.waiting or signing.unsigned:
        print_message(f"Events not in a tree: {signing.waiting}; events without a checkpoint: {signing.unsigned}.")


def _find_key(directory: Path | None) -> tuple[str | None, str]:
    """Return the public key of this machine, or None and the reason if there is none."""
    file = configured_key_file(directory)
    if file is None:
        return None, "OFC_SIGNING_KEY_FILE is not set; a server with these settings makes no checkpoints."
    try:
        return read_signing_key(file).verifier.written, ""
    except OperatorError as error:
        return None, f"{error} Without the key, no checkpoints are made."


def _share(done: int, total: int | None) -> str:
    return f"{done}/{total if total is not None else '?'}"


def _dump(state: Status) -> dict[str, Any]:
    return {
        "workers": [{"name": each.name, "started_at": show_time(each.at)} for each in state.workers],
        "periodic": [{"name": each.name, "ran_at": show_time(each.at)} for each in state.periodic],
        "is_working": state.is_working,
        "jobs": [
            {
                "id": str(job.id),
                "club": job.club,
                "kind": job.kind,
                "state": job.state,
                "progress": {"done": job.done, "total": job.total},
                "dead_lettered": job.dead_lettered,
                "created_at": show_time(job.created_at),
            }
            for job in state.jobs
        ],
        "oldest_waiting": show_time(state.oldest_waiting),
        "database": {
            "fsync": state.server.fsync,
            "full_page_writes": state.server.full_page_writes,
            "synchronous_commit": state.server.synchronous_commit,
            "default_synchronous_commit": state.server.default_synchronous_commit,
            "standby": state.server.is_standby,
            "read_only": state.server.is_read_only,
        },
        "signing": {
            "waiting": state.signing.waiting,
            "unsigned": state.signing.unsigned,
            "signed_at": show_time(state.signing.signed_at),
        },
    }
