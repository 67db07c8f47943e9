"""The settings of a transaction (role, club, timeouts), and the checks of a new session."""

from collections.abc import Callable, Mapping
from typing import Final

from sqlalchemy import URL, Connection, TextClause, text

from migrations.privileges import SERVICE_PRIVILEGES
from service.db.address import place_of
from service.db.exchanges import Found
from service.db.statements import Parameters, Statement
from service.errors import DatabaseDenied

NO_ROLE: Final = "none"
"""For PostgreSQL: the login's own role."""
WRONG_ROLE: Final = "the transaction works as"
"""How the error of a transaction begins that has not become the role that it should be."""

# The order counts: the role is checked after it was set.
_ROLE: Final = "set_config('role', :role, true), set_config('ofc.club', :club, true)"
# A commit that was answered must survive a crash of the server, whatever the server's default says.
_DURABLE: Final = """
    CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', true) END
"""
# The cast fails for every text that is no boolean, and says which text that was.
_CHECK: Final = f"""
    CASE WHEN current_user = CASE :role WHEN '{NO_ROLE}' THEN session_user ELSE :role END THEN true
    ELSE CAST('{WRONG_ROLE} ' || current_user AS boolean) END
"""


class LocalSettings:
    """
    A role and settings, as a statement that sets them for one transaction and fails where it works as another role.

    >>> settings = LocalSettings("ofc_service", {"lock_timeout": "10s"})
    >>> settings.parameters()
    {'role': 'ofc_service', 'club': '', 'setting_0': '10s'}
    """

    def __init__(self, role: str | None, settings: Mapping[str, str]) -> None:
        """
        Build the statement.

        Args:
            role: what transactions work as; None is the login itself.
            settings: from `settings_of`.
        """
        self.role = role
        self.settings = dict(settings)
        # A name comes out of the operator's own URL, and consists of letters, digits, `_`, `.` and `-` only.
        sets = [f"set_config('{name}', :setting_{place}, true)" for place, name in enumerate(settings)]
        # After the others, for `synchronous_commit` may be among them.
        self.text: TextClause = text(f"SELECT {', '.join([_ROLE, *sets, _DURABLE, _CHECK])}")
        self.statement = Statement(self.text)
        self._parameters = {"role": role or NO_ROLE, "club": ""} | {
            f"setting_{place}": setting for place, setting in enumerate(settings.values())
        }

    def parameters(self, club: str = "") -> Parameters:
        """Return the parameters of the statement; without a club no club's rows are seen."""
        return {**self._parameters, "club": club}

    def apply(self, connection: Connection) -> None:
        """Run the statement in the transaction of a connection of SQLAlchemy's, as its first."""
        connection.execute(self.text, self.parameters())


Ask = Callable[[Statement, Parameters], list[Found]]
"""What runs a statement in the transaction that is looked at."""

# `current_setting` first: `set_config` returns the setting as PostgreSQL writes it, for instance '1min' for '60s'.
_LOOK: Final = Statement(
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


def check_session(ask: Ask, url: URL, local: LocalSettings) -> int:
    """
    Check the transaction that is under way, which `local` has begun.

    Returns:
        The number of the process of PostgreSQL that works on it.

    Raises:
        DatabaseDenied: the role is a superuser, bypasses row-level security or owns the tables, or settings are not in
            force.
    """
    # `synchronous_commit` is not as the operator sets it where that is not safe.
    settings = {name: setting for name, setting in local.settings.items() if name != "synchronous_commit"}
    parameters = {"tables": [*SERVICE_PRIVILEGES], "names": [*settings], "settings": [*settings.values()]}
    [found] = ask(_LOOK, parameters)
    if local.role is not None:
        _refuse_power(found, url)
    if found["lost"] is not None:
        raise DatabaseDenied(
            f"In the database {place_of(url)} these settings do not last for a transaction: {found['lost']}; "
            "a connection pooler must give a whole transaction the same connection to PostgreSQL."
        )
    backend: int = found["backend"]
    return backend


def _refuse_power(found: Found, url: URL) -> None:
    """Refuse a role whose rights go beyond the service's: every club's records would be open to every key."""
    role, place = found["role"], place_of(url)
    if found["rolsuper"] or found["rolbypassrls"]:
        raise DatabaseDenied(
            f"The role {role} is a superuser or bypasses row-level security in the database {place}; "
            f"an administrator can change that: ALTER ROLE {role} NOSUPERUSER NOBYPASSRLS."
        )
    if found["owns"]:
        raise DatabaseDenied(
            f"The role {role} owns tables of the database {place}, or is a member of the role that does; "
            "tables must belong to a role of which it is not a member."
        )
