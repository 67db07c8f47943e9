import os
from pathlib import Path

from service.embedded.binaries import MAJOR_VERSION, binary
from service.embedded.errors import EmbeddedError


def initdb(files: Path, owner: str, *, durable: bool) -> list[str | Path]:
    """
    The command that makes the files of a new cluster.

    Every machine gets the same: text sorts by code points whatever the system's language, damaged pages are noticed,
    and whoever reaches the private socket is trusted.
    """
    return [
        *(binary("initdb"), "--pgdata", files, "--username", owner),
        *("--auth-local=trust", "--auth-host=reject", "--data-checksums", "--encoding=UTF8"),
        *("--locale-provider=builtin", "--locale=C", "--builtin-locale=C.UTF-8"),
        *("--set", "timezone=UTC", "--set", "log_timezone=UTC"),
        *([] if durable else ["--no-sync"]),
    ]


def refuse_other_versions(files: Path) -> None:
    """
    Refuse the files of another major version, which this PostgreSQL cannot read.

    Raises:
        EmbeddedError: they are of another version.
    """
    written = files / "PG_VERSION"
    # Whoever may not look into the directory is told so when the account is chosen.
    if os.access(written, os.R_OK) and (found := written.read_text().strip()) != str(MAJOR_VERSION):
        raise EmbeddedError(
            f"{files} was written by PostgreSQL {found} and this is {MAJOR_VERSION}; "
            "upgrade it with pg_upgrade or choose another --data."
        )


def remove_stale_note(files: Path) -> None:
    """
    Remove the note of a server that is gone, where its process number now belongs to something else.

    PostgreSQL would take that for another server and refuse to start: in a container numbers recur at every start.
    """
    note = files / "postmaster.pid"
    if not note.exists():
        return
    program = Path("/proc", note.read_text().split("\n", 1)[0].strip(), "comm")
    if program.exists() and program.read_text().strip() != "postgres":
        note.unlink()
