"""SQL statements that are compiled once, for the queries of every request."""

from collections.abc import Mapping
from typing import Any, Final

from psycopg.adapt import Dumper
from psycopg.pq import Format
from sqlalchemy import ClauseElement
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

Parameters = Mapping[str, Any]
Row = dict[str, Any]
"""A row of a result, by column names."""

_DIALECT: Final = PGDialect_psycopg()


class Encoded(bytes):
    """A parameter in PostgreSQL's binary format, whose type PostgreSQL infers."""

    __slots__ = ()


class EncodedDumper(Dumper):
    """Sends an encoded parameter as it is."""

    format = Format.BINARY

    def dump(self, obj: Encoded) -> bytes:
        """Return the parameter."""
        return obj


class Statement:
    """
    A compiled statement, which psycopg adapts parameters to and prepares when it is used often.

    >>> from sqlalchemy import text
    >>> Statement(text("SELECT set_config('ofc.club', :club, true)")).query
    b"SELECT set_config('ofc.club', %(club)s, true)"

    Attributes:
        query: the SQL text, with the parameters as psycopg has them.
    """

    __slots__ = ("query",)

    def __init__(self, executable: ClauseElement) -> None:
        self.query = str(executable.compile(dialect=_DIALECT)).encode()
