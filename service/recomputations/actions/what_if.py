"""What the players of a table would have won under another ruleset. Nothing is stored."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from schemas.money import Unit
from schemas.problems import sentence_of
from scoring.errors import ScoringError
from scoring.history import PlayedRound, accept_irregular, replay, without_needless_marks
from scoring.ruleset import Points, Ruleset
from service.db import Transaction
from service.players.queries.aliases import read_aliases
from service.rounds.queries import rounds
from service.rounds.queries.records import RoundRecords, read_records
from service.rounds.queries.round_filter import RoundFilter

MOST_ROUNDS: Final = 100
"""The number of rounds that are replayed: the newest of the table, which take about a second."""


@dataclass(frozen=True, slots=True)
class PlayerWhatIf:
    """
    The net points of a player over the replayed rounds.

    Attributes:
        before: as recorded.
        after: under the other ruleset.
        money: the difference in minor units, by unit; rounds without a point value are omitted.
    """

    player: str
    before: Points
    after: Points
    money: Mapping[Unit, int]

    @property
    def change(self) -> Points:
        """How many points more the player would have won; fewer below zero."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class RefusedRound:
    """A round that the other ruleset cannot replay, and why."""

    id: UUID
    opened_at: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class TableWhatIf:
    """
    The newest rounds of a table under another ruleset.

    Attributes:
        rounds, hands: the number of replayed rounds and hands.
        has_more: whether the table has older rounds, which were not replayed.
        players: the players of the replayed rounds, the largest gain first.
        refused: the rounds that the other ruleset cannot replay.
    """

    rounds: int
    hands: int
    has_more: bool
    players: Sequence[PlayerWhatIf]
    refused: Sequence[RefusedRound]

    @property
    def units(self) -> list[Unit]:
        """The units of the money of its players, by their codes."""
        return sorted({unit for each in self.players for unit in each.money}, key=lambda unit: unit.code)


def replay_table(transaction: Transaction, table_id: UUID, ruleset: Ruleset, *, most: int = MOST_ROUNDS) -> TableWhatIf:
    """
    Replay the newest rounds of a table that have ended under another ruleset, and sum up the net points.

    As in every what-if, hands, top-ups and departures are accepted as played. The number of statements does not depend
    on the number of rounds.
    """
    page = rounds.list_page(transaction, RoundFilter(table_id=table_id), limit=most + 1)
    ended = {each.id: each for each in page[:most] if not each.round.is_open}
    before: Counter[str] = Counter()
    after: Counter[str] = Counter()
    money: dict[str, Counter[Unit]] = defaultdict(Counter)
    refused = []
    hands, aliases = 0, read_aliases(transaction)
    for recorded in read_records(transaction, list(ended)):
        stored = ended[recorded.id]
        try:
            played = _replay(recorded, ruleset)
        except ScoringError as error:
            refused.append(RefusedRound(recorded.id, stored.opened_at, sentence_of(error.mistakes[0])))
            continue
        hands += len(played.hands)
        for seat in stored.round.seats:
            was, is_now = stored.round.nets[seat.seat], played.round.nets[seat.seat]
            player = aliases.player_of(seat.player)
            before[player] += was
            after[player] += is_now
            if stored.point_value is not None and stored.unit is not None:
                money[player][stored.unit] += (is_now - was) * stored.point_value
    players = [PlayerWhatIf(player, before[player], after[player], money[player]) for player in before]
    players.sort(key=lambda each: (-each.change, each.player))
    return TableWhatIf(len(ended) - len(refused), hands, len(page) > most, players, refused)


def _replay(recorded: RoundRecords, ruleset: Ruleset) -> PlayedRound:
    """
    Replay a round under another ruleset, with everything accepted as played.

    Raises:
        ScoringError: the ruleset cannot replay it, for example because it had too many players.
    """
    history = replace(recorded.history(ruleset), irregular=frozenset(), is_what_if=True)
    try:
        return replay(history)
    except ScoringError:
        # A hand does not follow the hands before it. Most rounds have none, and to find it takes several replays.
        return replay(without_needless_marks(accept_irregular(history)))
