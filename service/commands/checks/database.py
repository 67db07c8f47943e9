"""Checks of the database: it responds, and is migrated, unaltered, writable and durable. `/readyz` makes them too."""

from collections.abc import Callable
from datetime import UTC, datetime
from time import perf_counter
from typing import Final

from sqlalchemy import text

from service.commands.checks.check import Check, CheckState
from service.config import Config
from service.database_errors import (
    DatabaseAltered,
    DatabaseBehind,
    DatabaseDenied,
    DatabaseError,
    DatabaseReadOnly,
    DatabaseUnknown,
)
from service.db import SERVICE_ROLE, Database
from service.errors import Busy

NAMES: Final = ("database", "roles", "migrations", "schema", "durability", "clock")
MOST_SECONDS_APART: Final = 2.0
"""The largest accepted difference between the clocks of this machine and of the database."""

_LOOK: Final = text("SELECT clock_timestamp() AS now, split_part(current_setting('server_version'), ' ', 1) AS version")
_OTHER_CHECKS: Final[tuple[tuple[type[DatabaseError], str], ...]] = (
    (DatabaseDenied, "roles"),
    (DatabaseBehind, "migrations"),
    (DatabaseUnknown, "migrations"),
    (DatabaseAltered, "schema"),
    (DatabaseReadOnly, "durability"),
)
"""The check that an error belongs to, whichever step raised it: a new connection is checked too."""
_REMEDIES: Final = {
    "database": "Start PostgreSQL, or correct OFC_DATABASE_URL.",
    "schema": "Compare the objects with those of this release: `ofc-server verify` lists each difference.",
}


def check_database(database: Database, config: Config) -> list[Check]:
    """
    Check the database as the service uses it.

    Args:
        database: with the role of the service.
        config: has the URL to show, and whether data loss is allowed.
    """
    checks: dict[str, Check] = {}

    def look() -> list[Check]:
        before, begun = datetime.now(UTC), perf_counter()
        with database.reading_outside_clubs() as connection:
            row = connection.execute(_LOOK).one()
        seconds = perf_counter() - begun
        summary = f"PostgreSQL {row.version} responds in {seconds * 1000:.0f} ms at {config.database}."
        return [Check.ok("database", summary), check_clock((row.now - before).total_seconds(), seconds)]

    def check_head() -> list[Check]:
        database.check_head()
        return [
            Check.ok("roles", f"Requests run as {SERVICE_ROLE}, which is no superuser and owns no tables."),
            Check.ok("migrations", "The database has every migration of this release."),
        ]

    def check_schema() -> list[Check]:
        database.check_schema()
        return [Check.ok("schema", "Policies, triggers, constraints and grants are those of this release.")]

    def check_server() -> list[Check]:
        database.check_server(allows_data_loss=config.allow_data_loss)
        if config.allow_data_loss:
            return [Check.ok("durability", "OFC_ALLOW_DATA_LOSS is 1: a crash may lose records, as in a test.")]
        return [Check.ok("durability", "It accepts writes, and a crash loses no committed record.")]

    steps: tuple[Callable[[], list[Check]], ...] = (look, check_head, check_schema, check_server)
    for step in steps:
        try:
            passed = step()
        except (DatabaseError, Busy) as error:
            name = next((name for kind, name in _OTHER_CHECKS if isinstance(error, kind)), "database")
            checks[name] = Check.problem(name, str(error), _REMEDIES.get(name, ""))
            if name == "database":
                break
        else:
            checks |= {check.name: check for check in passed if not _is_problem(checks.get(check.name))}
    return [checks.get(name) or Check.unchecked(name, "Another problem of the database comes first.") for name in NAMES]


def check_clock(ahead: float, round_trip: float) -> Check:
    """
    Check that the clocks of this machine and of the database agree.

    Args:
        ahead: the seconds between a look at the clock here and a later one in the database.
        round_trip: the seconds between that look and the response.

    >>> check_clock(0.02, 0.03).summary
    'The clocks of this machine and of the database differ by 0.0 seconds.'
    >>> check_clock(-61.0, 0.1).state
    <CheckState.PROBLEM: 'problem'>
    """
    # The database looked at its clock at some moment of the round trip.
    apart = max(0.0, -ahead, ahead - round_trip)
    summary = f"The clocks of this machine and of the database differ by {apart:.1f} seconds."
    if apart > MOST_SECONDS_APART:
        return Check.problem("clock", summary, "Synchronize both with NTP, for example with chrony.")
    return Check.ok("clock", summary)


def _is_problem(check: Check | None) -> bool:
    return check is not None and check.state is CheckState.PROBLEM
