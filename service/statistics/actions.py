"""Statistics of players: read them, and compute those of rounds from their records."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Row

from schemas.accounting.statistics import NotedHand, OpponentFigures, PlayerDetails, PlayerFigures, StatisticsView
from scoring.bulk.sources import PointSources, split_points
from scoring.bulk.tally import HandTally, tally_hands
from scoring.ruleset import Points
from scoring.score import paying_order
from service.db import Database, Transaction
from service.errors import NotFound
from service.rulesets.actions import get_ruleset
from service.statistics.queries import measuring
from service.statistics.queries.measuring import Measured, RoundFigures, RoundOpponentFigures
from service.statistics.queries.sums import (
    FIGURES,
    OPPONENT_FIGURES,
    StatisticsFilter,
    has_played,
    list_noted_hands,
    list_noted_rounds,
    list_opponents,
    list_sums,
    list_totals,
    list_unmeasured,
    sort_players,
)

_MOST_MEASURED: Final = 200
"""The number of changed rounds that are measured while a client waits; workers measure the rest."""
MOST_NOTED: Final = 5
"""The number of best hands and of worst hands of a player."""


def list_statistics(transaction: Transaction, wanted: StatisticsFilter) -> StatisticsView:
    """Return the statistics of players over the rounds of a filter, in the revisions in force."""
    measured, is_complete = _measure_changed(transaction, wanted)
    return StatisticsView(
        players=_sum_players(list_sums(transaction, wanted), measured.players),
        is_complete=is_complete,
        opened_from=wanted.opened_from,
        opened_before=wanted.opened_before,
    )


@dataclass(frozen=True, slots=True)
class PlayerFiguresPage:
    """A part of the players' figures, the player after whom the next part begins, and whether rounds are missing."""

    players: list[PlayerFigures]
    next_after: str | None
    is_complete: bool


def list_players_by_id(
    transaction: Transaction, wanted: StatisticsFilter, *, after: str | None, limit: int
) -> PlayerFiguresPage:
    """List the statistics of the first players after `after`, in the order of their IDs."""
    measured, is_complete = _measure_changed(transaction, wanted)
    sums = list_sums(transaction, wanted, after=after, limit=limit + 1)
    order = [summed.player for summed in sums]
    if measured.players:
        known = {*order, *(each.player for each in measured.players)}
        order = sort_players(transaction, known, after=after, limit=limit + 1)
    shown = order[:limit]
    figures = {each.player: each for each in _sum_players(sums, measured.players)}
    return PlayerFiguresPage(
        [figures[player] for player in shown], shown[-1] if len(order) > limit else None, is_complete
    )


def list_players_by_figure(
    transaction: Transaction, wanted: StatisticsFilter, figure: str, *, after: tuple[int, str] | None, limit: int
) -> PlayerFiguresPage:
    """
    List the statistics of the first players after a place in the order of a figure, most first, then by their IDs.

    Args:
        transaction: a transaction of the club.
        wanted: the filter.
        figure: the name of the figure.
        after: the place: the figure of a player, with the opposite sign, and their ID.
        limit: the number of players.
    """
    measured, is_complete = _measure_changed(transaction, wanted)
    totals = Counter({each.player: int(each.total) for each in list_totals(transaction, wanted, figure)})
    for changed in measured.players:
        totals[changed.player] += getattr(changed, figure)
    places = sorted((-total, player) for player, total in totals.items())
    following = [player for value, player in places if after is None or (value, player) > after]
    shown = following[:limit]
    changed_of_shown = [each for each in measured.players if each.player in shown]
    sums = list_sums(transaction, wanted, players=shown)
    figures = {each.player: each for each in _sum_players(sums, changed_of_shown)}
    return PlayerFiguresPage(
        [figures[player] for player in shown], shown[-1] if len(following) > limit else None, is_complete
    )


def get_player_details(transaction: Transaction, wanted: StatisticsFilter) -> PlayerDetails:
    """
    Return the statistics of one player, those against each opponent, most hands first, and the best and worst hands.

    Raises:
        NotFound: the player has played no round of the club.
    """
    player = wanted.player
    assert player is not None, "the player of the page"
    measured, is_complete = _measure_changed(transaction, wanted)
    [figures] = _sum_players(list_sums(transaction, wanted), measured.players) or [PlayerFigures(player)]
    if not figures.hands and not has_played(transaction, player):
        raise NotFound(f"the player {player!r} has played no round")
    noted = {*list_noted_rounds(transaction, wanted, MOST_NOTED)}
    noted |= {each.round_id for each in measured.players}
    hands = list_noted_hands(transaction, player, noted)
    opponents = _sum_opponents(list_opponents(transaction, wanted), measured.opponents)
    return PlayerDetails(
        figures=figures,
        opponents=sorted(opponents, key=lambda each: (-each.hands, each.opponent)),
        best=sorted(hands, key=lambda hand: (-hand.points, *_place(hand)))[:MOST_NOTED],
        worst=sorted(hands, key=lambda hand: (hand.points, *_place(hand)))[:MOST_NOTED],
        is_complete=is_complete,
    )


