"""Who plays the next round of a table: players, seats and stacks, as typed and as offered."""

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import click
from rich.console import Console
from rich.text import Text

from client.api import Client
from client.entry.current_round import CurrentRound
from client.entry.player_names import resolve_names
from client.entry.prompt import ask_alone
from client.entry.question import NO, YES, Asker, BackError, Question
from client.errors import RefusedError, UnreadableError
from client.lookup import match_seat
from client.render.problems import show_problem
from client.render.rounds import show_round

_WRITTEN: Final = re.compile(r"(?:(\d{1,4}):)?(.+?)(?:=(\d{1,16}))?", re.ASCII)

Document = dict[str, Any]

_CHANGE: Final = frozenset({"c", "change"})
_SEATS: Final = "#/seats"


@dataclass(frozen=True, slots=True)
class Sitting:
    """A player who sits down. Without a seat, it is the next one; without a stack, the player's last stack."""

    player: str
    seat: int | None = None
    stack: int | None = None


class SittingType(click.ParamType[Sitting]):
    """The argument type of `ann`, `ann=200` and `3:ann=200`."""

    name = "player"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Sitting:
        """
        Parse a player with seat and stack.

        >>> SITTING.convert("3:ann=200", None, None)
        Sitting(player='ann', seat=3, stack=200)
        >>> SITTING.convert("ann", None, None)
        Sitting(player='ann', seat=None, stack=None)
        """
        match = _WRITTEN.fullmatch(value)
        if match is None or (match[3] is None and "=" in value):
            self.fail(
                f"{value!r} does not name a player and a stack; expected ann=200, or ann with the stack left over"
            )
        seat, player, stack = match.groups()
        return Sitting(player, int(seat) if seat else None, int(stack) if stack else None)


SITTING: Final = SittingType()


def seat_all(sitting: Iterable[Sitting]) -> list[dict[str, Any]]:
    """
    Assign a seat to every player: the given one, or the one after the previous player.

    >>> seat_all([Sitting("ann", None, 200), Sitting("ben", 3), Sitting("cyd")])
    [{'seat': 1, 'player': 'ann', 'stack': 200}, {'seat': 3, 'player': 'ben'}, {'seat': 4, 'player': 'cyd'}]
    """
    seated: list[dict[str, Any]] = []
    for one in sitting:
        next_seat = seated[-1]["seat"] + 1 if seated else 1
        seat = next_seat if one.seat is None else one.seat
        seated.append({"seat": seat, "player": one.player, **({} if one.stack is None else {"stack": one.stack})})
    return seated


@dataclass(frozen=True, slots=True)
class Lineup:
    """
    The players of the next round by their seats. Without a stack, they carry over that of their last round.

    `carried` is the stack of every player at the end of the last round, and `left_out` the reason why a player does not
    play on.

    >>> lineup = Lineup({1: Sitting("ann", 1), 2: Sitting("ben", 2)}, {"ann": 236, "ben": 164})
    >>> lineup.without(["ben"]).joined_by([Sitting("dan", None, 200)]).write_command("friday")
    'ofc round open friday 1:ann 2:dan=200'
    """

    seated: Mapping[int, Sitting]
    carried: Mapping[str, int]
    left_out: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def carry_over(cls, last: CurrentRound) -> Self:
        """Return the lineup after a round: its players who have points left and did not leave, in their seats."""
        seats = last.round["seats"]
        departed = {departure["seat"] for departure in last.document["departures"]}
        left_out = {
            seat["player"]: "no points left" if not seat["stack"] else "left the last round"
            for seat in seats
            if not seat["stack"] or seat["seat"] in departed
        }
        seated = {seat["seat"]: Sitting(seat["player"]) for seat in seats if seat["player"] not in left_out}
        return cls(seated, {seat["player"]: seat["stack"] for seat in seats}, left_out)

    def joined_by(self, joining: Iterable[Sitting]) -> Self:
        """
        Return the lineup with more players, each in the given seat or in the first free one.

        A player of the lineup can get another stack or seat.

        Raises:
            UnreadableError: a seat is taken.
        """
        seated = dict(self.seated)
        for one in joining:
            before = next((seat for seat, other in seated.items() if other.player == one.player), None)
            if before is not None:
                del seated[before]
            seat = one.seat or before or next(seat for seat in range(1, len(seated) + 2) if seat not in seated)
            if seat in seated:
                raise UnreadableError(f"seat {seat} is taken by {seated[seat].player}")
            seated[seat] = one
        players = {one.player for one in seated.values()}
        left_out = {player: why for player, why in self.left_out.items() if player not in players}
        return replace(self, seated=dict(sorted(seated.items())), left_out=left_out)

    def without(self, leaving: Iterable[str]) -> Self:
        """
        Return the lineup without some players, each given by name, seat or both.

        Raises:
            UnreadableError: a player is not in the lineup.
        """
        seated, left_out = dict(self.seated), dict(self.left_out)
        for text in leaving:
            seat = match_seat({seat: one.player for seat, one in seated.items()}, text)
            if seat is None:
                raise UnreadableError(f"{text!r} does not play; expected players or seats with commas between them")
            left_out[seated.pop(seat).player] = "leaves"
        return replace(self, seated=seated, left_out=left_out)

    def write_seats(self) -> list[Document]:
        """Return the seats as a request has them."""
        return [
            {"seat": seat, "player": one.player, **({} if one.stack is None else {"stack": one.stack})}
            for seat, one in self.seated.items()
        ]

    def write_command(self, table: str) -> str:
        """Return the command that opens the round, with placeholders for fewer than two players."""
        stacks = {seat: "" if one.stack is None else f"={one.stack}" for seat, one in self.seated.items()}
        sitting = [f"{seat}:{one.player}{stacks[seat]}" for seat, one in self.seated.items()]
        return shlex.join(["ofc", "round", "open", table, *sitting, *["PLAYER=STACK"] * (2 - len(sitting))])

    def describe(self) -> str:
        """Return who plays with which stack, and who does not."""
        stacks = {
            seat: self.carried.get(one.player) if one.stack is None else one.stack for seat, one in self.seated.items()
        }
        players = [
            f"{seat} {one.player} {'with the stack of their last round' if stacks[seat] is None else stacks[seat]}"
            for seat, one in self.seated.items()
        ]
        described = f"Next round: {' · '.join(players) or 'no players'}"
        left_out = ", ".join(f"{player} ({why})" for player, why in self.left_out.items())
        return f"{described}\nLeft out: {left_out}" if left_out else described


