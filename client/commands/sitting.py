"""Who sits where with how much, as it is written on the command line."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import click

_WRITTEN: Final = re.compile(r"(?:(\d{1,4}):)?(.+?)(?:=(\d{1,16}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Sitting:
    """A player who sits down; without a seat in the next one, without a stack with what he has left."""

    player: str
    seat: int | None = None
    stack: int | None = None


class SittingType(click.ParamType[Sitting]):
    """Reads `ann`, `ann=200` and `3:ann=200`."""

    name = "player"

    def convert(self, value: Any, param: click.Parameter | None, context: click.Context | None) -> Sitting:
        """
        Read who sits down.

        >>> SITTING.convert("3:ann=200", None, None)
        Sitting(player='ann', seat=3, stack=200)
        >>> SITTING.convert("ann", None, None)
        Sitting(player='ann', seat=None, stack=None)
        """
        found = _WRITTEN.fullmatch(value)
        if found is None or (found[3] is None and "=" in value):
            self.fail(f"{value!r} does not say who sits down; ann=200, or ann with what she has left, is right")
        seat, player, stack = found.groups()
        return Sitting(player, int(seat) if seat else None, int(stack) if stack else None)


SITTING: Final = SittingType()


def seat_all(sitting: Iterable[Sitting]) -> list[dict[str, Any]]:
    """
    Give everyone a seat: the one that is named, or the one after the player before.

    >>> seat_all([Sitting("ann", None, 200), Sitting("ben", 3), Sitting("cyd")])
    [{'seat': 1, 'player': 'ann', 'stack': 200}, {'seat': 3, 'player': 'ben'}, {'seat': 4, 'player': 'cyd'}]
    """
    seated: list[dict[str, Any]] = []
    for one in sitting:
        following = seated[-1]["seat"] + 1 if seated else 1
        seat = following if one.seat is None else one.seat
        seated.append({"seat": seat, "player": one.player, **({} if one.stack is None else {"stack": one.stack})})
    return seated
