"""The kinds of problems with the database, by their stable codes."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from service.http.problem_kind import ProblemKind

DATABASE_PROBLEMS: Final[Mapping[str, ProblemKind]] = {
    "database-unavailable": ProblemKind(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "Database unavailable",
        "Nothing was stored. Retry the request later.",
    ),
    "outcome-unknown": ProblemKind(
        HTTPStatus.GATEWAY_TIMEOUT,
        "Unknown outcome",
        "The database did not confirm the commit, so the request may or may not be stored. Retry "
        "the same request with the same Idempotency-Key, if it has one. A request with a key, or with content"
        " that identifies its record, is stored only once.",
    ),
    "commits-waiting": ProblemKind(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "Commits are waiting",
        "Nothing was stored: earlier commits wait for a standby of the database. Retry the request later.",
    ),
    "statement-timeout": ProblemKind(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "Statement timeout",
        "The database took too long, and nothing was stored. Retry the request later.",
    ),
    "database-behind": ProblemKind(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "Database migration required",
        "Run 'ofc-server migrate', then retry the request.",
    ),
    "database-unknown": ProblemKind(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "Unknown database version",
        "Another release has migrated the database. Run that release, or export its rounds into a new database.",
    ),
    "database-altered": ProblemKind(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "Database schema altered",
        "The operator must restore the schema; 'ofc-server verify' lists every difference.",
    ),
    "database-read-only": ProblemKind(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "Database is read-only",
        "Nothing was stored: the database accepts no changes at present. Send the request again later.",
    ),
    "database-denied": ProblemKind(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "Database access denied",
        "The operator must grant the database login its privileges.",
    ),
}
