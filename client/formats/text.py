"""Boards as text, as people paste them: a line for each board, and an empty line between hands."""

import re
from collections.abc import Iterator
from typing import Final

from client.formats.declaration import Format
from client.offline.file_hands import ROW_SIZES, FileHand, FilePlayer, FormatError, Part, order_players, read_each
from client.offline.typed_board import TypedBoard, read_board
from client.spelling import split_cards

_MOST_DISCARDS: Final = 4
"""As outside Fantasyland; one to three discards are those of 14 to 16 cards."""
_HEADING: Final = re.compile(
    r"\s*(?:hand\s*#?\s*(?P<hand>[\w-]+)|button\s*:?\s*(?P<button>.+?))\s*:?\s*", re.IGNORECASE
)
_NAMED: Final = re.compile(r"\s*(?P<name>[^/;:|]{1,64}?)\s*:\s*(?P<board>.+)")
_BOARD: Final = re.compile(r"[^/;|]+(?:[/;|][^/;|]+){2,3}")
_DASHES: Final = re.compile(r"[^-]+-[^-]+-[^-]+")
_ROW_WORDS: Final = frozenset({"top", "front", "middle", "mid", "bottom", "back"})


def detect(content: bytes) -> bool:
    """Return whether the first lines have boards with three rows."""
    lines = content[:65536].decode("utf-8-sig", errors="replace").splitlines()
    boards = [line for line in lines if _is_board(line)]
    return len(boards) >= 2 and not content.lstrip().startswith((b"{", b"["))


def read(content: bytes) -> Iterator[Part]:
    """Yield the hands of a text."""
    return read_each(_paragraphs(content.decode("utf-8-sig", errors="replace")), _build)


def _is_board(line: str) -> bool:
    _, board = _split_name(line)
    if not _BOARD.fullmatch(board.strip()) and not _DASHES.fullmatch(board.strip()):
        return False
    read = _read(board)
    return not read.wrong and len(read.parts) >= 3


def _paragraphs(text: str) -> Iterator[tuple[str, list[str]]]:
    place, lines = "", list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        heading = _HEADING.fullmatch(line)
        if lines and (not line.strip() or (heading and heading["hand"])) and any(map(_has_cards, lines)):
            yield place, lines
            lines = []
        if not line.strip():
            continue
        if not lines:
            place = f"line {number}"
        lines.append(line)
    if lines:
        yield place, lines


def _has_cards(line: str) -> bool:
    return not _HEADING.fullmatch(line)


def _build(place: str, lines: list[str]) -> FileHand:
    label, button, players = place, None, list[FilePlayer]()
    for line in lines:
        heading = _HEADING.fullmatch(line)
        if heading and heading["hand"]:
            label = f"hand {heading['hand']}"
        elif heading:
            button = heading["button"]
        else:
            players.append(_player(len(players) + 1, line))
    ordered = order_players(players)
    seats = {player.name.lower(): player.seat for player in ordered}
    if button is not None and button.lower() not in seats:
        raise FormatError(f"the button is at {button}, who has no board; expected one of {', '.join(seats)}")
    return FileHand(place, label, ordered, None if button is None else seats[button.lower()])


def _split_name(line: str) -> tuple[str | None, str]:
    named = _NAMED.fullmatch(line)
    if named is None or named["name"].strip().lower() in _ROW_WORDS:
        return None, line
    return named["name"].strip(), named["board"]


def _read(board: str) -> TypedBoard:
    """Parse a board whose rows are separated as `ofc` has it, or by dashes."""
    text = board.strip()
    if _DASHES.fullmatch(text) and "/" not in text:
        text = text.replace("-", " / ")
    # How many discards the deal has is not known here; the number typed is the right one if it is possible at all.
    discards = len(split_cards(text.split("/")[3])) if text.count("/") == 3 else 0
    return read_board(text, {}, min(discards, _MOST_DISCARDS))


def _player(seat: int, line: str) -> FilePlayer:
    name, board = _split_name(line)
    read = _read(board)
    problems = (*read.wrong, *read.missing)
    if problems:
        raise FormatError(f"{name or f'board {seat}'}: {problems[0]}")
    rows = dict(zip(ROW_SIZES, read.parts, strict=False))
    discards = read.parts[len(ROW_SIZES)] if len(read.parts) > len(ROW_SIZES) else None
    in_fantasyland = discards is not None and 0 < len(discards) < _MOST_DISCARDS
    fantasyland = sum(map(len, read.parts)) if in_fantasyland else None
    return FilePlayer(name or f"player-{seat}", seat, rows, discards or None, fantasyland=fantasyland)


FORMAT: Final = Format(
    name="text",
    title="boards as text, as people paste or say them",
    reads="`name: QsQd4c / KsKd9h8h3c / AhJh7h6h2h / discards`, also with dashes or words; lines `hand 12` and"
    " `button: ann`.",
    loses="Nothing.",
    unknown="Stacks; Fantasyland without discards or of 17 cards; names and the button where they are not written.",
    detect=detect,
    read=read,
)
