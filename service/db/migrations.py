"""How the tables come to their newest shape, and what the service may then do with them."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import URL, Connection, NullPool, create_engine, text
from sqlalchemy.exc import DBAPIError

from migrations.privileges import MACHINERY_PRIVILEGES, SERVICE_PRIVILEGES
from service.db.address import SERVICE_ROLE, connect_arguments, engine_url, place_of, settings_of
from service.db.failures import plain_failures
from service.db.server_check import read_server, refuse_read_only
from service.db.session import LocalSettings
from service.errors import DatabaseBehind, DatabaseDenied, DatabaseNewer

if TYPE_CHECKING:
    from alembic.config import Config

_LOCK: Final = text("SELECT pg_advisory_xact_lock(hashtextextended('tablestakes migrations', 0))")
_IS_BEGUN: Final = text("SELECT to_regclass('alembic_version') IS NOT NULL")
_REVISION: Final = text("SELECT version_num FROM alembic_version")
_OWNS_TABLES: Final = text(
    "SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class WHERE oid = 'clubs'::regclass"
)
_ROLE_IS_MIGHTY: Final = text("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = :role")
_MAY_WORK_AS_ROLE: Final = text("""
    SELECT pg_has_role(current_user, :role,
        CASE WHEN current_setting('server_version_num')::integer < 160000 THEN 'MEMBER' ELSE 'SET' END)
""")
_DENIED: Final = "42501"
_SOMEBODY_WAS_QUICKER: Final = (
    "42710",
    "23505",
    "XX000",
)  # duplicate_object, unique_violation, "tuple concurrently updated"


def migrate(owner_url: str) -> None:
    """
    Bring the tables to the newest shape that this release knows.

    Several may do so at once: one does it, the others wait and find it done. It happens whole or not at all, and where
    nothing is to be done, also a login that owns nothing may ask for it.

    Raises:
        DatabaseUnreachable: it does not answer.
        DatabaseNewer: a newer release was here.
        DatabaseDenied: the login may not.
        DatabaseError: the database is read-only.
    """
    url = engine_url(owner_url)
    local = LocalSettings(None, settings_of(url, is_patient=True))
    arguments = connect_arguments(url, local.role, local.settings)
    engine = create_engine(url, poolclass=NullPool, connect_args=arguments, isolation_level="READ COMMITTED")
    with plain_failures(url), engine.begin() as connection:
        local.apply(connection)
        connection.execute(_LOCK)
        found = find_revision(connection)
        refuse_unknown(found, url)
        is_newest = found == newest_revision()
        state = read_server(connection)
        if is_newest and (state.is_read_only or not owns_tables(connection)):
            return
        refuse_read_only(state, url)
        try:
            _ensure_role(connection, url)
            if not is_newest:
                # It takes a while to load, and where nothing is to be migrated nothing else needs it.
                from alembic import command

                command.upgrade(alembic_config(connection), "head")
            _grant_privileges(connection)
        except DBAPIError as error:
            raise _denied(error, url) or error from error


def alembic_config(connection: Connection | None = None) -> "Config":
    """Tell Alembic where the migrations are installed, whatever directory one is in, and what to run them on."""
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(migrations_directory()).replace("%", "%%"))
    return config


def migrations_directory() -> Path:
    """Return where the migrations are installed."""
    spec = find_spec("migrations")
    assert spec is not None, "the migrations are installed with the service"
    assert spec.submodule_search_locations, "the migrations are a package"
    return Path(spec.submodule_search_locations[0])


@cache
def _revisions() -> tuple[str, ...]:
    """List every version that this release knows, the newest first; their files begin with them."""
    scripts = (migrations_directory() / "versions").glob("[0-9]*.py")
    return tuple(sorted((script.name.partition("_")[0] for script in scripts), reverse=True))


def newest_revision() -> str:
    """Name the newest version that this release knows."""
    return _revisions()[0]


def find_revision(connection: Connection) -> str | None:
    """Name the version that a database has; None before the first."""
    is_begun = connection.scalar(_IS_BEGUN)
    return connection.scalar(_REVISION) if is_begun else None


def owns_tables(connection: Connection) -> bool:
    """Whether the session may do what only the owner of the tables may: migrate them, and make clubs and keys."""
    return bool(connection.scalar(_OWNS_TABLES))


def refuse_unknown(found: str | None, url: URL) -> None:
    """
    Refuse a database that a newer release has migrated: this one does not know its shape.

    Raises:
        DatabaseNewer: it is so.
    """
    if found is not None and found not in _revisions():
        raise DatabaseNewer(
            f"The database {place_of(url)} has version {found}, and this release knows none after {newest_revision()}: "
            "run the release that migrated it, or a newer one."
        )


def refuse_all_but_newest(found: str | None, url: URL) -> None:
    """
    Refuse a database that is not at the newest version.

    Raises:
        DatabaseBehind, DatabaseNewer: it is at an older one, or at one not known.
    """
    refuse_unknown(found, url)
    if found != newest_revision():
        at = "no tables" if found is None else f"version {found}"
        raise DatabaseBehind(
            f"The database {place_of(url)} has {at} and {newest_revision()} is needed: run `ofc-server migrate`."
        )


def _ensure_role(connection: Connection, url: URL) -> None:
    """
    Make the service's role where it is missing, and let the owner work as it.

    Roles belong to the whole server, so a migration of another database may be making it at this moment.
    """
    is_mighty = connection.scalar(_ROLE_IS_MIGHTY, {"role": SERVICE_ROLE})
    if is_mighty:
        raise DatabaseDenied(
            f"The role {SERVICE_ROLE} is a superuser or bypasses row-level security, which keeps clubs apart; "
            f"an administrator can put that right: ALTER ROLE {SERVICE_ROLE} NOSUPERUSER NOBYPASSRLS."
        )
    if is_mighty is None and not _try(connection, f"CREATE ROLE {SERVICE_ROLE} NOLOGIN"):
        raise DatabaseDenied(
            f"The role {SERVICE_ROLE} is missing and the login {url.username} may not make it; "
            f"an administrator can: CREATE ROLE {SERVICE_ROLE} NOLOGIN."
        )
    if not connection.scalar(_MAY_WORK_AS_ROLE, {"role": SERVICE_ROLE}):
        # Refused, it matters only to those who give the service its owner's login, and they are told so then.
        _try(connection, f"GRANT {SERVICE_ROLE} TO CURRENT_USER")


def _try(connection: Connection, statement: str) -> bool:
    """Run a statement about roles; false where the login may not, true also where somebody else has just done it."""
    try:
        with connection.begin_nested():
            connection.execute(text(statement))
    except DBAPIError as error:
        state = getattr(error.orig, "sqlstate", None)
        if state not in (_DENIED, *_SOMEBODY_WAS_QUICKER):
            raise
        return bool(state != _DENIED)
    return True


def _grant_privileges(connection: Connection) -> None:
    for table, privileges in {**SERVICE_PRIVILEGES, **MACHINERY_PRIVILEGES}.items():
        connection.execute(text(f"REVOKE ALL ON {table} FROM PUBLIC, {SERVICE_ROLE}"))
        connection.execute(text(f"GRANT {privileges} ON {table} TO {SERVICE_ROLE}"))


def _denied(error: DBAPIError, url: URL) -> DatabaseDenied | None:
    if getattr(error.orig, "sqlstate", None) != _DENIED:
        return None
    reason = str(error.orig).splitlines()[0]
    return DatabaseDenied(
        f"The login {url.username} may not migrate the database {place_of(url)}: {reason}; "
        "OFC_OWNER_URL can name the login that owns it."
    )
