"""Prompt for a hand seat by seat, and prompt again for seats with mistakes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any, Final

from rich.console import Console

from client.entry.question import NO, YES, Asker, BackError, Question
from client.errors import RefusedError, UnreadableError
from client.lookup import match_seat
from client.offline.typed_board import (
    FANTASYLAND_CARDS,
    PARTS,
    TakenCards,
    TypedBoard,
    capacity_of,
    count_discards,
    format_deck,
    list_cards_left,
    read_board,
)
from client.render.format import Names
from client.render.problems import show_problem

Document = dict[str, Any]

BUTTON: Final = "button"
FANTASYLAND: Final = "fantasyland"
_KEYS: Final = ("Tab: cards", "↑: back")
_NOBODY: Final = frozenset({"", "none"})
_PROMPTS: Final = {
    BUTTON: "Button (seat or player): ",
    FANTASYLAND: "Fantasyland (for example 1=14, or none): ",
}
_IN_CARDS: Final = re.compile(rf"#/players/(\d+)/(?:{'|'.join(PARTS)})\b")


@dataclass(slots=True)
class HandEntry:
    """
    A hand of a round, as far as it is typed.

    `typed` holds the text for each seat and, where `upcoming` does not have them, for the button and for Fantasyland,
    by their names. `stop` is the hint for Ctrl-C.
    """

    upcoming: Document
    names: Names
    ruleset: Document
    top_ups: Sequence[Document] = ()
    played_at: str | None = None
    dealt_again: bool = False
    typed: dict[str, str] = field(default_factory=dict)
    stop: str = "Ctrl-C: stop; nothing is stored"
    _accepted: set[str] = field(default_factory=set)

    @property
    def places(self) -> list[str]:
        """The places to type, in order."""
        unknown = [name for name in (BUTTON, FANTASYLAND) if self.upcoming[name] is None]
        return [*unknown, *map(str, self.upcoming["seats"])]

    def fill(self, place: str, text: str) -> None:
        """
        Accept a text for a place, so that it is not prompted for.

        Raises:
            UnreadableError: the text is invalid, or the place has one already.
        """
        if place in self._accepted:
            raise UnreadableError(f"{self._name(place)}: two boards are given; expected one")
        wrong = self._check(place, text)
        if wrong is not None:
            raise UnreadableError(f"{self._name(place)}: {wrong}")
        self.typed[place] = text
        self._accept(place)

    def accept_recorded(self) -> str | None:
        """Accept the recorded text of every other place. Return the first error, which is prompted for."""
        for place in self.places:
            wrong = self._check(place, self.typed[place])
            if wrong is not None:
                return f"{self._name(place)}: {wrong}"
            self._accepted.add(place)
        return None

    def find_place(self, text: str) -> str:
        """
        Find a seat by its number, its player, or both.

        Raises:
            UnreadableError: no player of this name plays the hand, or the text matches several.
        """
        sitting = {seat: self.names[seat] for seat in self.upcoming["seats"]}
        number = match_seat(sitting, text)
        if number is None:
            playing = ", ".join(f"{seat} ({name})" for seat, name in sitting.items())
            raise UnreadableError(f"no player in seat {text!r} plays this hand; expected one of {playing}")
        return str(number)

    def ask(self, asker: Asker) -> None:
        """
        Prompt for every place that is missing.

        Raises:
            KeyboardInterrupt: the scorekeeper stopped.
            UnreadableError: a reply is invalid, and there is no terminal to correct it.
        """
        while missing := [place for place in self.places if place not in self._accepted]:
            place = missing[0]
            try:
                self.typed[place] = asker.ask(self._question(place))
            except BackError as error:
                self.typed[place] = error.text
                places = self.places
                position = places.index(place)
                self._accepted.discard(places[position - 1] if position else place)
                continue
            self._accept(place)

    def _accept(self, place: str) -> None:
        """Accept a reply. Fantasyland decides the number of discards, so that boards are validated again."""
        self._accepted.add(place)
        if place == FANTASYLAND:
            boards = self._accepted - {BUTTON, FANTASYLAND}
            self._accepted -= {each for each in boards if self._check(each, self.typed[each]) is not None}

    def ask_again(self, *places: str) -> None:
        """Mark places to be prompted for again, with their text as default."""
        self._accepted.difference_update(places)

    def find_wrong_places(self, mistakes: Sequence[Mapping[str, str]]) -> list[str]:
        """Return the places of mistakes that typing can correct."""
        seats = self.upcoming["seats"]
        matches = [_IN_CARDS.match(mistake["pointer"]) for mistake in mistakes]
        find_wrong_places = [str(seats[int(match[1])]) for match in matches if match and int(match[1]) < len(seats)]
        pointers = {mistake["pointer"] for mistake in mistakes}
        if FANTASYLAND in self.places and any(pointer.endswith("/fantasyland") for pointer in pointers):
            find_wrong_places.insert(0, FANTASYLAND)
        if BUTTON in self.places and "#/button" in pointers:
            find_wrong_places.insert(0, BUTTON)
        return list(dict.fromkeys(find_wrong_places))

    def document(self) -> Document:
        """Return the hand as the wire has it."""
        is_given = BUTTON in self._accepted
        button = int(self.find_place(self.typed[BUTTON])) if is_given else self.upcoming["button"]
        hand: Document = {"number": self.upcoming["number"], "button": button}
        if self.top_ups:
            hand["top_ups"] = list(self.top_ups)
        if self.played_at is not None:
            hand["played_at"] = self.played_at
        if self.dealt_again:
            hand["dealt_again"] = True
        hand["players"] = [
            {
                "seat": seat,
                "fantasyland": self._fantasyland(seat),
                **self._read(str(seat), self.typed[str(seat)]).document(),
            }
            for seat in self.upcoming["seats"]
        ]
        return hand

    # Questions

    def _question(self, place: str) -> Question:
        default = self.typed.get(place, "")
        if place in _PROMPTS:
            return Question(_PROMPTS[place], lambda text: self._check(place, text), default)
        return Question(
            f"{self._name(place)}: ",
            lambda text: self._check(place, text),
            default,
            hint=lambda text, width: self._hint(place, text, width),
            complete=lambda text, asked_for: self._complete(place, text, asked_for),
        )

    def _name(self, place: str) -> str:
        if place in _PROMPTS:
            return place.capitalize()
        cards = self._fantasyland(int(place))
        return f"Seat {place}, {self.names[place]}" + (f" (Fantasyland with {cards} cards)" if cards else "")

    def _check(self, place: str, text: str) -> str | None:
        if place in _PROMPTS:
            try:
                self.find_place(text) if place == BUTTON else self._read_fantasyland(text)
            except UnreadableError as error:
                return str(error)
            return None
        board = self._read(place, text)
        return next(iter((*board.wrong, *board.missing)), None)

    def _hint(self, place: str, text: str, width: int) -> str:
        """Return what is wrong, or else the progress, and the cards left in the deck."""
        board = self._read(place, text)
        part = board.current
        so_far = (
            f"{PARTS[part]}: {len(board.parts[part])} of {self._capacity(place, part)}" if part < len(PARTS) else ""
        )
        if board.open_suits:
            so_far += f", {board.open_suits} without a suit"
        status = f"✗ {board.wrong[0]}" if board.wrong else "complete" if board.is_complete else so_far
        first, *others = format_deck(list_cards_left(self._taken(place), board))
        left = _fit([f"deck: {first}", *others], width, "  ")
        return "\n".join((*wrap(status, width), *left, *_fit((*_KEYS, self.stop), width, "   ")))

    def _complete(self, place: str, text: str, asked_for: bool) -> Sequence[str]:
        """Return the suits for a typed rank, the slash after a full row, or, on request, every card left."""
        board = self._read(place, text)
        if board.wrong:
            return ()
        left = list_cards_left(self._taken(place), board)
        if board.pending_rank:
            rank = "T" if board.pending_rank in ("1", "10") else board.pending_rank.upper()
            suits = [card[1] for card in left if card[0] == rank]
            return [f"0{suit}" for suit in suits] if board.pending_rank == "1" else suits
        part = board.current
        if len(board.parts[part]) < self._capacity(place, part):
            return left if asked_for else ()
        return (" / ",) if self._capacity(place, part + 1) else ()

    # Cards on the table

    def _read(self, place: str, text: str) -> TypedBoard:
        return read_board(text, self._taken(place), self._discards(place))

    def _taken(self, place: str) -> TakenCards:
        """Return the cards of other seats with their places."""
        taken: dict[str, str] = {}
        for other in self._accepted - {place, BUTTON, FANTASYLAND}:
            taken |= read_board(self.typed[other], {}, self._discards(other)).places(self.names[other])
        return taken

    def _capacity(self, place: str, part: int) -> int:
        return capacity_of(part, self._discards(place))

    def _discards(self, place: str) -> int:
        return count_discards(self.ruleset, self._fantasyland(int(place)))

    def _fantasyland(self, seat: int) -> int:
        known = self.upcoming["fantasyland"]
        if known is None:
            known = self._read_fantasyland(self.typed[FANTASYLAND])
        cards: int = known.get(str(seat), 0)
        return cards

    def _read_fantasyland(self, text: str) -> dict[str, int]:
        """
        Parse who is in Fantasyland with how many cards: `1=14 cyd=15`.

        Raises:
            UnreadableError: the text is invalid.
        """
        read: dict[str, int] = {}
        least, most = FANTASYLAND_CARDS[0], FANTASYLAND_CARDS[-1]
        for each in () if text.strip() in _NOBODY else re.split(r"[\s,]+", text.strip()):
            player, _, cards = each.rpartition("=")
            if not cards.isdecimal() or int(cards) not in FANTASYLAND_CARDS or not player:
                raise UnreadableError(
                    f"{each!r} does not say who has how many cards; expected none, or a seat and {least} to"
                    f" {most} cards, for example 1=14"
                )
            read[self.find_place(player)] = int(cards)
        return read


def _fit(parts: Iterable[str], width: int, gap: str) -> list[str]:
    """
    Join parts into as few lines as possible.

    >>> _fit(["Tab: cards", "↑: back", "Ctrl-C: stop"], 20, "  ")
    ['Tab: cards  ↑: back', 'Ctrl-C: stop']
    """
    lines: list[str] = []
    for part in parts:
        if lines and len(lines[-1]) + len(gap) + len(part) <= width:
            lines[-1] += gap + part
        else:
            lines.append(part)
    return lines


def write_hand(hand: Mapping[str, Any]) -> dict[str, str]:
    """
    Return a recorded hand as it would be typed.

    >>> player = {"seat": 1, "top": ["Qs", "Qd"], "middle": ["Ks"], "bottom": ["Ah"], "discards": ["2c"]}
    >>> write_hand({"button": 2, "players": [player]})
    {'button': '2', '1': 'QsQd / Ks / Ah / 2c'}
    """
    typed = {BUTTON: str(hand["button"])}
    for player in hand["players"]:
        parts = [player[part] for part in PARTS[:-1]] + ([player["discards"]] if player.get("discards") else [])
        typed[str(player["seat"])] = " / ".join("".join(cards) for cards in parts)
    return typed


def write_fantasyland(hand: Mapping[str, Any]) -> str:
    """
    Return who is in Fantasyland in a recorded hand as it would be typed.

    >>> write_fantasyland({"players": [{"seat": 1, "fantasyland": 14}, {"seat": 2, "fantasyland": 0}]})
    '1=14'
    """
    cards = {player["seat"]: player["fantasyland"] for player in hand["players"] if player["fantasyland"]}
    return " ".join(f"{seat}={number}" for seat, number in cards.items()) or "none"


def ask_again(console: Console, asker: Asker, entry: HandEntry, error: RefusedError) -> None:
    """
    Show what is wrong with a hand, and mark the places to be typed again.

    Raises:
        RefusedError: typing cannot correct the hand, or there is no terminal.
    """
    places = entry.find_wrong_places(error.problem["errors"])
    if not (asker.can_correct and places):
        raise error
    show_problem(console, error.problem)
    entry.ask_again(*places)


def make_question(entry: HandEntry, verb: str) -> Question:
    """Build the question that confirms a displayed hand, or names the seat to type again."""

    def check(reply: str) -> str | None:
        if reply in YES | NO:
            return None
        try:
            entry.find_place(reply)
        except UnreadableError:
            return "expected yes, no, or a seat that plays"
        return None

    return Question(f"{verb} hand {entry.upcoming['number']}? [yes, no, or a seat to type again] ", check)
