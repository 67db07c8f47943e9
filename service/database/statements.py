"""Statements in their final words: for what every request asks, which is not to be put together each time anew."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from itertools import count
from typing import Any, Final
from uuid import UUID

from psycopg import DataError
from sqlalchemy import ClauseElement
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

Parameters = Mapping[str, Any]

_DIALECT: Final = PGDialect_psycopg()
_PLACE: Final = re.compile(r"%\((\w+)\)s|%%")
_NUMBERS: Final = count(1)


class Statement:
    """
    A statement that never changes but for its parameters, as PostgreSQL takes it.

    What a parameter is, PostgreSQL learns from where it goes; where it cannot, the statement says so by a CAST.

    >>> from sqlalchemy import text
    >>> set_club = Statement(text("SELECT set_config('ofc.club', :club, true)"))
    >>> set_club.query, set_club.sent({"club": "a club"})
    (b"SELECT set_config('ofc.club', $1, true)", [b'a club'])

    Attributes:
        name: under which connections prepare it; for whoever looks on, it says how the statement begins.
        query: its words.
        parameters: what they are called, in the order in which the statement counts them.
    """

    __slots__ = ("name", "parameters", "query")

    def __init__(self, executable: ClauseElement) -> None:
        places: dict[str, int] = {}

        def number(found: re.Match[str]) -> str:
            return f"${places.setdefault(found[1], len(places) + 1)}" if found[1] else "%"

        query = _PLACE.sub(number, str(executable.compile(dialect=_DIALECT)))
        self.query = query.encode()
        self.name = f"{next(_NUMBERS)} {' '.join(query.split())[:40]}".encode()
        self.parameters = tuple(places)

    def sent(self, parameters: Parameters) -> list[bytes | None]:
        """Put parameters into PostgreSQL's words, in their order."""
        return [None if value is None else _written(value) for value in map(parameters.__getitem__, self.parameters)]


def _written(value: object) -> bytes:
    r"""
    Write a value as PostgreSQL reads it, whatever it becomes there.

    >>> [_written(value) for value in (3, True, [8, 46], b"\x01", "ann")]
    [b'3', b'True', b'{8,46}', b'\\x01', b'ann']
    """
    write = _WRITERS.get(type(value))
    if write is None:
        raise TypeError(f"{type(value)} is not written for PostgreSQL here")
    return write(value)


def _text_of(value: str) -> bytes:
    if "\0" in value:
        raise DataError("PostgreSQL keeps no text with NUL in it")  # its library would cut it off there
    return value.encode()


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


_WRITERS: Final[Mapping[type, Callable[[Any], bytes]]] = {
    bytes: lambda value: b"\\x" + value.hex().encode(),
    int: lambda value: b"%d" % value,
    bool: lambda value: str(value).encode(),
    UUID: lambda value: b"%032x" % value.int,
    datetime: lambda value: value.isoformat().encode(),
    list: lambda values: _text_of(_array(values)),
    str: _text_of,
}
"""How each type is written; looked up, for a hand has fifty values."""
