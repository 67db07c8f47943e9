"""A short notation for boards, hands and rounds, used by the golden cases."""

from collections.abc import Mapping
from typing import Any

from schemas.rulesets import dump_ruleset, load_ruleset
from scoring.board import Board, ByRow
from scoring.cards import parse_cards
from scoring.errors import Path
from scoring.hand import Hand, PlayerHand, Seat, Street, TopUp
from scoring.presets import PRESETS
from scoring.round_state import RoundSeat
from scoring.ruleset import Ruleset

Changes = Mapping[Any, Any]


def board_of(text: str) -> Board:
    """
    Read a board from the top down.

    >>> board_of("QsQd4c / KsKd9h8h3c / AhJh7h6h2h").rows.top
    (Qs, Qd, 4c)
    """
    top, middle, bottom = text.split("/")
    return Board.of(top, middle, bottom)


def player_of(seat: Seat, written: str | Changes) -> PlayerHand:
    """Read what a player made of a hand: the board alone, or with what else is known."""
    if isinstance(written, str):
        return PlayerHand(seat, board_of(written))
    known = {"board", "fantasyland", "stays", "discards", "streets"}
    assert written.keys() <= known, f"of a player are known {sorted(known)}, not {sorted(written.keys() - known)}"
    discards, streets = written.get("discards"), written.get("streets")
    return PlayerHand(
        seat,
        board_of(written["board"]),
        written.get("fantasyland", 0),
        None if discards is None else parse_cards(discards),
        None if streets is None else tuple(street_of(street) for street in streets),
    )


def street_of(written: Changes) -> Street:
    """Read one street; what is left out is empty."""
    known = ("dealt", "top", "middle", "bottom", "discards", "auto")
    assert written.keys() <= set(known), f"of a street are known {known}, not {sorted(written)}"
    dealt, top, middle, bottom, discards, auto = (parse_cards(written.get(key) or "") for key in known)
    return Street(dealt, ByRow(top, middle, bottom), discards, auto)


def hand_of(
    number: int, button: Seat, players: Mapping[Seat, str | Changes], top_ups: Mapping[Seat, int] | None = None
) -> Hand:
    """Read a hand, its players by seat."""
    return Hand(
        number,
        button,
        tuple(player_of(seat, written) for seat, written in players.items()),
        tuple(TopUp(seat, points) for seat, points in (top_ups or {}).items()),
    )


def seats_of(written: Mapping[Seat, str]) -> list[RoundSeat]:
    """
    Read who sits down with how much.

    >>> seats_of({1: "ann 200"})
    [RoundSeat(seat=1, player='ann', opening_stack=200)]
    """
    return [RoundSeat(seat, who.split()[0], int(who.split()[1])) for seat, who in written.items()]


def ruleset_of(written: str | Changes) -> Ruleset:
    """
    Read a ruleset: a preset's name, or a preset and what is different, field by field.

    >>> ruleset_of({"like": "pineapple", "stakes": {"scope": "round"}}).stakes.scope.value
    'round'
    """
    if isinstance(written, str):
        return PRESETS[written]
    shape = dump_ruleset(PRESETS[written["like"]])
    shape["name"] = f"{shape['name']}-changed"
    for part, value in written.items():
        if part != "like":
            shape[part] = {**shape[part], **value} if isinstance(shape[part], dict) else value
    return load_ruleset(shape)


def pointer_to(path: Path) -> str:
    """
    Write where a mistake is as the API does.

    >>> pointer_to(("players", 0, "top", 2))
    '#/players/0/top/2'
    """
    return "#" + "".join(f"/{step}" for step in path)
