"""Build round documents of the hands of a file of another tool."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from client.errors import RefusedError
from client.offline.file_hands import FileHand, FilePlayer, Unread
from client.offline.score import Document, find_next, play_hand, play_round

_CONTINUES: Final = "The file continues with another round."
_MOST_REASON: Final = 200
_STACK: Final = "the stack of {} is not known; expected it in the file, or --stack POINTS for everybody"
_BUTTON: Final = "the button is not known; expected it in the file, or --button PLAYER for the first hand of each round"


@dataclass(frozen=True, slots=True)
class FileOptions:
    """
    What a file does not have.

    Attributes:
        table: the name of the table.
        ruleset: the ruleset, as the service describes it.
        stack: the points of each player at their first hand, where the file does not have them.
        button: the player with the button in the first hand of the file, where the file does not have it.
        point_value: the value of a point in the smallest part of the unit; None for play without money.
        unit: the unit of the value.
    """

    table: str
    ruleset: Document
    stack: int | None = None
    button: str | None = None
    point_value: int | None = None
    unit: str | None = None


@dataclass(slots=True)
class _Round:
    """The round that is being built."""

    document: Document

    @property
    def players(self) -> set[tuple[int, str]]:
        return {(seat["seat"], seat["player"]) for seat in self.document["seats"]}


def build_rounds(hands: Iterable[FileHand], options: FileOptions) -> Iterator[Document | Unread]:
    """
    Yield the rounds of a file's hands, in order, and each hand that is no hand of a round, with the reason.

    A round ends when everybody has had the button. It is closed where the next hand of the file cannot follow, with the
    reason; that hand begins another round if it can. Stacks are those of the file, or else continue.
    """
    current: _Round | None = None
    stacks: dict[str, int] = {}
    for hand in hands:
        reason = _CONTINUES
        if current is not None:
            upcoming = find_next(current.document, (), options.ruleset)
            try:
                if upcoming is not None and current.players == _players_of(hand):
                    _append(current.document, _fill(hand, upcoming, None), options)
                    continue
            except (RefusedError, _MissingError) as error:
                reason = f"{_CONTINUES[:-1]}: {_why(error)}."[:_MOST_REASON]
            stacks |= _stacks_after(current, options)
            yield _finish(current, reason if upcoming is not None else None)
        try:
            current = _Round(_open(hand, stacks, options))
            _append(current.document, _fill(hand, None, options.button), options)
        except (RefusedError, _MissingError) as error:
            current = None
            yield Unread(hand.place, _why(error))
    if current is not None:
        yield current.document


def _append(document: Document, hand: FileHand, options: FileOptions) -> None:
    """
    Append a hand to a round.

    Raises:
        RefusedError: the hand is invalid, or cannot follow the hands of the round.
    """
    played = {
        "number": len(document["hands"]) + 1,
        "button": hand.button,
        "players": [player.document() for player in hand.players],
    }
    play_hand(document, played, options.ruleset)
    document["hands"].append(played)


class _MissingError(Exception):
    """The file does not have what a round needs, and it was not options."""


def _players_of(hand: FileHand) -> set[tuple[int, str]]:
    return {(player.seat, player.name) for player in hand.players}


def _open(hand: FileHand, stacks: Mapping[str, int], options: FileOptions) -> Document:
    money = {} if options.point_value is None else {"point_value": options.point_value, "unit": options.unit}
    return {
        "ruleset": options.ruleset["name"],
        "table": options.table,
        **money,
        "seats": [
            {"seat": player.seat, "player": player.name, "stack": _stack(player, stacks, options)}
            for player in hand.players
        ],
        "hands": [],
    }


def _stack(player: FilePlayer, stacks: Mapping[str, int], options: FileOptions) -> int:
    for stack in (player.stack, stacks.get(player.name), options.stack):
        if stack is not None:
            return stack
    raise _MissingError(_STACK.format(player.name))


def _fill(hand: FileHand, upcoming: Document | None, first_button: str | None) -> FileHand:
    """
    Return a hand with the button and the Fantasyland that the hands before it require, where it has none.

    Raises:
        _MissingError: the button is not known.
    """
    owed = {} if upcoming is None else upcoming["fantasyland"]
    players = tuple(
        player if player.fantasyland is not None else replace(player, fantasyland=owed.get(str(player.seat), 0))
        for player in hand.players
    )
    button = hand.button
    if button is None and upcoming is not None:
        button = upcoming["button"]
    if button is None:
        button = next((player.seat for player in players if player.name == first_button), None)
    if button is None:
        raise _MissingError(_BUTTON)
    return replace(hand, players=players, button=button)


def _stacks_after(current: _Round, options: FileOptions) -> dict[str, int]:
    seats: list[dict[str, Any]] = play_round(current.document, options.ruleset)["round"]["seats"]
    return {seat["player"]: seat["stack"] for seat in seats}


def _finish(current: _Round, reason: str | None) -> Document:
    """Return the round, closed for a reason if it is not complete."""
    if reason is None:
        return current.document
    return {**current.document, "closed": {"after_hand": len(current.document["hands"]), "reason": reason}}


def _why(error: RefusedError | _MissingError) -> str:
    if isinstance(error, _MissingError):
        return str(error)
    first, *more = error.problem["errors"] or [{"detail": error.problem["detail"]}]
    return str(first["detail"]) + (f" (and {len(more)} more)" if more else "")
