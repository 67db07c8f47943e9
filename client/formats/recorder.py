"""SQLite files of hand recorders: the table `hands`, with JSON in `players` or in `result_detail`."""

import json
from collections.abc import Iterator
from typing import Any, Final

from client.formats.cards import read_cards, read_rows
from client.formats.declaration import Format
from client.formats.sqlite_file import has_table, read_records
from client.offline.file_hands import Claims, FileHand, FilePlayer, Part, order_players, read_each

Object = dict[str, Any]


def detect(content: bytes) -> bool:
    """Return whether the file is SQLite with hands."""
    return has_table(content, "hands")


def read(content: bytes) -> Iterator[Part]:
    """Yield the hands of a file. Hands that were not finished are no hands."""
    dealt: dict[tuple[str, int], int] = {}
    if has_table(content, "fantasyland"):
        dealt = {
            (each["hand_id"], each["player"]): each["card_count"] for _, each in read_records(content, "fantasyland")
        }
    finished = (
        (place, record)
        for place, record in read_records(content, "hands")
        if record.get("players") or record.get("result_detail") or "result_detail" not in record
    )
    return read_each(finished, lambda place, record: _build(place, record, dealt))


def _build(place: str, record: Object, dealt: dict[tuple[str, int], int]) -> FileHand:
    label = f"hand {record.get('hand_id', place.split()[-1])}"
    if "result_detail" not in record:
        stored = json.loads(record["players"])
        named = stored.items() if isinstance(stored, dict) else enumerate(stored, 1)
        players = [_player(seat, str(key), player) for seat, (key, player) in enumerate(named, 1)]
        return FileHand(place, label, order_players(players))
    detail, stacks = json.loads(record["result_detail"]), json.loads(record["chips_before"])
    players = [
        _detailed(index, board, detail, stacks[index], dealt.get((record["hand_id"], index), 0))
        for index, board in enumerate(detail["boards"])
    ]
    return FileHand(place, label, order_players(players), int(record["btn"]) + 1)


def _player(seat: int, key: str, player: Object) -> FilePlayer:
    board = player["board"]
    discards = read_cards(player.get("discards"))
    claims = Claims(
        foul=_truth(player.get("fouled")), royalties=player.get("royalty"), fantasyland=_truth(player.get("fl_entry"))
    )
    return FilePlayer(
        str(player.get("name") or f"player-{key}"),
        int(player.get("seat", seat)),
        _rows(board),
        discards or None,
        fantasyland=None,
        claims=claims,
    )


def _detailed(index: int, board: Object, detail: Object, stack: int, fantasyland: int) -> FilePlayer:
    royalties = dict(detail["royalties"][index])
    claims = Claims(
        points=detail["raw_score"][index],
        foul=detail["busted"][index],
        royalties=royalties.pop("total", None),
        row_royalties=royalties,
        fantasyland=_truth(detail["fl_entry"][index]),
    )
    return FilePlayer(f"player-{index}", index + 1, _rows(board), fantasyland=fantasyland, stack=stack, claims=claims)


def _rows(board: Object) -> dict[str, tuple[str, ...]]:
    return dict(read_rows(board["top"], board.get("middle", board.get("mid")), board.get("bottom", board.get("bot"))))


def _truth(value: Any) -> bool | None:
    return None if value is None else bool(value)


FORMAT: Final = Format(
    name="recorder",
    title="hand recorders' SQLite files (table `hands`, JSON in `players` or `result_detail`)",
    reads="Boards, discards; with `result_detail` the button, stacks and Fantasyland too; points, fouls, royalties and"
    " Fantasyland earned for comparison.",
    loses="Times, sessions, and everything else that the recorder stores.",
    unknown="Streets; with `players` the button, Fantasyland of the hand, points and stacks too.",
    detect=detect,
    read=read,
)
