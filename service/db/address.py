"""Where the database is, how it is connected to, and the settings that the service works under."""

import re
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import URL, make_url

SERVICE_ROLE: Final = "ofc_service"
"""The role that the service works as. It owns nothing."""

_SETTINGS: Final = {
    "timezone": "UTC",
    "client_encoding": "UTF8",
    "search_path": "public",
    "default_transaction_isolation": "read committed",
    # Every statement here is small: compiling it would take longer than running it.
    "jit": "off",
}
_PATIENCE: Final = {
    "statement_timeout": "30s",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "60s",
}

# `-c name=value` and `--name=value`, as PostgreSQL reads them; a backslash escapes the next character.
_OPTION: Final = re.compile(r"(?:-c\s*|--)([\w.-]+)=((?:\\.|[^\\\s])*)", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)


def engine_url(url: str) -> URL:
    """
    Read a database URL as SQLAlchemy needs it: `postgres://` is understood too, and a Unix socket as `?host=/path`.

    >>> engine_url("postgres://ofc@db.example/ofc").drivername
    'postgresql+psycopg'
    """
    given = url.replace("postgres://", "postgresql://", 1) if url.startswith("postgres://") else url
    return make_url(given).set(drivername="postgresql+psycopg")


def place_of(url: URL) -> str:
    """
    Name a database in a sentence, without its password.

    >>> place_of(engine_url("postgresql://ofc:secret@db.example:5433/ofc"))
    'ofc at db.example:5433'
    """
    host = url.host or url.query.get("host") or "the local socket"
    return f"{url.database} at {host}" + (f":{url.port}" if url.port else "")


def settings_of(url: URL, *, is_patient: bool = False, search_path: str | None = None) -> Mapping[str, str]:
    """
    Return the settings that statements run under, by name. Those in the `options` of the operator's URL win.

    >>> settings = settings_of(engine_url("postgresql:///ofc?options=-c%20lock_timeout%3D50ms%20-c%20role%3Dnone"))
    >>> settings["lock_timeout"], settings["timezone"], "role" in settings
    ('50ms', 'UTC', False)

    Args:
        url: read by `engine_url`.
        is_patient: whether statements may take as long as they take, as migrations do.
        search_path: the schema of the tables, where it is another than `public`.
    """
    operators = url.query.get("options", ())
    written = operators if isinstance(operators, str) else " ".join(operators)
    named = {name.replace("-", "_").lower(): _ESCAPED.sub(r"\1", setting) for name, setting in _OPTION.findall(written)}
    named.pop("role", None)
    ours = _SETTINGS if is_patient else _SETTINGS | _PATIENCE
    return {**ours, **named} | ({"search_path": search_path} if search_path else {})


def connect_arguments(url: URL, role: str | None, settings: Mapping[str, str]) -> dict[str, Any]:
    """
    Return the arguments to connect with: the role and the settings hold from the first moment.

    A connection pooler may drop them; every transaction therefore sets them once more (`local_settings`).

    Args:
        url: read by `engine_url`.
        role: what the session works as; None, or the login itself, changes nothing.
        settings: from `settings_of`.
    """
    operators = url.query.get("options", ())
    options = [operators] if isinstance(operators, str) else [*operators]
    options += [f"-c {name}={_escape(setting)}" for name, setting in settings.items()]
    if role is not None and role != url.username:
        options.append(f"-c role={role}")
    ours = {"connect_timeout": "5", "application_name": "tablestakes"}
    return {
        **{name: value for name, value in ours.items() if name not in url.query},
        "options": " ".join(options),
        # The driver would prepare statements by itself: they are lost with every rollback, and behind a pooler.
        "prepare_threshold": None,
    }


def _escape(setting: str) -> str:
    return re.sub(r"([\\\s])", r"\\\1", setting)
