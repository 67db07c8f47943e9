"""CSV: RFC 4180 in UTF-8, with texts that no spreadsheet runs as formulas, or with raw texts for programs."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Final

from schemas.fields import Choice

Cell = str | int | bool | None
_BEGINS_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - wide forms too
"""Spreadsheets for Chinese and Japanese run a formula that begins with a full-width character too."""


def raw_field() -> Choice:
    """Return the query parameter that asks for raw texts."""
    return Choice(
        {"raw": True},
        data_key="ids",
        description="With `raw`, the texts of CSV are as they are stored, so that programs can compare IDs. By default"
        " an apostrophe precedes a text that a spreadsheet would run as a formula.",
    )


def text_cell(text: str | None, *, raw: bool | None = False) -> str | None:
    """
    Return a text for a cell. Unless it is raw, an apostrophe precedes one that a spreadsheet would run as a formula.

    >>> text_cell("ann"), text_cell("=1+1"), text_cell(None)
    ('ann', "'=1+1", None)
    >>> text_cell("@ben", raw=True)
    '@ben'
    """
    return f"'{text}" if text is not None and not raw and text.startswith(_BEGINS_FORMULA) else text


def dump_rows(rows: Iterable[Sequence[Cell]]) -> bytes:
    r"""
    Encode rows of cells. An empty cell is no value.

    >>> dump_rows([("payer", "amount"), ('a "b", c', None), (7, True)])
    b'payer,amount\r\n"a ""b"", c",\r\n7,true\r\n'
    """
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerows([_show(cell) for cell in row] for row in rows)
    return written.getvalue().encode()


def _show(cell: Cell) -> Cell:
    return ("true" if cell else "false") if isinstance(cell, bool) else cell
