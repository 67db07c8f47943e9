"""Frames of the state of a game at SwC (Seals with Clubs), as they are captured: JSON objects."""

from collections.abc import Iterator
from typing import Any, Final

from client.formats.cards import RANKS
from client.formats.declaration import Format
from client.formats.json_lines import read_objects
from client.offline.file_hands import (
    ROW_SIZES,
    Cards,
    Claims,
    FileHand,
    FilePlayer,
    FormatError,
    Part,
    order_players,
    read_each,
)

Object = dict[str, Any]
_SUITS: Final = "cdhs"
_RULESETS: Final = {70: "classic", 73: "turbo", 74: "pineapple", 75: "progressive", 76: "deuce-to-seven"}


def detect(content: bytes) -> bool:
    """Return whether a frame has seats with cards in rows."""
    return any(_find_state(element) for _, element in read_objects(content))


def read(content: bytes) -> Iterator[Part]:
    """Yield the hands of the frames that have every board. Frames of a hand in play are not hands."""
    return read_each(_list_finished(content), _build)


def _list_finished(content: bytes) -> Iterator[tuple[str, Object]]:
    before = None
    for place, element in read_objects(content):
        state = _find_state(element)
        if state is None:
            continue
        boards = [seat["d"] for seat in _seats(state)]
        is_finished = all(len(board.split("-")[0].split(";")) == sum(ROW_SIZES.values()) for board in boards)
        if is_finished and boards != before:
            before = boards
            yield place, state


def _find_state(element: Any) -> Object | None:
    if isinstance(element, dict):
        seats = element.get("s")
        if isinstance(seats, list) and any(isinstance(seat, dict) and isinstance(seat.get("d"), str) for seat in seats):
            return element
        for inner in element.values():
            state = _find_state(inner)
            if state is not None:
                return state
    return None


def _seats(state: Object) -> list[Object]:
    return [seat for seat in state["s"] if isinstance(seat, dict) and isinstance(seat.get("d"), str) and seat["d"]]


def _build(place: str, state: Object) -> FileHand:
    players = order_players(
        FilePlayer(str(seat["n"]), number, _rows(seat["d"]), claims=Claims(points=seat.get("p")), fantasyland=None)
        for number, seat in enumerate(state["s"], 1)
        if seat in _seats(state)
    )
    return FileHand(place, place, players, ruleset=_RULESETS.get(state.get("gt", 0)))


def _rows(board: str) -> dict[str, Cards]:
    codes, *sizes = board.split("-")
    if list(map(int, sizes)) != list(ROW_SIZES.values()):
        raise FormatError(f"the rows have {', '.join(sizes)} cards; expected 3, 5, 5")
    cards = tuple(_card(int(code)) for code in codes.split(";"))
    return {"top": cards[:3], "middle": cards[3:8], "bottom": cards[8:]}


def _card(code: int) -> str:
    if not 0 <= code < len(RANKS) * len(_SUITS):
        raise FormatError(f"the card {code} is a joker or unknown; expected a number from 0 to 51")
    return RANKS[code // 4] + _SUITS[code % 4]


FORMAT: Final = Format(
    name="swc",
    title="SwC (Seals with Clubs) frames of the game's state (JSON)",
    reads="Boards and the game's variant; points for comparison.",
    loses="Results by row, chips, rake and chat.",
    unknown="The button, Fantasyland, discards, streets, stacks before the hand.",
    detect=detect,
    read=read,
)
