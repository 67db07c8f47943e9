"""The database URL, the arguments of a connection, and the settings of a session."""

import re
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import URL

from service.database_url import parse_database_url

SERVICE_ROLE: Final = "ofc_service"
"""The role of the service. It owns no tables."""

_SETTINGS: Final = {
    "timezone": "UTC",
    "client_encoding": "UTF8",
    "search_path": "public",
    "default_transaction_isolation": "read committed",
    # All statements are small: JIT compilation would take longer than running them.
    "jit": "off",
    # Sums of all entries of a large club are grouped in memory, not sorted in files.
    "work_mem": "16MB",
}
# A server that is cut off sends nothing, so the connection has to find out; no request waits for it longer than this.
_NETWORK: Final = {
    "connect_timeout": "2",
    "tcp_user_timeout": "8000",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "2",
}
_TIMEOUTS: Final = {
    "statement_timeout": "30s",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "60s",
}
_KEEPALIVES: Final = {
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "25s",
    "client_connection_check_interval": "5s",
}
"""With these the server notices in half a minute that a client was cut off, also while it waits for a lock."""

# `-c name=value` and `--name=value`, as PostgreSQL reads them; a backslash escapes the next character.
_OPTION: Final = re.compile(r"(?:-c\s*|--)([\w.-]+)=((?:\\.|[^\\\s])*)", re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)


def engine_url(url: str) -> URL:
    """
    Parse a database URL for SQLAlchemy. `postgres://` is accepted too, and a Unix socket as `?host=/path`.

    >>> engine_url("postgres://ofc@db.example/ofc").drivername
    'postgresql+psycopg'
    """
    address = url.replace("postgres://", "postgresql://", 1) if url.startswith("postgres://") else url
    return parse_database_url(address).set(drivername="postgresql+psycopg")


def describe(url: URL) -> str:
    """
    Return the name and host of a database for messages, without the password.

    >>> describe(engine_url("postgresql://ofc:secret@db.example:5433/ofc"))
    'ofc at db.example:5433'
    """
    host = url.host or url.query.get("host") or "the local socket"
    return f"{url.database} at {host}" + (f":{url.port}" if url.port else "")


def settings_of(
    url: URL, *, has_timeouts: bool = True, notices_lost_clients: bool = False, search_path: str | None = None
) -> Mapping[str, str]:
    """
    Return the settings of a session, by name. Settings in the `options` of the operator's URL take precedence.

    >>> settings = settings_of(engine_url("postgresql:///ofc?options=-c%20lock_timeout%3D50ms%20-c%20role%3Dnone"))
    >>> settings["lock_timeout"], settings["timezone"], "role" in settings
    ('50ms', 'UTC', False)

    Args:
        url: from `engine_url`.
        has_timeouts: whether statements and locks time out; not for migrations.
        notices_lost_clients: whether the server looks for clients that were cut off, whose locks others wait for.
        search_path: the schema of the tables, if not `public`.
    """
    operators = url.query.get("options", ())
    written = operators if isinstance(operators, str) else " ".join(operators)
    named = {name.replace("-", "_").lower(): _ESCAPED.sub(r"\1", setting) for name, setting in _OPTION.findall(written)}
    named.pop("role", None)
    defaults = _SETTINGS | (_TIMEOUTS if has_timeouts else {}) | (_KEEPALIVES if notices_lost_clients else {})
    return {**defaults, **named} | ({"search_path": search_path} if search_path else {})


def connect_arguments(url: URL, role: str | None, settings: Mapping[str, str]) -> dict[str, Any]:
    """
    Return the arguments of a connection, with the role and the settings as startup options.

    A connection pooler can drop the options, so every transaction sets them again (`LocalSettings`).

    Args:
        url: from `engine_url`.
        role: the role of the session; None, or the login itself, sets none.
        settings: from `settings_of`.
    """
    operators = url.query.get("options", ())
    options = [operators] if isinstance(operators, str) else [*operators]
    options += [f"-c {name}={_escape(setting)}" for name, setting in settings.items()]
    if role is not None and role != url.username:
        options.append(f"-c role={role}")
    defaults = {**_NETWORK, "application_name": "tablestakes"}
    return {
        **{name: value for name, value in defaults.items() if name not in url.query},
        "options": " ".join(options),
        # Statements prepared by the driver are lost with a rollback, and behind a connection pooler.
        "prepare_threshold": None,
    }


def _escape(setting: str) -> str:
    return re.sub(r"([\\\s])", r"\\\1", setting)