def _place(hand: NotedHand) -> tuple[datetime, UUID, int]:
    return hand.opened_at, hand.round_id, hand.number


def _measure_changed(transaction: Transaction, wanted: StatisticsFilter) -> tuple[Measured, bool]:
    """Return the figures of players of a filter in rounds that have changed, and whether these are all."""
    changed = list_unmeasured(transaction, wanted, _MOST_MEASURED + 1)
    measured = measure_rounds(transaction, changed[:_MOST_MEASURED]) if changed else Measured([], [])
    included = Measured(
        [each for each in measured.players if each.hands and wanted.includes(each.player)],
        [each for each in measured.opponents if wanted.includes(each.player)],
    )
    return included, len(changed) <= _MOST_MEASURED


def _sum_players(sums: Iterable[Row[Any]], measured: Iterable[RoundFigures]) -> list[PlayerFigures]:
    figures = _sum_up([(summed.player, summed) for summed in sums], [(each.player, each) for each in measured], FIGURES)
    return [PlayerFigures(player, **summed) for player, summed in figures.items()]


def _sum_opponents(sums: Iterable[Row[Any]], measured: Iterable[RoundOpponentFigures]) -> list[OpponentFigures]:
    stored = [(summed.opponent, summed) for summed in sums]
    figures = _sum_up(stored, [(each.opponent, each) for each in measured], OPPONENT_FIGURES)
    return [OpponentFigures(opponent, **summed) for opponent, summed in figures.items()]


def _sum_up(
    stored: Iterable[tuple[str, Row[Any]]], measured: Iterable[tuple[str, Any]], names: tuple[str, ...]
) -> dict[str, dict[str, int]]:
    """Add the figures of changed rounds to the stored sums."""
    figures: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(("rounds", *names), 0))
    for of, summed in stored:
        figures[of] = {name: int(getattr(summed, name)) for name in ("rounds", *names)}
    for of, each in measured:
        sums = figures[of]
        sums["rounds"] += 1
        for name in names:
            sums[name] += getattr(each, name)
    return figures


def get_player_statistics(transaction: Transaction, wanted: StatisticsFilter) -> StatisticsView:
    """
    Return the statistics of one player, as `list_statistics` does; all figures are 0 if no round matches.

    Raises:
        NotFound: the player has played no round of the club.
    """
    player = wanted.player
    assert player is not None, "the player of the path"
    view = list_statistics(transaction, wanted)
    if not view.players:
        if not has_played(transaction, player):
            raise NotFound(f"the player {player!r} has played no round")
        view.players.append(PlayerFigures(player=player))
    return view


_AT_ONCE: Final = 500
"""The number of changes of rounds that are taken into account in one transaction."""
MOST_AT_A_TIME: Final = 5000
"""The number of changes of one club that are taken into account before the next club's turn."""


def update_statistics(database: Database, club_id: UUID) -> int:
    """
    Update the statistics of rounds that have changed, and return the number of rounds.

    It can be interrupted at any time, and several processes may call it at once: one of them does the work.
    """
    updated = 0
    while updated < MOST_AT_A_TIME:
        with database.transaction(club_id) as transaction:
            changed = measuring.take_unmeasured(transaction, _AT_ONCE) if measuring.try_lock(transaction) else set()
            if changed:
                measuring.replace_statistics(transaction, changed, measure_rounds(transaction, changed))
        updated += len(changed)
        if not changed:
            break
    return updated


def compute_again(database: Database, club_id: UUID, round_id: UUID | None = None) -> int:
    """
    Have workers compute the statistics of a round of a club again, or of all rounds. Returns the number of rounds.

    Raises:
        NotFound: the club does not have the round.
    """
    with database.transaction(club_id) as transaction:
        added = measuring.add_unmeasured(transaction, round_id)
    if round_id is not None and not added:
        raise NotFound(f"The club has no round {round_id}.")
    return added