def read_joining(text: str) -> list[Sitting]:
    """
    Parse the players who join, separated by commas or, after a stack, by spaces.

    >>> read_joining("dan=200, 4:eve lee=100 fay")
    [Sitting(player='dan', seat=None, stack=200), Sitting(player='eve lee', seat=4, stack=100), \
Sitting(player='fay', seat=None, stack=None)]

    Raises:
        UnreadableError: the text does not name players.
    """
    try:
        return [SITTING.convert(each, None, None) for each in split_names(re.sub(r"(=\d+)\s+", r"\1,", text))]
    except click.BadParameter as error:
        raise UnreadableError(error.message) from None


def split_names(text: str) -> list[str]:
    """
    Return the parts of a text between commas.

    >>> split_names("ben, cyd "), split_names("")
    (['ben', 'cyd'], [])
    """
    return [each.strip() for each in text.split(",") if each.strip()]


def offer_round(console: Console, asker: Asker, client: Client, last: CurrentRound) -> CurrentRound | None:
    """
    Prompt whether to open the next round of a table and with which players, and open it.

    Args:
        console: the output.
        asker: the source of replies.
        client: the service.
        last: the round that is over.

    Returns:
        the round, or None if none was opened.

    Raises:
        RefusedError: the round is refused, not because of its players.
        KeyboardInterrupt: the scorekeeper stopped.
    """
    lineup = Lineup.carry_over(last)
    console.print(f"No round is open at {last.table}: the last is {last.round['status']}.", soft_wrap=True)
    while True:
        console.print(Text(lineup.describe()))
        reply = ask_alone(asker, Question("Open the next round? [yes, no, or change who plays] ", _check))
        if reply in NO:
            console.print(f"No round was opened; `{lineup.write_command(last.table)}` opens it later.", soft_wrap=True)
            return None
        if reply in _CHANGE:
            lineup = _change(asker, client, last, lineup)
            continue
        try:
            seats: Any = lineup.write_seats()
            opened = client.open_round(last.round["table"], {"seats": seats})
        except RefusedError as error:
            if not _is_about_players(error):
                raise
            show_problem(console, error.problem)
            continue
        show_round(console, opened)
        console.print()
        return CurrentRound.read(client, last.table, opened)


def _check(reply: str) -> str | None:
    return None if reply in YES | NO | _CHANGE else "expected yes, no or change"


def _is_about_players(error: RefusedError) -> bool:
    mistakes = error.problem["errors"]
    return bool(mistakes) and all(each["pointer"].startswith(_SEATS) for each in mistakes)


def _change(asker: Asker, client: Client, last: CurrentRound, lineup: Lineup) -> Lineup:
    """Prompt for players who leave and join. Going back changes nothing."""
    try:
        leaving = asker.ask(
            _ask_players("Who leaves? [players, or Enter for none] ", lambda text: lineup.without(split_names(text)))
        )
        staying = lineup.without(split_names(leaving))
        joining = read_joining(
            asker.ask(
                _ask_players(
                    "Who joins? [such as dan=200, or Enter for none] ",
                    lambda text: staying.joined_by(read_joining(text)),
                )
            )
        )
    except BackError:
        return lineup
    new = [one.player for one in joining if one.player not in lineup.carried]
    names = resolve_names(client, last.round["table"], new, yes=False)
    return staying.joined_by(replace(one, player=names.get(one.player, one.player)) for one in joining)


def _ask_players(text: str, read: Callable[[str], object]) -> Question:
    """Build a question for players that `read` validates."""

    def check(reply: str) -> str | None:
        try:
            read(reply)
        except UnreadableError as error:
            return str(error)
        return None

    return Question(text, check)
