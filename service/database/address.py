"""Where the database is, and how it is connected to."""

from typing import Any, Final

from sqlalchemy import URL, make_url

SERVICE_ROLE: Final = "ofc_service"
"""The role that the service works as. It owns nothing."""

_SETTINGS: Final = {
    "timezone": "UTC",
    "client_encoding": "UTF8",
    "search_path": "public",
    "default_transaction_isolation": "read\\ committed",
    # Every statement here is small: compiling it would take longer than running it.
    "jit": "off",
}
_PATIENCE: Final = {
    "statement_timeout": "30s",
    "lock_timeout": "10s",
    "idle_in_transaction_session_timeout": "60s",
}


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


def connect_arguments(url: URL, role: str | None, *, is_patient: bool = False) -> dict[str, Any]:
    """
    Say how to connect: with time limits, and from the first moment in a role.

    What the operator's URL says of these comes after ours and so wins, but for the role.

    Args:
        url: read by `engine_url`.
        role: what the session works as; None, or the login itself, changes nothing.
        is_patient: whether statements may take as long as they take, as migrations do.
    """
    settings = _SETTINGS if is_patient else _SETTINGS | _PATIENCE
    options = [f"-c {name}={setting}" for name, setting in settings.items()]
    operators = url.query.get("options", ())
    options += [operators] if isinstance(operators, str) else operators
    if role is not None and role != url.username:
        options.append(f"-c role={role}")
    ours = {"connect_timeout": "5", "application_name": "tablestakes"}
    return {**{name: value for name, value in ours.items() if name not in url.query}, "options": " ".join(options)}
