"""The settings of a transaction (role, club, timeouts), and the checks of a new session."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Final

from sqlalchemy import URL, Connection, TextClause, text

from migrations.privileges import SERVICE_PRIVILEGES
from service.db.address import describe
from service.db.failures import WRONG_ROLE
from service.db.pipeline import Parameters, Row, Statement
from service.errors import DatabaseDenied

NO_ROLE: Final = "none"
"""PostgreSQL's name for the role of the login."""

# The order matters: the role is checked after it was set.
_ROLE: Final = (
    "set_config('role', :role, true), set_config('ofc.club', :club, true), set_config('ofc.table', :table, true)"
)
# A commit that was confirmed must survive a crash of the server, whatever its default setting is.
_DURABLE: Final = """
    CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
"""
# The cast fails for every text that is not a boolean, with an error that contains the text.
_CHECK: Final = f"""
    CASE WHEN current_user = CASE :role WHEN '{NO_ROLE}' THEN session_user ELSE :role END THEN true
    ELSE CAST('{WRONG_ROLE} ' || current_user AS boolean) END
"""


class ClubLock(StrEnum):
    """The lock on a club for a transaction: each one that can write shares it, unless it must be the only one."""

    NONE = ""
    SHARED = ", pg_advisory_xact_lock_shared(hashtextextended(:club, 3))"
    ALONE = ", pg_advisory_xact_lock(hashtextextended(:club, 3))"


class LocalSettings:
    """
    A statement that sets a role and settings for one transaction, and fails if the transaction has another role.

    >>> settings = LocalSettings("ofc_service", {"lock_timeout": "10s"})
    >>> settings.parameters()
    {'role': 'ofc_service', 'club': '', 'table': '', 'setting_0': '10s'}
    """

    def __init__(self, role: str | None, settings: Mapping[str, str]) -> None:
        """
        Build the statement.

        Args:
            role: the role of transactions; None is the login itself.
            settings: from `settings_of`.
        """
        self.role = role
        self.settings = dict(settings)
        # Names come from the operator's URL, and consist of letters, digits, `_`, `.` and `-` only.
        sets = [f"set_config('{name}', :setting_{place}, true)" for place, name in enumerate(settings)]
        # _DURABLE comes after the settings, because `synchronous_commit` can be one of them.
        self.text: TextClause = text(f"SELECT {', '.join([_ROLE, *sets, _DURABLE, _CHECK])}")
        # The lock is taken by the same statement, because another one would take four times as long.
        self.statements = {lock: Statement(text(f"{self.text.text}{lock}")) for lock in ClubLock}
        self.statement = self.statements[ClubLock.NONE]
        self._parameters = {"role": role or NO_ROLE, "club": "", "table": ""} | {
            f"setting_{place}": setting for place, setting in enumerate(settings.values())
        }

    def parameters(self, club: str = "", table: str = "") -> Parameters:
        """
        Return the parameters of the statement.

        Args:
            club: the ID of the club; without one, no records of clubs are visible.
            table: the ID of the only table whose records are visible; without one, those of all tables are.
        """
        return {**self._parameters, "club": club, "table": table}

    def apply(self, connection: Connection) -> None:
        """Run the statement as the first one of a SQLAlchemy transaction."""
        connection.execute(self.text, self.parameters())


RunQuery = Callable[[Statement, Parameters], list[Row]]
"""A function that runs a statement in the transaction to check."""

# `current_setting` first: `set_config` returns the setting as PostgreSQL writes it, for instance '1min' for '60s'.
_READ_SESSION: Final = Statement(
    text("""
    SELECT pg_backend_pid() AS backend, CAST(current_user AS text) AS role, rolsuper, rolbypassrls,
        EXISTS (SELECT FROM unnest(CAST(:tables AS text[])) AS named (name)
            JOIN pg_class ON oid = to_regclass(name) WHERE pg_has_role(current_user, relowner, 'MEMBER')) AS owns,
        (SELECT string_agg(name, ', ')
            FROM unnest(CAST(:names AS text[]), CAST(:settings AS text[])) AS given (name, setting)
            WHERE current_setting(name) <> set_config(name, setting, true)) AS lost
    FROM pg_roles WHERE rolname = current_user
    """)
)


def check_session(run: RunQuery, url: URL, local: LocalSettings) -> int:
    """
    Check the role and the settings of the current transaction.

    Returns:
        The number of the PostgreSQL process of the connection.

    Raises:
        DatabaseDenied: the role is a superuser, bypasses row-level security or owns the tables, or settings have no
            effect.
    """
    # The service overrides an unsafe `synchronous_commit` of the operator.
    settings = {name: setting for name, setting in local.settings.items() if name != "synchronous_commit"}
    parameters = {"tables": [*SERVICE_PRIVILEGES], "names": [*settings], "settings": [*settings.values()]}
    [found] = run(_READ_SESSION, parameters)
    if local.role is not None:
        _check_role(found, url)
    if found["lost"] is not None:
        raise DatabaseDenied(
            f"In the database {describe(url)} these settings do not last for a transaction: {found['lost']}; "
            "expected a connection pooler in transaction or session mode."
        )
    backend: int = found["backend"]
    return backend


def _check_role(found: Row, url: URL) -> None:
    """Raise an error if the role has more rights than the service: every key could read the records of every club."""
    role, database = found["role"], describe(url)
    if found["rolsuper"] or found["rolbypassrls"]:
        raise DatabaseDenied(
            f"The role {role} is a superuser or bypasses row-level security in the database {database}; "
            f"an administrator can change that: ALTER ROLE {role} NOSUPERUSER NOBYPASSRLS."
        )
    if found["owns"]:
        raise DatabaseDenied(
            f"The role {role} owns tables of the database {database}, or is a member of their owner; "
            "expected tables of a role of which it is not a member."
        )
