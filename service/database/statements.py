"""Statements in their final words: for what every request asks, which is not to be put together each time anew."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from sqlalchemy import ClauseElement
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

Parameters = Mapping[str, Any]

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


def as_sent(parameters: Parameters) -> Parameters:
    """
    Put parameters as PostgreSQL reads them fastest: lists as it writes them itself.

    The driver would look at each element to find a type, and take another for small numbers than for large ones; so
    lists get theirs from where they go.

    >>> as_sent({"number": 1, "stacks": [8, 46, 49]})
    {'number': 1, 'stacks': '{8,46,49}'}
    """
    return {name: _array(value) if isinstance(value, list) else value for name, value in parameters.items()}


def _array(values: Iterable[int | str | None]) -> str:
    r"""
    Write a list as PostgreSQL does.

    >>> _array(["winner_room", None, 'a "b" \\', True])
    '{"winner_room",NULL,"a \\"b\\" \\\\",True}'
    """
    return "{" + ",".join([str(value) if isinstance(value, int) else _text(value) for value in values]) + "}"


def _text(value: str | None) -> str:
    if value is None:
        return "NULL"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
