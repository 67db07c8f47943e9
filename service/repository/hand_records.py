"""A hand as its record holds it, and back."""

from collections.abc import Mapping, Sequence
from typing import Any

from scoring.board import Board, ByRow, Row
from scoring.cards import Card
from scoring.hand import Cards, Hand, PlayerHand, Street, TopUp
from scoring.ruleset import BOARD_SIZE


def pack_boards(players: Sequence[PlayerHand]) -> bytes:
    """Pack boards into 13 bytes each, one after the other."""
    return b"".join(player.board.packed for player in players)


def load_hand(record: Mapping[str, Any]) -> Hand:
    """
    Make a hand again from its record: boards from the packed bytes, and what they do not say from the content.

    Players stand by seat.
    """
    content = {player["seat"]: player for player in record["content"]["players"]}
    boards = record["boards"]
    players = tuple(
        _player(content[seat], Board.unpacked(boards[start : start + BOARD_SIZE]), fantasyland)
        for seat, fantasyland, start in zip(
            record["seats"], record["fantasyland"], range(0, len(boards), BOARD_SIZE), strict=True
        )
    )
    top_ups = tuple(TopUp(**top_up) for top_up in record["content"]["top_ups"])
    return Hand(record["number"], record["button"], players, top_ups)


def _player(content: Mapping[str, Any], board: Board, fantasyland: int) -> PlayerHand:
    discards, streets = content.get("discards"), content.get("streets")
    return PlayerHand(
        content["seat"],
        board,
        fantasyland,
        None if discards is None else _cards(discards),
        None if streets is None else tuple(map(_street, streets)),
    )


def _street(content: Mapping[str, Any]) -> Street:
    rows = ByRow(*(_cards(content[row.value]) for row in Row))
    return Street(_cards(content["dealt"]), rows, _cards(content["discards"]), _cards(content["auto"]))


def _cards(names: Sequence[str]) -> Cards:
    return tuple(map(Card.parse, names))
