"""Asks for a hand seat by seat, and for the mistaken seats again."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from client.entry.asking import Asker, BackError, Question, StoppedError
from client.errors import UnreadableError
from client.finding import find_meant
from client.offline.typed import (
    PARTS,
    Taken,
    TypedBoard,
    cards_left,
    count_discards,
    read_board,
    room_in,
    show_left,
)
from client.render.cards import Names

Document = dict[str, Any]

BUTTON: Final = "button"
_KEYS: Final = "Tab: cards   ↑: the answer before   Ctrl-C: stop, and keep what is typed"
_IN_CARDS: Final = re.compile(rf"#/players/(\d+)/(?:{'|'.join(PARTS)})\b")


@dataclass(slots=True)
class HandEntry:
    """
    The next hand of a round, as far as it is typed.

    `typed` holds what was typed for each seat and, before the first hand, for the button, by their names; `keep` is
    told of it after every answer, so that it can be gone on with.
    """

    following: Document
    names: Names
    ruleset: Document
    top_ups: Sequence[Document] = ()
    played_at: str | None = None
    typed: dict[str, str] = field(default_factory=dict)
    keep: Callable[[Mapping[str, str]], None] = lambda _: None
    _settled: set[str] = field(default_factory=set)

    @property
    def places(self) -> list[str]:
        """What is to be typed, in order."""
        button = [BUTTON] if self.following["button"] is None else []
        return [*button, *map(str, self.following["seats"])]

    def give(self, place: str, text: str) -> None:
        """
        Take what needs not be asked for.

        Raises:
            UnreadableError: it is wrong, or given already.
        """
        if place in self._settled:
            raise UnreadableError(f"{self._name(place)}: two boards are given; one is right")
        wrong = self._check(place, text)
        if wrong is not None:
            raise UnreadableError(f"{self._name(place)}: {wrong}")
        self.typed[place] = text
        self._settled.add(place)

    def find_place(self, text: str) -> str:
        """
        Find the seat that is meant by its number, its player, or both.

        Raises:
            UnreadableError: nobody of that name plays the hand, or several can be meant.
        """
        sitting = {seat: self.names[seat] for seat in self.following["seats"]}
        found = find_meant(sitting, text)
        if found is None:
            playing = ", ".join(f"{seat} ({name})" for seat, name in sitting.items())
            raise UnreadableError(f"nobody in seat {text!r} plays this hand; {playing} do")
        return str(found)

    def ask(self, asker: Asker) -> None:
        """
        Ask for everything that is not there yet.

        Raises:
            StoppedError: the scorekeeper stopped; what was typed is kept.
            UnreadableError: nobody is there to correct an answer.
        """
        places = self.places
        while missing := [place for place in places if place not in self._settled]:
            place = missing[0]
            try:
                self.typed[place] = asker.ask(self._question(place))
            except BackError as error:
                self.typed[place] = error.text
                position = places.index(place)
                self._settled.discard(places[position - 1] if position else place)
                continue
            except StoppedError as error:
                self.typed[place] = error.text
                self.keep(self.typed)
                raise
            self._settled.add(place)
            self.keep(self.typed)

    def ask_again(self, *places: str) -> None:
        """Let some of it be asked for again, with what was typed to begin with."""
        self._settled.difference_update(places)

    def mistaken(self, mistakes: Sequence[Mapping[str, str]]) -> list[str]:
        """List the places in which mistakes are that typing can correct."""
        seats = self.following["seats"]
        found = [_IN_CARDS.match(mistake["pointer"]) for mistake in mistakes]
        mistaken = [str(seats[int(match[1])]) for match in found if match and int(match[1]) < len(seats)]
        if BUTTON in self.places and any(mistake["pointer"] == "#/button" for mistake in mistakes):
            mistaken.insert(0, BUTTON)
        return list(dict.fromkeys(mistaken))

    def document(self) -> Document:
        """Write the hand as the wire does."""
        is_given = BUTTON in self._settled
        button = int(self.find_place(self.typed[BUTTON])) if is_given else self.following["button"]
        hand: Document = {"number": self.following["number"], "button": button}
        if self.top_ups:
            hand["top_ups"] = list(self.top_ups)
        if self.played_at is not None:
            hand["played_at"] = self.played_at
        hand["players"] = [
            {
                "seat": seat,
                "fantasyland": self._fantasyland(seat),
                **self._read(str(seat), self.typed[str(seat)]).document(),
            }
            for seat in self.following["seats"]
        ]
        return hand

    # What is asked

    def _question(self, place: str) -> Question:
        default = self.typed.get(place, "")
        if place == BUTTON:
            return Question("Button (seat or player): ", lambda text: self._check(place, text), default)
        return Question(
            f"{self._name(place)}: ",
            lambda text: self._check(place, text),
            default,
            hint=lambda text: self._hint(place, text),
            complete=lambda text, asked_for: self._complete(place, text, asked_for),
        )

    def _name(self, place: str) -> str:
        if place == BUTTON:
            return "Button"
        cards = self._fantasyland(int(place))
        return f"Seat {place}, {self.names[place]}" + (f" (Fantasyland with {cards} cards)" if cards else "")

    def _check(self, place: str, text: str) -> str | None:
        if place == BUTTON:
            try:
                self.find_place(text)
            except UnreadableError as error:
                return str(error)
            return None
        board = self._read(place, text)
        return next(iter((*board.wrong, *board.missing)), None)

    def _hint(self, place: str, text: str) -> str:
        """Say what is wrong, or else how far one is; and what the deck still holds."""
        board = self._read(place, text)
        part = len(board.parts) - 1
        so_far = f"{PARTS[part]}: {len(board.parts[part])} of {self._room(place, part)}" if part < len(PARTS) else ""
        said = f"✗ {board.wrong[0]}" if board.wrong else "complete" if board.is_whole else so_far
        left = show_left(cards_left(self._taken(place), board))
        return f"{said}\ndeck: {left}\n{_KEYS}"

    def _complete(self, place: str, text: str, asked_for: bool) -> Sequence[str]:
        """Offer the suits of a rank that is typed, the slash behind a full row, or, asked for, every card."""
        board = self._read(place, text)
        if board.wrong:
            return ()
        left = cards_left(self._taken(place), board)
        if board.begun:
            rank = "T" if board.begun in ("1", "10") else board.begun.upper()
            suits = [card[1] for card in left if card[0] == rank]
            return [f"0{suit}" for suit in suits] if board.begun == "1" else suits
        part = len(board.parts) - 1
        if len(board.parts[part]) < self._room(place, part):
            return left if asked_for else ()
        return (" / ",) if self._room(place, part + 1) else ()

    # What lies on the table

    def _read(self, place: str, text: str) -> TypedBoard:
        return read_board(text, self._taken(place), self._discards(place))

    def _taken(self, place: str) -> Taken:
        """Say where the cards lie that other seats have."""
        taken: dict[str, str] = {}
        for other in self._settled - {place, BUTTON}:
            taken |= read_board(self.typed[other], {}, self._discards(other)).places(self.names[other])
        return taken

    def _room(self, place: str, part: int) -> int:
        return room_in(part, self._discards(place))

    def _discards(self, place: str) -> int:
        return count_discards(self.ruleset, self._fantasyland(int(place)))

    def _fantasyland(self, seat: int) -> int:
        cards: int = self.following["fantasyland"].get(str(seat), 0)
        return cards