def measure_rounds(transaction: Transaction, round_ids: Collection[UUID]) -> Measured:
    """Compute the figures of the players of rounds, and of each against each opponent, in the revisions in force."""
    figures: dict[tuple[UUID, int], RoundFigures] = {}
    revisions: dict[UUID, int] = {}
    for sitting in measuring.list_seats(transaction, round_ids):
        revisions[sitting.round_id] = sitting.revision
        figures[sitting.round_id, sitting.seat] = _begin(sitting)
    opponents: dict[tuple[UUID, int, int], RoundOpponentFigures] = {}
    # Before the hands: a hand can be recorded in between, and without it its payments would be of no opponents.
    payments = measuring.list_paid(transaction, revisions)
    hands = measuring.list_hands(transaction, revisions)
    for hand, (tally, sources) in zip(hands, _tally(transaction, hands), strict=True):
        for index, seat in enumerate(hand.seats):
            _count(figures[hand.round_id, seat], hand, tally, sources[index], index)
        for one, other, points, scoop in _pairs(hand, tally):
            for of, opponent, sign in ((one, other, 1), (other, one, -1)):
                pair = opponents.get((hand.round_id, of, opponent))
                if pair is None:
                    pair = _begin_pair(figures[hand.round_id, of], figures[hand.round_id, opponent])
                    opponents[hand.round_id, of, opponent] = pair
                _count_pair(pair, sign * points, sign * scoop)
    for found in payments:
        payer, payee = figures[found.round_id, found.payer], figures[found.round_id, found.payee]
        paid, unpaid = int(found.paid), int(found.unpaid)
        payee.received += paid
        payee.not_received += unpaid
        payer.paid += paid
        payer.not_paid += unpaid
        opponents[found.round_id, found.payee, found.payer].paid += paid
        opponents[found.round_id, found.payer, found.payee].paid -= paid
    return Measured(list(figures.values()), list(opponents.values()))


def _begin(seat: Row[Any]) -> RoundFigures:
    return RoundFigures(
        round_id=seat.round_id,
        player=seat.player,
        table_id=seat.table_id,
        ruleset_name=seat.ruleset_name,
        ruleset_version=seat.ruleset_version,
        opened_at=seat.opened_at,
        place=seat.place,
        point_value=seat.point_value,
        currency=seat.currency,
        top_ups=seat.top_ups,
    )


def _begin_pair(of: RoundFigures, opponent: RoundFigures) -> RoundOpponentFigures:
    return RoundOpponentFigures(
        of.round_id, of.player, opponent.player, of.table_id, of.ruleset_name, of.ruleset_version, of.opened_at
    )


def _pairs(hand: Row[Any], tally: HandTally) -> Iterator[tuple[int, int, Points, int]]:
    """Yield the seats of each pair, the points of the first, and 1 or -1 if the first scooped the second or reverse."""
    seats = hand.seats
    scoops = {(seats[winner], seats[loser]) for winner, loser in tally.scoops}
    pairs = combinations(paying_order(seats, hand.button), 2)
    for (first, second), points in zip(pairs, hand.exchanges, strict=True):
        yield first, second, points, ((first, second) in scoops) - ((second, first) in scoops)


def _count_pair(found: RoundOpponentFigures, points: Points, scoop: int) -> None:
    """Add the figures of a pair in a hand."""
    found.hands += 1
    found.points += points
    found.squares += points * points
    found.scoops += scoop > 0
    found.scooped += scoop < 0


def _tally(transaction: Transaction, hands: Collection[Row[Any]]) -> list[tuple[HandTally, Sequence[PointSources]]]:
    """Return royalties by row and scoops of each hand, and the points of its players by source."""
    alike: dict[tuple[str, int, int], list[int]] = defaultdict(list)
    boards: dict[tuple[str, int, int], list[bytes]] = defaultdict(list)
    for place, hand in enumerate(hands):
        kind = hand.ruleset_name, hand.ruleset_version, len(hand.seats)
        alike[kind].append(place)
        boards[kind].append(hand.boards)
    counted: dict[int, tuple[HandTally, Sequence[PointSources]]] = {}
    for (name, version, count), places in alike.items():
        ruleset = get_ruleset(transaction, f"{name}@{version}")
        packed = b"".join(boards[name, version, count])
        tallies, sources = tally_hands(ruleset, packed, count), split_points(ruleset, packed, count)
        counted.update(zip(places, zip(tallies, sources, strict=True), strict=True))
    return [counted[place] for place in range(len(hands))]


def _count(found: RoundFigures, hand: Row[Any], tally: HandTally, sources: PointSources, index: int) -> None:
    """Add the figures of the player with this index in the hand."""
    points, in_fantasyland, earned = hand.points[index], hand.fantasyland[index] > 0, hand.earned[index] > 0
    top, middle, bottom = tally.royalties[index]
    found.best = max(found.best, points) if found.hands else points
    found.worst = min(found.worst, points) if found.hands else points
    found.hands += 1
    found.points += points
    found.points_by_hand.append(points)
    found.squares += points * points
    found.fouls += hand.fouls[index]
    found.fantasyland_hands += in_fantasyland
    found.fantasyland_entered += earned and not in_fantasyland
    found.fantasyland_stayed += earned and in_fantasyland
    found.royalties_top += top
    found.royalties_middle += middle
    found.royalties_bottom += bottom
    found.scoops += sum(winner == index for winner, _ in tally.scoops)
    if not in_fantasyland:
        found.from_rows += sources.rows
        found.from_bonuses += sources.bonuses
        found.from_royalties += sources.royalties
        found.from_fouls += sources.fouls
