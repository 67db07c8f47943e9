"""Statements in their final words: for what every request asks, which is not to be put together each time anew."""

from typing import Final

from sqlalchemy import ClauseElement
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

_DIALECT: Final = PGDialect_psycopg()  # type: ignore[no-untyped-call]  # untyped in SQLAlchemy


class Statement:
    """
    A statement that never changes but for its parameters, as PostgreSQL's driver takes it.

    >>> from sqlalchemy import text
    >>> Statement(text("SELECT set_config('ofc.club', :club, true)")).words
    "SELECT set_config('ofc.club', %(club)s, true)"
    """

    __slots__ = ("words",)

    def __init__(self, executable: ClauseElement) -> None:
        self.words = str(executable.compile(dialect=_DIALECT))
