"""Exports of matches of giovinco: JSON lines with decisions, and a summary at the end of each hand."""

from collections.abc import Iterator
from typing import Any, Final

from client.formats.cards import check_rows, read_card, read_cards
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
    order_players,
    read_each,
    with_streets,
)

Object = dict[str, Any]
_SEATS: Final = {"human": 1, "ai": 2}
_SIGNS: Final = {"first": 1, "second": -1}


def detect(content: bytes) -> bool:
    """Return whether the lines are records of decisions and hands."""
    keys = find_keys(content)
    return bool(keys) and all("record_type" in each for each in keys)


def read(content: bytes) -> Iterator[Part]:
    """Yield the hands of an export. Decisions without a summary are unread."""
    return read_each(_group(content), _build)


def _group(content: bytes) -> Iterator[tuple[str, list[Object]]]:
    place, lines = "", list[Object]()
    for line, element in read_objects(content):
        if not lines:
            place = line
        lines.append(element)
        if element.get("record_type") != "decision":
            yield place, lines
            lines = []
    if lines:
        yield place, lines


def _build(place: str, lines: list[Object]) -> FileHand:
    *decisions, summary = lines
    if summary.get("record_type") != "hand_summary":
        raise FormatError("the decisions have no `hand_summary` after them; expected a finished hand")
    label = (
        f"hand {summary.get('hand_id') or next((each['hand_id'] for each in decisions if 'hand_id' in each), place)}"
    )
    positions = summary["positions"]
    players = [_player(actor, seat, decisions, summary) for actor, seat in _SEATS.items()]
    button = next(seat for actor, seat in _SEATS.items() if positions[actor] == "second")
    return FileHand(place, label, order_players(players), button)


def _player(actor: str, seat: int, decisions: list[Object], summary: Object) -> FilePlayer:
    own = [each for each in decisions if each["actor"] == actor]
    streets = [_street(each) for each in own]
    rows = check_rows({row: sum((street[row] for street in streets), ()) for row in ROW_SIZES})
    discards: Cards = sum((street["discards"] for street in streets), ())
    fantasyland = sum(len(street["dealt"]) for street in streets) if summary.get(f"fl_{actor}") else 0
    claims = _claims(summary["positions"][actor], summary.get("result", {}))
    player = FilePlayer(actor, seat, rows, discards, fantasyland=fantasyland, claims=claims)
    return with_streets(player, streets)


def _street(decision: Object) -> dict[str, Cards]:
    placed = {row: tuple(read_card(card) for card, name in decision["placements"] if name == row) for row in ROW_SIZES}
    return {"dealt": read_cards(decision["dealt"]), **placed, "discards": read_cards(decision.get("discards"))}


def _claims(position: str, result: Object) -> Claims:
    breakdown = result.get("breakdown", {})
    royalties = breakdown.get("royalties", {}).get(position, {})
    points = result.get("raw_score")
    return Claims(
        points=None if points is None else _SIGNS[position] * points,
        foul=breakdown.get("fouls", {}).get(position),
        royalties=royalties.get("total"),
        fantasyland=breakdown.get("fantasyland", {}).get(f"{position}_next"),
        row_royalties={row: royalties[row] for row in ROW_SIZES if row in royalties},
    )


FORMAT: Final = Format(
    name="giovinco",
    title="giovinco match exports (JSON lines)",
    reads="Boards, streets, discards, the button, Fantasyland; points, fouls and royalties for comparison.",
    loses="The order of the deck, and stacks after the hand.",
    unknown="Names of players (human and ai are used), stacks.",
    detect=detect,
    read=read,
)
