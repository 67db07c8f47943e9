"""Tables as CSV: one line for each board, with a column for each card or for each row."""

import csv
import io
from collections.abc import Iterator
from typing import Final

from client.formats.cards import read_cards, read_rows
from client.formats.declaration import Format
from client.offline.file_hands import (
    ROW_SIZES,
    Claims,
    FileHand,
    FilePlayer,
    FormatError,
    Part,
    order_players,
    read_each,
)

Line = dict[str, str]
_OTHER_NAMES: Final = {"front": "top", "back": "bottom", "name": "player", "dealer": "button"}
_CARDS: Final = {row: [f"{row}{number}" for number in range(1, size + 1)] for row, size in ROW_SIZES.items()}
_YES: Final = frozenset({"1", "true", "yes", "x"})


def detect(content: bytes) -> bool:
    """Return whether the header has columns of rows or of cards, and of players."""
    columns = set(_columns(content))
    has_rows = set(ROW_SIZES) <= columns or all(set(names) <= columns for names in _CARDS.values())
    return has_rows and {"hand", "player"} <= columns


def read(content: bytes) -> Iterator[Part]:
    """Yield the hands of a table; the lines of a hand have the same value in the column `hand`."""
    return read_each(_group(content), _build)


def _text(content: bytes) -> str:
    return content.decode("utf-8-sig", errors="replace")


def _columns(content: bytes) -> list[str]:
    first = _text(content[:4096]).split("\n", 1)[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    try:
        names = next(csv.reader([first.rstrip("\r")], delimiter=delimiter), [])
    except csv.Error:
        return []
    return [_rename(name.strip().lower().replace("_", "")) for name in names]


def _rename(name: str) -> str:
    word, number = name.rstrip("0123456789"), name[len(name.rstrip("0123456789")) :]
    return _OTHER_NAMES.get(word, word) + number


def _group(content: bytes) -> Iterator[tuple[str, list[Line]]]:
    columns = _columns(content)
    text = _text(content)
    delimiter = ";" if text.split("\n", 1)[0].count(";") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    next(reader, None)
    place, lines = "", list[Line]()
    for values in _values(reader):
        if not any(values):
            continue
        line = dict(zip(columns, values, strict=False))
        if lines and line.get("hand") != lines[0].get("hand"):
            yield place, lines
            lines = []
        if not lines:
            place = f"line {reader.line_num}"
        lines.append(line)
    if lines:
        yield place, lines


def _values(reader: Iterator[list[str]]) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise FormatError(f"it is not CSV: {error}") from None


def _build(place: str, lines: list[Line]) -> FileHand:
    players = order_players(_player(seat, line) for seat, line in enumerate(lines, 1))
    buttons = [
        player.seat for player, line in zip(players, lines, strict=True) if line.get("button", "").lower() in _YES
    ]
    if len(buttons) > 1:
        raise FormatError(f"{len(buttons)} players have the button; expected one")
    return FileHand(place, f"hand {lines[0]['hand']}", players, buttons[0] if buttons else None)


def _player(seat: int, line: Line) -> FilePlayer:
    if not line.get("player", "").strip():
        raise FormatError("a board has no player; expected a name in the column `player`")
    rows = [line[row] if row in line else " ".join(line[name] for name in _CARDS[row]) for row in ROW_SIZES]
    foul = line.get("foul", "").strip().lower()
    claims = Claims(
        points=_integer(line, "points"), foul=foul in _YES if foul else None, royalties=_integer(line, "royalties")
    )
    return FilePlayer(
        line["player"].strip(),
        _integer(line, "seat") or seat,
        read_rows(*rows),
        read_cards(line.get("discards", "")) or None,
        fantasyland=_integer(line, "fantasyland"),
        stack=_integer(line, "stack"),
        claims=claims,
    )


def _integer(line: Line, column: str) -> int | None:
    text = line.get(column, "").strip()
    try:
        return int(text) if text else None
    except ValueError:
        raise FormatError(f"{text!r} in the column `{column}` is not a whole number") from None


FORMAT: Final = Format(
    name="csv",
    title="tables (CSV) with a line for each board",
    reads="Columns hand, player, seat, button, stack, fantasyland, discards; top, middle and bottom, or top1 to"
    " bottom5; points, royalties and foul for comparison.",
    loses="Other columns.",
    unknown="What has no column.",
    detect=detect,
    read=read,
)
