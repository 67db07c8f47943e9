"""Checks that several actions share: times, the number of points, expected results, and authors."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID

from schemas.fields import FIRST_DATE, show_time
from schemas.money import refuse_inexact
from schemas.problems import find_unexpected
from scoring.errors import Mistake, Path, RoundError
from scoring.history import History, Step, replay_steps
from scoring.round import PlayedHand
from scoring.round_state import Round
from service.clubs.queries import keys
from service.db import Transaction
from service.errors import DisputeInvalid, ExpectedDiffers, RoundChanged
from service.players.queries.aliases import Aliases
from service.rounds.queries.stored_round import StoredRound

TOLERANCE: Final = timedelta(minutes=5)
"""How far the clock of a client may be ahead of the server's."""
EARLIEST: Final = datetime.combine(FIRST_DATE, time.min, UTC)
"""The earliest time of a round or hand: filters accept no earlier day."""


def find_time_mistakes(now: datetime, times: Iterable[tuple[Path, datetime | None]]) -> Iterator[Mistake]:
    """
    List the times of a request that cannot be those of a round or hand: in the future, or before `EARLIEST`.

    >>> now = datetime(2026, 11, 20, 20, tzinfo=UTC)
    >>> times = [(("opened_at",), now), (("hands", 0, "played_at"), now + TOLERANCE * 2)]
    >>> [(mistake.code, mistake.path) for mistake in find_time_mistakes(now, times)]
    [('time-in-future', ('hands', 0, 'played_at'))]
    """
    latest = now + TOLERANCE
    for path, moment in times:
        if moment is None or EARLIEST <= moment <= latest:
            continue
        shown = f"is {show_time(moment)}"
        if moment > latest:
            minutes = TOLERANCE // timedelta(minutes=1)
            expected = f"at most {minutes} minutes after the server's time, {show_time(now)}"
            yield Mistake("time-in-future", path, f"{shown}, in the future; expected {expected}")
        else:
            yield Mistake("time-too-early", path, f"{shown}; expected {show_time(EARLIEST)} or later")


def refuse_aliases_together(aliases: Aliases, players: Sequence[str], *place: str) -> None:
    """
    Check that no player sits in a round under two IDs.

    >>> refuse_aliases_together(Aliases({"bobby": "bob"}), ["bob", "ann", "bobby"])
    Traceback (most recent call last):
    scoring.errors.RoundError: player 'bobby' is player 'bob', who sits in the round too; expected one seat per player

    Args:
        aliases: those of the club, held until the round is written.
        players: the IDs, in the order of `seats` in the request.
        place: the place of `seats` in the request.

    Raises:
        RoundError: two IDs are of one player.
    """
    seated: dict[str, str] = {}
    mistakes = []
    for index, known_as in enumerate(players):
        other = seated.setdefault(aliases.player_of(known_as), known_as)
        if other != known_as:
            detail = f"player {known_as!r} is player {other!r}, who sits in the round too; expected one seat per player"
            mistakes.append(Mistake("player-twice", (*place, "seats", index, "player"), detail))
    if mistakes:
        raise RoundError(mistakes)


def replay_exactly(opened: Round, history: History, point_value: int | None) -> Iterator[Step]:
    """
    Replay the steps of a round in order, and check the number of points after each top-up.

    Raises:
        ScoringError: a step is invalid, with its path in the document.
    """
    for step in replay_steps(opened, history):
        if isinstance(step, PlayedHand) and step.hand.top_ups:
            refuse_inexact(step.round, point_value, "hands", step.hand.number - 1, "top_ups")
        yield step


def check_expected(expected: Mapping[str, Any] | None, document: Mapping[str, Any]) -> None:
    """
    Compare the values that a request expects with the response.

    Raises:
        ExpectedDiffers: with the expected and the actual value of every difference.
    """
    mistakes = tuple(find_unexpected(expected, document)) if expected is not None else ()
    if mistakes:
        raise ExpectedDiffers("the result differs from `expected`; nothing was stored", mistakes)


def require_version(round_: StoredRound, version: int) -> None:
    """
    Check that a locked round has the version that the client read.

    Raises:
        RoundChanged: it has another one.
    """
    if round_.version != version:
        detail = f"the request is for version {version} of the round; expected version {round_.version}"
        raise RoundChanged(detail, (Mistake("round-changed", ("version",), detail),))


def require_author(
    transaction: Transaction,
    round_: StoredRound,
    by: str,
    others: Iterable[str | None] = (),
    other_keys: Mapping[str, UUID] = MappingProxyType({}),
) -> UUID | None:
    """
    Check that the author of a dispute or comment is a player of the round, or the name of the key.

    A client can submit the words of a player, and its key is recorded. It cannot use the name of another key.

    Args:
        transaction: the transaction of the request.
        round_: the round.
        by: the name of the author.
        others: further accepted names, such as that of the player who opened the dispute and has since been removed.
        other_keys: further keys that can be the author, by their names.

    Returns:
        The ID of the key, if it is the author; None for a player.

    Raises:
        DisputeInvalid: the name is not accepted.
    """
    players = [seat.player for seat in round_.round.seats]
    if by in players:
        return None
    # A link is not an author: its player is one of the round.
    is_key = transaction.actor is not None and not transaction.is_link
    key = None if transaction.actor is None or not is_key else keys.get(transaction, transaction.actor).name
    if by == key:
        return transaction.actor
    if by in others:
        return None
    if by in other_keys:
        return other_keys[by]
    or_key = "" if key is None else f", or {key!r}, the name of the key"
    seated = ", ".join(map(repr, players))
    detail = f"`by` is {by!r}; expected a player seated in the round ({seated}){or_key}"
    raise DisputeInvalid(
        "`by` names neither a player of the round nor the key", (Mistake("author-unknown", ("by",), detail),)
    )
