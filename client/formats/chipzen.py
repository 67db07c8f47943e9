"""Hand records of chipzen, version 1: JSON objects with `variant`."""

from collections.abc import Iterator
from typing import Any, Final

from client.formats.cards import read_cards, read_rows
from client.formats.declaration import Format
from client.formats.json_lines import read_objects
from client.offline.file_hands import (
    ROW_SIZES,
    Claims,
    FileHand,
    FilePlayer,
    Part,
    order_players,
    read_each,
    with_streets,
)

Object = dict[str, Any]
_BOARD: Final = sum(ROW_SIZES.values())


def detect(content: bytes) -> bool:
    """Return whether the first object is a record of Open Face Chinese."""
    _, first = next(read_objects(content), ("", {}))
    variant = first.get("variant")
    return isinstance(variant, dict) and variant.get("game_type") == "ofc"


def read(content: bytes) -> Iterator[Part]:
    """Yield the hands of a file."""
    return read_each(read_objects(content), _build)


def _build(place: str, element: Object) -> FileHand:
    variant = element["variant"]
    label = f"hand {element['hand_id']}" if "hand_id" in element else place
    button = variant.get("button")
    players = order_players(map(_player, variant["seats"]))
    return FileHand(place, label, players, None if button is None else int(button) + 1)


def _player(seat: Object) -> FilePlayer:
    rows = seat["rows"]
    discards = read_cards(seat.get("discarded"))
    claims = Claims(
        points=seat.get("points"),
        foul=seat.get("fouled"),
        royalties=seat.get("royalties"),
        row_royalties=seat.get("row_royalties") or {},
        fantasyland=seat.get("fantasy_land_next"),
    )
    player = FilePlayer(
        str(seat.get("name") or f"seat-{seat['seat']}"),
        int(seat["seat"]) + 1,
        read_rows(rows["top"], rows["middle"], rows["bottom"]),
        discards or None,
        fantasyland=_BOARD + len(discards) if seat.get("fantasy_land_in") else 0,
        claims=claims,
    )
    return with_streets(player, map(_street, seat.get("streets") or ()))


def _street(street: Object) -> dict[str, tuple[str, ...]]:
    placed = {
        row: read_cards([each["card"] for each in street["placements"] if each["row"] == row]) for row in ROW_SIZES
    }
    return {"dealt": read_cards(street["pull"]), **placed, "discards": read_cards(street.get("discarded"))}


FORMAT: Final = Format(
    name="chipzen",
    title="chipzen hand records, version 1 (JSON)",
    reads="Boards, discards, complete streets, Fantasyland; points, fouls and royalties for comparison.",
    loses="Amounts in chips, and the point value.",
    unknown="Names of players (seats are used), the button, stacks.",
    detect=detect,
    read=read,
)
