"""SQL statements that are compiled once, for the queries of every request."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from itertools import count
from typing import Any, Final, NoReturn
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
    A compiled statement with parameters.

    PostgreSQL infers the types of the parameters; where it cannot, the statement has a CAST.

    >>> from sqlalchemy import text
    >>> set_club = Statement(text("SELECT set_config('ofc.club', :club, true)"))
    >>> set_club.query, set_club.sent({"club": "a club"})
    (b"SELECT set_config('ofc.club', $1, true)", [b'a club'])

    Attributes:
        name: the name of the prepared statement, with the start of the query.
        query: the SQL text.
        parameters: the names of the parameters, in the order of their numbers.
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
        r"""
        Encode the parameters as text, in the order of their numbers.

        >>> from sqlalchemy import text
        >>> Statement(text(":a :b :c :d :e")).sent({"a": 3, "b": True, "c": [8, 46], "d": b"\x01", "e": None})
        [b'3', b'True', b'{8,46}', b'\\x01', None]
        """
        values = map(parameters.__getitem__, self.parameters)
        return [None if value is None else _WRITERS[type(value)](value) for value in values]


def _text_of(value: str) -> bytes:
    if "\0" in value:
        raise DataError("a text contains NUL, which PostgreSQL cannot store")  # libpq would cut the text there
    return value.encode()


def _array(values: Iterable[int | str | None]) -> bytes:
    r"""
    Encode a list as an array literal.

    >>> _array([8, 46, True])
    b'{8,46,1}'
    >>> _array(["winner_room", None, 'a "b" \\'])
    b'{"winner_room",NULL,"a \\"b\\" \\\\"}'
    """
    try:
        return f"{{{','.join(map(int.__repr__, values))}}}".encode()
    except TypeError:  # not only numbers
        return _text_of("{" + ",".join(map(_element, values)) + "}")


def _element(value: int | str | None) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class _Writers(dict[type, Callable[[Any], bytes]]):
    """The encoder of each type. A dictionary is fast: a hand has fifty values."""

    def __missing__(self, kind: type) -> NoReturn:
        raise TypeError(f"parameters of type {kind} are not supported")


_WRITERS: Final = _Writers()
_WRITERS[bytes] = lambda value: b"\\x" + value.hex().encode()
_WRITERS[int] = lambda value: b"%d" % value
_WRITERS[bool] = lambda value: str(value).encode()
_WRITERS[UUID] = lambda value: b"%032x" % value.int
_WRITERS[datetime] = lambda value: value.isoformat().encode()
_WRITERS[list] = _array
_WRITERS[str] = _text_of
