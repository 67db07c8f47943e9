"""Migrations, and the privileges of the service's role."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import URL, Connection, NullPool, create_engine, text
from sqlalchemy.exc import DBAPIError

from migrations.privileges import FUNCTION_PRIVILEGES, SERVICE_PRIVILEGES, SHARED_PRIVILEGES, VIEW_PRIVILEGES
from service.database_errors import DatabaseBehind, DatabaseDenied, DatabaseUnknown
from service.db.address import SERVICE_ROLE, connect_arguments, describe, engine_url, settings_of
from service.db.connections import LocalSettings
from service.db.failures import translate_errors
from service.db.server_check import read_server, refuse_read_only

if TYPE_CHECKING:
    from alembic.config import Config

_LOCK: Final = text("SELECT pg_advisory_xact_lock(hashtextextended('tablestakes migrations', 0))")
_IS_MIGRATED: Final = text("SELECT to_regclass('alembic_version') IS NOT NULL")
_REVISION: Final = text("SELECT version_num FROM alembic_version")
_OWNS_TABLES: Final = text(
    "SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class WHERE oid = 'clubs'::regclass"
)
_ROLE_BYPASSES_SECURITY: Final = text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = :role")
_CAN_SET_ROLE: Final = text("""
    SELECT pg_has_role(current_user, :role,
        CASE WHEN current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END)
