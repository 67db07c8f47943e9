"""What a key may do: every operation of the API is opened by one of these or by some."""

from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import Final


class Scope(StrEnum):
    """A part of what can be done with the service."""

    READ = "read"
    SCORE = "score"
    WRITE = "write"
    TABLES = "tables"
    IMPORTS = "imports"
    RECOMPUTE = "recompute"
    DISPUTES = "disputes"
    CORRECT = "correct"
    CORRECT_FINAL = "correct-final"
    AUDIT = "audit"
    ADMIN = "admin"


EVERY_SCOPE: Final = "*"
"""Opens all that a key can open, now and in later releases."""

OPENS: Final = {
    EVERY_SCOPE: "everything, now and in later releases",
    Scope.READ: "reading rounds, hands, tables, players, rulesets, statements, jobs, the export; and what-if",
    Scope.SCORE: "scoring a hand without storing it",
    Scope.WRITE: "rounds and hands as they are played: opening, recording, undoing, closing; players' names",
    Scope.TABLES: "new tables and rulesets",
    Scope.IMPORTS: "imports, and the export",
    Scope.RECOMPUTE: "recomputations",
    Scope.DISPUTES: "disputes",
    Scope.CORRECT: "corrections of rounds",
    Scope.CORRECT_FINAL: "beside `correct` or `recompute`: what changes a settlement that is final",
    Scope.AUDIT: "the audit trail, checkpoints and evidence",
    Scope.ADMIN: "the club's keys: listing and revoking them",
}
"""What each scope opens, for whoever gives keys."""


def opens(held: Iterable[str], scopes: Collection[str]) -> bool:
    """
    Say whether a key that holds some scopes opens what any of these opens.

    >>> opens(["read"], [Scope.WRITE]), opens(["imports"], [Scope.IMPORTS, Scope.READ]), opens(["*"], [Scope.ADMIN])
    (False, True, True)
    """
    return any(scope == EVERY_SCOPE or scope in scopes for scope in held)


def name_scopes(scopes: Iterable[str]) -> str:
    """
    Name scopes of which one is enough.

    >>> name_scopes([Scope.IMPORTS, Scope.READ])
    "'imports' or 'read'"
    """
    return " or ".join(repr(str(scope)) for scope in scopes)
