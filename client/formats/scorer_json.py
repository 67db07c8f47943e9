"""JSON of open scorers and room back ends: players with rows under one of several names, cards as texts or objects."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from client.formats.cards import check_rows, number_card, read_card, split_board
from client.formats.declaration import Format
from client.formats.json_lines import read_objects
from client.offline.file_hands import Claims, FileHand, FilePlayer, FormatError, Part, Rows, order_players, read_each
from client.spelling import split_cards

Object = dict[str, Any]
_ROW_NAMES: Final = (
    ("top", "middle", "bottom"),
    ("front", "middle", "back"),
    ("topHand", "middleHand", "bottomHand"),
    ("top", "mid", "bot"),
)
_NAMES: Final = ("player", "username", "userName", "name", "nickname")
_PLAYERS: Final = ("players", "boards", "hands", "results")
_SUITS: Final = {"diamond": "d", "club": "c", "heart": "h", "spade": "s"}


def detect(content: bytes) -> bool:
    """Return whether the first object has players with rows."""
    _, first = next(read_objects(content), ("", {}))
    return any(_has_board(player) for _, player in _list_players(first))


def read(content: bytes) -> Iterator[Part]:
    """Yield the hands of a file: the document, the elements of its array, or a hand a line."""
    return read_each(read_objects(content), _build)


def _list_players(element: Object) -> list[tuple[str, Any]]:
    for key in _PLAYERS:
        listed = element.get(key)
        if isinstance(listed, list):
            return [(f"player-{number}", player) for number, player in enumerate(listed, 1)]
        if isinstance(listed, dict):
            return list(listed.items())
    return []


def _has_board(player: Any) -> bool:
    try:
        return bool(_find_board(player))
    except (FormatError, TypeError, AttributeError, KeyError):
        return False


def _build(place: str, element: Object) -> FileHand:
    players = _list_players(element)
    if not players:
        raise FormatError(f"it has no players; expected a list under {', '.join(_PLAYERS[:-1])} or {_PLAYERS[-1]}")
    number = element.get("number", element.get("hand"))
    button = element.get("button")
    read = order_players(_player(seat, key, player) for seat, (key, player) in enumerate(players, 1))
    return FileHand(place, place if number is None else f"hand {number}", read, button if type(button) is int else None)


def _player(seat: int, key: str, player: Object) -> FilePlayer:
    name = next((str(player[field]) for field in _NAMES if player.get(field)), key)
    claims = Claims(points=_integer(player.get("points")), royalties=_integer(player.get("royalties")))
    rows = check_rows(_find_board(player))
    return FilePlayer(name, int(player.get("seat", seat)), rows, fantasyland=None, claims=claims)


def _integer(value: Any) -> int | None:
    return value if type(value) is int else None


def _find_board(player: Object) -> Rows:
    board: Mapping[str, Any] = player.get("details") or player.get("board") or player.get("rows") or player
    for names in _ROW_NAMES:
        if all(name in board for name in names):
            return {row: _cards(board[name]) for row, name in zip(_ROW_NAMES[0], names, strict=True)}
    if isinstance(board.get("cards"), list):
        return split_board(map(_card, board["cards"]))
    raise FormatError("a player has no rows; expected top, middle and bottom, or front, middle and back, or 13 cards")


def _cards(row: Any) -> tuple[str, ...]:
    cards = row["cards"] if isinstance(row, dict) else row
    return tuple(map(_card, split_cards(cards) if isinstance(cards, str) else cards))


def _card(card: Any) -> str:
    if not isinstance(card, dict):
        return read_card(card)
    suit = _SUITS.get(str(card.get("type", card.get("suit"))).lower().removesuffix("s"))
    if suit is None:
        raise FormatError(f"the suit of {card} is not known; expected one of {', '.join(_SUITS)}")
    rank = card["rank"]
    return number_card(rank, suit) if isinstance(rank, int) else read_card(f"{rank}{suit}")


FORMAT: Final = Format(
    name="scorer-json",
    title="JSON of open scorers (rows as top/middle/bottom, front/middle/back or 13 cards)",
    reads="Boards, names, seats and a button where they are there; points and royalties for comparison.",
    loses="Everything else.",
    unknown="Fantasyland, discards, streets, stacks; often the button.",
    detect=detect,
    read=read,
)
