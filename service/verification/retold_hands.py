"""Hands told once more from their records, in the bytes in which events told them."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

import numpy as np
import orjson
from marshmallow import ValidationError

from evidence import canonical_json
from evidence.codec import CanonicalJson
from evidence.events import HandRecorded
from evidence.events import Received as ReceivedBytes
from schemas.document_lines import build_hand, build_time
from scoring.board import Row
from scoring.cards import BY_NAME
from scoring.deal import find_deal_mistakes
from scoring.ruleset import BOARD_SIZE, Ruleset
from service.db import Transaction
from service.recomputations.packed.rounds import Flags, Integers, PackedRounds
from service.verification.matrices import hashes_of, lay
from service.verification.queries import at_once
from service.verification.queries.at_once import EPOCH, HAND, digests_of, hexes_of, ids_of
from service.verification.queries.audited import Stretch
from service.verification.written_hands import ArrayHands, write_hands

_UNREADABLE: Final = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, ValidationError)
_MICROSECOND: Final = timedelta(microseconds=1)
_SIZES: Final = tuple(row.size for row in Row)
_NO_CARD: Final = 255
_NO_CARDS: Final = ",".join(["--"] * BOARD_SIZE)
_CARDS: Final = np.full((256, 256), _NO_CARD, np.uint8)
"""What packed boards have for a card, by the two bytes of its name."""
for _name, _card in BY_NAME.items():
    _CARDS[tuple(_name.encode())] = _card


class Received(NamedTuple):
    """Bytes that came in, as events tell them: the id and the SHA-256; and when, in microseconds."""

    id: str
    sha256: str
    is_hand: bool
    received_at: int

    @property
    def received(self) -> ReceivedBytes:
        """What events say of it."""
        return ReceivedBytes(UUID(self.id), bytes.fromhex(self.sha256))


class RetoldHand(NamedTuple):
    """
    A hand as its event would tell it.

    Attributes:
        recorded_at: in microseconds.
        document: what it came in with, where that is told with the opening of its round.
    """

    event: bytes
    recorded_at: int
    document: Received | None


def retell_hands(
    transaction: Transaction, stretch: Stretch, packed: PackedRounds, plain: Flags, rulesets: Sequence[Ruleset]
) -> Mapping[int, Sequence[RetoldHand]]:
    """
    Tell the hands of rounds from their records, where those agree with each other.

    Args:
        transaction: whose club's.
        stretch: of which rounds.
        packed: the same rounds as arrays.
        plain: [rounds], which are wanted; their figures were found to be right.
        rulesets: that rounds stand under, by their number less 1.

    Returns:
        The hands of each round that is wanted and agrees, by its place.
    """
    kept = at_once.read_hands(transaction, stretch)
    received = _read_received(transaction, stretch)
    place = np.searchsorted(packed.ids, kept.rows["round"])
    if (packed.ids[place] != kept.rows["round"]).any():
        raise ValueError("there are hands of no round")
    number = np.arange(len(place)) - np.searchsorted(place, place) + 1
    wanted = plain & (np.bincount(place, minlength=len(plain)) == packed.lengths)
    wanted[place[kept.rows["number"] != number]] = False
    wanted[packed.hands.of_round[~packed.hands.follows]] = False
    which = np.flatnonzero(wanted[place])
    arrays = np.flatnonzero(wanted[packed.hands.of_round])
    if len(which) != len(arrays):
        raise ValueError("hands are missing among arrays")
    tails = [kept.tails[row] for row in which.tolist()]
    contents, wrong = _agree(packed, arrays, kept.rows[which], tails, rulesets)
    wanted[place[which[wrong]]] = False
    return _tell(packed, wanted, kept.rows[which], arrays, contents, received)


def _agree(
    packed: PackedRounds, arrays: Integers, rows: Any, tails: Sequence[bytes], rulesets: Sequence[Ruleset]
) -> tuple[Sequence[bytes], Flags]:
    """
    Write the contents of hands, from arrays or else from what is kept of them; and say which were kept otherwise.

    Args:
        packed: their rounds.
        arrays: where they stand there.
        rows: their records.
        tails: what happened, as PostgreSQL shows it.
        rulesets: that rounds stand under, by their number less 1.
    """
    played = ArrayHands.of(packed, arrays)
    contents, is_unlike = [b""] * len(tails), np.ones(len(tails), np.bool_)
    sizes = np.fromiter(map(len, tails), np.int64, len(tails))
    for written in write_hands(rows, played):
        for place, content in zip(written.places.tolist(), digests_of(written.canonical), strict=True):
            contents[place] = content
        size = written.shown.shape[1]
        alike = sizes[written.places] == size
        found = lay(tails, written.places[alike], size)
        is_unlike[written.places[alike]] = (found != written.shown[alike]).any(axis=1)
    unlike = np.flatnonzero(is_unlike).tolist()
    wrong = np.zeros(len(rows), np.bool_)
    if unlike:
        told = _Contents(played.dealt[unlike].tolist())
        rules = packed.rulesets[packed.hands.of_round[arrays]]
        for place, at in enumerate(unlike):
            contents[at] = told.add(place, tails[at], rulesets[rules[at] - 1])
        wrong[unlike] = told.differ(rows[unlike], ArrayHands.of(packed, arrays[unlike]))
    return contents, wrong | (hashes_of(contents) != rows["digest"]).any(axis=1)


def _tell(
    packed: PackedRounds,
    wanted: Flags,
    rows: Any,
    arrays: Integers,
    contents: Sequence[bytes],
    received: Mapping[bytes, Received],
) -> Mapping[int, Sequence[RetoldHand]]:
    """Write the events of hands, of the rounds that are wanted and in which every hand has come in as it must."""
    retold: dict[int, list[RetoldHand]] = {place: [] for place in np.flatnonzero(wanted).tolist()}
    ids, seats = list(map(UUID, ids_of(packed.ids))), packed.seat_counts.tolist()
    hands = packed.hands
    columns = (
        hands.of_round[arrays].tolist(),
        ids_of(rows["id"]),
        rows["submission"].tolist(),
        hands.scorers[arrays].tolist(),
        rows["recorded_at"].tolist(),
        contents,
        hands.stored.stacks[arrays].tolist(),
    )
    for place, id_, submission, scorer, recorded_at, content, left in zip(*columns, strict=True):
        if place not in retold:
            continue
        came_in = received.get(submission)
        if came_in is None or (came_in.is_hand and came_in.received_at != recorded_at):
            del retold[place]
            continue
        told, document = (came_in.received, None) if came_in.is_hand else (None, came_in)
        event = HandRecorded(
            round=ids[place],
            id=UUID(id_),
            hand=CanonicalJson(content),
            stacks=tuple(left[: seats[place]]),
            scorer=scorer,
            submission=told,
        )
        retold[place].append(RetoldHand(event.encode(), recorded_at, document))
    return retold


def _read_received(transaction: Transaction, stretch: Stretch) -> Mapping[bytes, Received]:
    """Read in what hands came, where its hash is right and it is of a kind that rounds begin or go on with."""
    kept = at_once.read_submissions(transaction, stretch)
    is_right = (hashes_of(kept.tails) == kept.rows["sha256"]).all(axis=1) & (kept.rows["kind"] > 0)
    rows = kept.rows[is_right]
    numbers = rows["kind"].tolist(), rows["received_at"].tolist()
    return {
        key: Received(id_, digest, kind == HAND, at)
        for key, id_, digest, kind, at in zip(
            rows["id"].tolist(), ids_of(rows["id"]), hexes_of(rows["sha256"]), *numbers, strict=True
        )
    }


class _Contents:
    """What happened in hands, as JSON, taken apart into lists that arrays can be held against."""

    def __init__(self, players: Sequence[int]) -> None:
        """Say how many play in each."""
        self._players = players
        self._wrong: list[int] = []
        self._buttons: list[int] = []
        self._played_at: list[int | None] = []
        self._seats: list[int] = []
        self._fantasyland: list[int] = []
        self._boards: list[str] = []

    def add(self, at: int, written: bytes, ruleset: Ruleset) -> bytes:
        """Add the next hand, and give its canonical JSON."""
        players = self._players[at]
        try:
            read = orjson.loads(written)
            seats, fantasyland, boards = _take_apart(read, ruleset)
            if len(seats) != players:
                raise ValueError("others play than are kept")
            content, button, played_at = canonical_json(read), int(read["button"]), _microseconds(read.get("played_at"))
        except _UNREADABLE:
            self._wrong.append(at)
            content, button, played_at = b"", 0, None
            seats, fantasyland, boards = [0] * players, [0] * players, [_NO_CARDS] * players
        self._buttons.append(button)
        self._played_at.append(played_at)
        self._seats += seats
        self._fantasyland += fantasyland
        self._boards += boards
        return content

    def differ(self, rows: Any, played: ArrayHands) -> Flags:
        """Say which hands were kept otherwise."""
        wrong: Flags = np.array(self._buttons, np.int64) != played.buttons
        is_timed = np.array([at is not None for at in self._played_at], np.bool_)
        wrong |= (is_timed != rows["is_timed"]) | (np.array([at or 0 for at in self._played_at]) != rows["played_at"])
        wrong[self._wrong] = True
        other = np.array(self._seats, np.int64) != played.seats
        other |= np.array(self._fantasyland, np.int64) != played.fantasyland
        other |= (self._packed() != played.boards).any(axis=1)
        wrong[np.repeat(np.arange(len(rows)), self._players)[other]] = True
        return wrong

    def _packed(self) -> Any:
        """Pack the boards: [boards, 13]."""
        text = np.frombuffer(",".join([*self._boards, ""]).encode("latin-1", "replace"), np.uint8).reshape(-1, 3)
        cards = np.where(text[:, 2] == ord(","), _CARDS[text[:, 0], text[:, 1]], np.uint8(_NO_CARD))
        return cards.reshape(-1, BOARD_SIZE)


def _take_apart(read: Mapping[str, Any], ruleset: Ruleset) -> tuple[list[int], list[int], list[str]]:
    """
    Give the seats of all who play, their cards of Fantasyland, and the names of the cards of their boards; by seat.

    Raises:
        ValueError: it cannot have been dealt like this.
    """
    players = read["players"]
    seats = [int(player["seat"]) for player in players]
    if seats != sorted(seats):
        players = sorted(players, key=lambda player: int(player["seat"]))
        seats.sort()
    fantasyland, boards, is_more_known = [], [], False
    for player in players:
        top, middle, bottom = player["top"], player["middle"], player["bottom"]
        if (len(top), len(middle), len(bottom)) != _SIZES:
            raise ValueError("a row has not its cards")
        board = ",".join([*top, *middle, *bottom])
        if len(board) != len(_NO_CARDS):
            raise ValueError("a card has no name of two letters")
        boards.append(board)
        fantasyland.append(int(player.get("fantasyland", 0)))
        if player.get("discards") is not None or player.get("streets") is not None:
            is_more_known = True
    if is_more_known and find_deal_mistakes(build_hand(read).hand.players, ruleset):
        raise ValueError("it cannot have been dealt like this")
    return seats, fantasyland, boards


def _microseconds(written: Any) -> int | None:
    """Say when somebody says that something was, as the database counts."""
    return None if written is None else (build_time(written) - EPOCH) // _MICROSECOND
