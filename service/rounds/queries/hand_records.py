"""Conversion between a hand and its record, and the received request bodies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from sqlalchemy import text
from uuid_utils.compat import uuid7

from evidence.events import Received
from scoring.board import Board, ByRow, Row
from scoring.cards import Card
from scoring.hand import Cards, Hand, PlayerHand, Street, TopUp
from scoring.ruleset import BOARD_SIZE
from service.db import Transaction


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


@dataclass(frozen=True, slots=True)
class Submission:
    """What a client sent, byte for byte, and what kind of thing it is: `hand`, `document`."""

    kind: str
    content: bytes
    id: UUID = field(default_factory=uuid7)

    @property
    def received(self) -> Received:
        """What events say of it, so that other bytes in its place can be told from it."""
        return Received(self.id, sha256(self.content).digest())


INSERT_SUBMISSION: Final = """
    INSERT INTO submissions (club_id, id, kind, content, sha256, received_at)
    VALUES (:club_id, :submission_id, :submission_kind, :submission_content, :submission_sha256, :now)
"""
"""For statements that keep a submission beside what it held; `submission_parameters` says what goes into it."""

_INSERT_SUBMISSION: Final = text(INSERT_SUBMISSION)


def add(transaction: Transaction, submission: Submission) -> None:
    """Keep what was received; several hands of one document point at the same."""
    transaction.execute(_INSERT_SUBMISSION, submission_parameters(transaction, submission))


def submission_parameters(transaction: Transaction, submission: Submission) -> dict[str, Any]:
    """Say what goes into `INSERT_SUBMISSION`."""
    return {
        "club_id": transaction.club_id,
        "submission_id": submission.id,
        "submission_kind": submission.kind,
        "submission_content": submission.content,
        "submission_sha256": sha256(submission.content).digest(),
        "now": transaction.now,
    }
