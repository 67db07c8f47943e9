"""Ledgers of PokerNow as CSV: what each player bought and won, without cards."""

import csv
import io
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Final

from client.formats.declaration import Format
from client.offline.file_hands import FileBalance, FormatError, Part, read_each

_COLUMNS: Final = frozenset({"player_nickname", "player_id", "buy_in", "buy_out", "stack", "net"})
Line = dict[str, str]


def detect(content: bytes) -> bool:
    """Return whether the header is that of a ledger."""
    header = content[:4096].decode("utf-8-sig", errors="replace").split("\n", 1)[0]
    return {name.strip().strip('"') for name in header.split(",")} >= _COLUMNS


def read(content: bytes) -> Iterator[Part]:
    """Yield what each player bought and won; a player who sat down several times has one balance."""
    return read_each(_group(content), _build)


def _group(content: bytes) -> Iterator[tuple[str, list[Line]]]:
    reader = csv.DictReader(io.StringIO(content.decode("utf-8-sig", errors="replace"), newline=""))
    players: dict[str, tuple[str, list[Line]]] = {}
    try:
        for line in reader:
            players.setdefault(line["player_id"], (f"line {reader.line_num}", []))[1].append(line)
    except csv.Error as error:
        raise FormatError(f"it is not CSV: {error}") from None
    yield from players.values()


def _build(place: str, lines: list[Line]) -> FileBalance:
    bought = sum(_amount(line, "buy_in") for line in lines)
    left = sum(_amount(line, "buy_out") + _amount(line, "stack") + _amount(line, "nit_escrow") for line in lines)
    net = sum(_amount(line, "net") for line in lines)
    if left - bought != net:
        raise FormatError(f"the net is {net}, but {left} less {bought} is {left - bought}; expected the same")
    return FileBalance(place, lines[0]["player_nickname"].strip(), bought, net)


def _amount(line: Line, column: str) -> int:
    text = (line.get(column) or "0").strip() or "0"
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise FormatError(f"{text!r} in the column `{column}` is not a number") from None
    if amount != amount.to_integral_value():
        raise FormatError(f"{text} in the column `{column}` has decimals; expected whole cents or chips")
    return int(amount)


FORMAT: Final = Format(
    name="pokernow-ledger",
    title="PokerNow ledgers (CSV), without cards",
    reads="What each player bought and won.",
    loses="Times and the number of times that a player sat down.",
    unknown="Cards and hands; whether amounts are dollars or cents.",
    detect=detect,
    read=read,
)
