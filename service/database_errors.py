"""The errors of the database; the tree of all errors is in `service/errors.py`."""

from service.errors import ServiceError


class DatabaseError(ServiceError):
    """The database cannot be used."""

    code = "database-unavailable"


class DatabaseUnreachable(DatabaseError):
    """The database cannot be reached."""


class OutcomeUnknown(DatabaseError):
    """A commit was not confirmed, so it is unknown whether it succeeded."""

    code = "outcome-unknown"


class CommitsWaiting(DatabaseError):
    """Commits wait for a synchronous standby that does not confirm them, so no other is begun."""

    code = "commits-waiting"


class DatabaseBehind(DatabaseError):
    """The database needs migrations."""

    code = "database-behind"


class DatabaseUnknown(DatabaseError):
    """A newer release has migrated the database, or an earlier one that is not supported."""

    code = "database-unknown"


class DatabaseAltered(DatabaseError):
    """The functions, policies, triggers, constraints or grants of the database differ from those of the migrations."""

    code = "database-altered"


class DatabaseReadOnly(DatabaseError):
    """The database is a standby, or is set to read-only."""

    code = "database-read-only"


class DatabaseDenied(DatabaseError):
    """The login lacks a privilege."""

    code = "database-denied"
