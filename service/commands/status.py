import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from schemas.fields import show_time
from service.commands.options import data_option, json_option
from service.commands.printing import print_json, print_table, say, show_moment
from service.commands.records import owned_records
from service.commands.signing_key import signing_key_file
from service.errors import OperatorError
from service.signing import read_signing_key
from service.usecases.get_status import SigningStatus, Status, get_status


@click.command()
@data_option
@json_option
def status(directory: Path | None, as_json: bool) -> None:
    """
    Show which workers live, which jobs are under way and for how long the oldest has waited, and what is signed.

    A worker is here while it says so every few seconds; half a minute after it was last heard of it is not. Whether
    there is a key to sign with is said of this machine.

    \b
    Examples:
      ofc-server status
      ofc-server status --json
    """
    with owned_records(directory) as database:
        found = get_status(database)
    key, missing = _find_key(directory)
    if as_json:
        print_json({**_dump(found), "signing_key": key})
        return
    if found.workers:
        print_table(
            ("WORKER", "CHUNKS AT ONCE", "SINCE (UTC)"),
            [
                (f"{worker.host}:{worker.process}", str(worker.concurrency), show_moment(worker.started_at))
                for worker in found.workers
            ],
        )
    else:
        say("No worker lives; `ofc-server worker` starts one, and `ofc-server up` does so itself.")
    click.echo()
    if found.jobs:
        print_table(
            ("JOB", "KIND", "STATE", "DONE", "CLUB", "ASKED FOR (UTC)"),
            [
                (str(job.id), job.kind, job.state, _share(job.done, job.total), job.club, show_moment(job.created_at))
                for job in found.jobs
            ],
        )
    else:
        say("No job is under way.")
    if found.oldest_waiting is not None:
        waited = datetime.now(UTC) - found.oldest_waiting
        say(f"The oldest job that nobody has begun has waited for {max(0, round(waited.total_seconds()))} seconds.")
    _tell_signing(found.signing)
    if missing:
        say(missing)


def _tell_signing(found: SigningStatus) -> None:
    if found.signed_at is None:
        say("Nothing has been signed yet.")
    else:
        ago = datetime.now(UTC) - found.signed_at
        say(f"The newest checkpoint was signed {max(0, round(ago.total_seconds()))} seconds ago.")
    if found.waiting or found.unsigned:
        say(f"Events that wait for their place: {found.waiting}; that no checkpoint stands for yet: {found.unsigned}.")


def _find_key(directory: Path | None) -> tuple[str | None, str]:
    """Find the public key of the file that servers here sign with; where there is none, say why."""
    if not os.environ.get("OFC_SIGNING_KEY_FILE") and os.environ.get("OFC_DATABASE_URL"):
        return None, "OFC_SIGNING_KEY_FILE names no signing key here; servers started like this sign nothing."
    try:
        return read_signing_key(signing_key_file(directory)).verifier.written, ""
    except OperatorError as error:
        return None, f"{error} Until there is one, nothing is signed."


def _share(done: int, total: int | None) -> str:
    return f"{done}/{total if total is not None else '?'}"


def _dump(found: Status) -> dict[str, Any]:
    return {
        "workers": [
            {
                "id": str(worker.id),
                "host": worker.host,
                "process": worker.process,
                "concurrency": worker.concurrency,
                "started_at": show_time(worker.started_at),
                "seen_at": show_time(worker.seen_at),
            }
            for worker in found.workers
        ],
        "jobs": [
            {
                "id": str(job.id),
                "club": job.club,
                "kind": job.kind,
                "state": job.state,
                "progress": {"done": job.done, "total": job.total},
                "set_aside": job.set_aside,
                "created_at": show_time(job.created_at),
            }
            for job in found.jobs
        ],
        "oldest_waiting": show_time(found.oldest_waiting),
        "signing": {
            "waiting": found.signing.waiting,
            "unsigned": found.signing.unsigned,
            "signed_at": show_time(found.signing.signed_at),
        },
    }