""")
_DENIED: Final = "42501"
_DONE_CONCURRENTLY: Final = (
    "42710",
    "23505",
    "XX000",
)  # duplicate_object, unique_violation, "tuple concurrently updated"


def migrate(owner_url: str) -> None:
    """
    Run the migrations of this release that the database does not have yet, in one transaction.

    Privileges are granted with them. Where there is nothing to migrate they are left as they are, so that the check of
    the schema finds a privilege that was granted or revoked since. Concurrent calls wait for each other. If there is
    nothing to migrate, the login need not own the tables.

    Raises:
        DatabaseUnreachable: the database cannot be reached.
        DatabaseUnknown: this release does not know the revision of the database.
        DatabaseDenied: the login lacks a privilege.
        DatabaseReadOnly: the database is read-only.
    """
    url = engine_url(owner_url)
    local = LocalSettings(None, settings_of(url, has_timeouts=False))
    arguments = connect_arguments(url, local.role, local.settings)
    engine = create_engine(url, poolclass=NullPool, connect_args=arguments, isolation_level="READ COMMITTED")
    with translate_errors(url), engine.begin() as connection:
        local.apply(connection)
        connection.execute(_LOCK)
        revision = find_revision(connection)
        refuse_unknown(revision, url)
        is_newest = revision == newest_revision()
        state = read_server(connection)
        if is_newest and (state.is_read_only or not owns_tables(connection)):
            return
        refuse_read_only(state, url)
        try:
            is_role_new = _ensure_role(connection, url)
            if not is_newest:
                # Alembic takes long to import and is needed only here.
                from alembic import command

                command.upgrade(alembic_config(connection), "head")
            if is_role_new or not is_newest:
                _grant_privileges(connection)
        except DBAPIError as error:
            raise _denied(error, url) or error from error


def alembic_config(connection: Connection | None = None) -> "Config":
    """Return the configuration of Alembic: the directory of the migrations, and the connection to run them on."""
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(migrations_directory()).replace("%", "%%"))
    return config


def migrations_directory() -> Path:
    """Return the directory of the migrations."""
    spec = find_spec("migrations")
    assert spec is not None, "the migrations are installed with the service"
    assert spec.submodule_search_locations, "the migrations are a package"
    return Path(spec.submodule_search_locations[0])


@cache
def _revisions() -> tuple[str, ...]:
    """List the revisions of this release, the newest first, from the file names of the migrations."""
    scripts = (migrations_directory() / "versions").glob("[0-9]*.py")
    return tuple(sorted((script.name.partition("_")[0] for script in scripts), reverse=True))


def newest_revision() -> str:
    """Return the newest revision of this release."""
    return _revisions()[0]


def find_revision(connection: Connection) -> str | None:
    """Return the revision of a database, or None before its first migration."""
    is_migrated = connection.scalar(_IS_MIGRATED)
    return connection.scalar(_REVISION) if is_migrated else None


def owns_tables(connection: Connection) -> bool:
    """Return whether the role of the session owns the tables: only owners can migrate, and create clubs and keys."""
    return bool(connection.scalar(_OWNS_TABLES))


def refuse_unknown(revision: str | None, url: URL) -> None:
    """
    Raise an error if this release does not have the revision of the database.

    Raises:
        DatabaseUnknown: this release does not know the revision.
    """
    if revision is not None and revision not in _revisions():
        raise DatabaseUnknown(
            f"The database {describe(url)} has revision {revision}; the newest of this release is "
            f"{newest_revision()}: run the release that migrated the database, or export its rounds with that release "
            "(`ofc export`) and import them into a new database (`ofc import`)."
        )


def refuse_all_but_newest(revision: str | None, url: URL) -> None:
    """
    Raise an error if the database does not have the newest revision.

    Raises:
        DatabaseBehind: the revision is older.
        DatabaseUnknown: this release does not know the revision.
    """
    refuse_unknown(revision, url)
    if revision != newest_revision():
        state = "no tables" if revision is None else f"revision {revision}"
        raise DatabaseBehind(
            f"The database {describe(url)} has {state}; expected revision {newest_revision()}: "
            "run `ofc-server migrate`, or `ofc-server up` for the embedded PostgreSQL."
        )


def _ensure_role(connection: Connection, url: URL) -> bool:
    """
    Create the role of the service if it is missing, and grant it to the owner; return whether it was missing.

    Roles belong to the whole server, so a migration of another database can create it at the same time.
    """
    bypasses_security = connection.scalar(_ROLE_BYPASSES_SECURITY, {"role": SERVICE_ROLE})
    if bypasses_security:
        raise DatabaseDenied(
            f"The role {SERVICE_ROLE} is a superuser or bypasses row-level security, which separates clubs; "
            f"an administrator can change that: ALTER ROLE {SERVICE_ROLE} NOSUPERUSER NOBYPASSRLS."
        )
    if bypasses_security is None and not _try(connection, f"CREATE ROLE {SERVICE_ROLE} NOLOGIN"):
        raise DatabaseDenied(
            f"The role {SERVICE_ROLE} is missing and the login {url.username} cannot create it; "
            f"an administrator can: CREATE ROLE {SERVICE_ROLE} NOLOGIN."
        )
    if not connection.scalar(_CAN_SET_ROLE, {"role": SERVICE_ROLE}):
        # If this fails, the service gets an error when it connects with the login of the owner.
        _try(connection, f"GRANT {SERVICE_ROLE} TO CURRENT_USER")
    return bypasses_security is None


def _try(connection: Connection, statement: str) -> bool:
    """Run a statement about roles; return False if the login lacks the privilege, True also if it was done before."""
    try:
        with connection.begin_nested():
            connection.execute(text(statement))
    except DBAPIError as error:
        state = getattr(error.orig, "sqlstate", None)
        if state not in (_DENIED, *_DONE_CONCURRENTLY):
            raise
        return bool(state != _DENIED)
    return True


def _grant_privileges(connection: Connection) -> None:
    every = {**SERVICE_PRIVILEGES, **VIEW_PRIVILEGES, **SHARED_PRIVILEGES, **FUNCTION_PRIVILEGES}
    for name, privileges in every.items():
        connection.execute(text(f"REVOKE ALL ON {name} FROM PUBLIC, {SERVICE_ROLE}"))
        connection.execute(text(f"GRANT {privileges} ON {name} TO {SERVICE_ROLE}"))


def _denied(error: DBAPIError, url: URL) -> DatabaseDenied | None:
    if getattr(error.orig, "sqlstate", None) != _DENIED:
        return None
    reason = str(error.orig).splitlines()[0]
    return DatabaseDenied(
        f"The login {url.username} cannot migrate the database {describe(url)}: {reason}; "
        "set OFC_OWNER_URL to the login that owns the database."
    )
