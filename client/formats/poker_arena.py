"""Transcripts of poker-arena: JSON lines with an event each, streets included."""

from collections.abc import Iterator
from typing import Any, Final

from client.formats.cards import read_cards, read_rows
from client.formats.declaration import Format
from client.formats.json_lines import find_keys, read_objects
from client.offline.file_hands import (
    ROW_SIZES,
    Cards,
    Claims,
    FileHand,
    FilePlayer,
    FormatError,
    Part,
    Rows,
    order_players,
    read_each,
    with_streets,
)

Object = dict[str, Any]


def detect(content: bytes) -> bool:
    """Return whether lines are events of a hand."""
    keys = find_keys(content)
    return any({"hand", "ev"} <= each for each in keys) and any({"hand", "seats"} <= each for each in keys)


def read(content: bytes) -> Iterator[Part]:
    """Yield the hands of a transcript. A hand without a showdown is unread."""
    return read_each(_group(content), _build)


def _group(content: bytes) -> Iterator[tuple[str, list[Object]]]:
    place, lines = "", list[Object]()
    for line, element in read_objects(content):
        if lines and element.get("hand") != lines[0].get("hand"):
            yield place, lines
            lines = []
        if not lines:
            place = line
        lines.append(element)
    if lines:
        yield place, lines


def _build(place: str, lines: list[Object]) -> FileHand | None:
    events = [line["ev"] for line in lines if isinstance(line.get("ev"), dict)]
    if not events:
        if any("seats" in line for line in lines):
            return None
        raise FormatError("the line is neither `seats` nor an event of a hand")
    number = lines[0]["hand"]
    seats = next((line["seats"] for line in lines if "seats" in line), list[Any]())
    results = {event["seat"]: event for event in events if event["event"] == "showdown"}
    if not results:
        raise FormatError(f"hand {number} has no showdown; expected one for each seat")
    players = [
        _player(index, str(name), events, results[index]) for index, name in enumerate(seats) if index in results
    ]
    first = next((event["seat"] for event in events if event["event"] == "deal"), None)
    ordered = order_players(players)
    button = None if first is None else (first - 1) % len(seats) + 1
    return FileHand(place, f"hand {number}", ordered, button)


def _player(seat: int, name: str, events: list[Object], shown: Object) -> FilePlayer:
    own = [event for event in events if event.get("seat") == seat]
    points = next((event["points"] for event in own if event["event"] == "score"), None)
    fantasyland = next((event["cards"] for event in own if event["event"] == "fantasyland"), 0)
    claims = Claims(
        points=points,
        foul=shown.get("fouled"),
        row_royalties=shown.get("royalties") or {},
        fantasyland=shown.get("next_fantasyland"),
    )
    streets = list(_streets(own))
    discards: Cards = sum((street["discards"] for street in streets), ())
    rows = read_rows(shown["top"], shown["middle"], shown["bottom"])
    player = FilePlayer(name, seat + 1, rows, discards or None, fantasyland=fantasyland, claims=claims)
    return with_streets(player, streets)


def _streets(events: list[Object]) -> Iterator[Rows]:
    dealt: Cards = ()
    for event in events:
        if event["event"] == "deal":
            dealt += read_cards(event.get("cards"))
        elif event["event"] == "place":
            placed = {
                row: read_cards([each["card"] for each in event["placements"] if each["row"] == row])
                for row in ROW_SIZES
            }
            yield {"dealt": dealt, **placed, "discards": read_cards(event.get("discarded"))}
            dealt = ()


FORMAT: Final = Format(
    name="poker-arena",
    title="poker-arena transcripts (JSON lines)",
    reads="Boards, streets, discards, the button, Fantasyland; points, fouls and royalties for comparison.",
    loses="The order of actions between players.",
    unknown="Stacks.",
    detect=detect,
    read=read,
)
