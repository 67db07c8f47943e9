"""The results of the hands and rounds that events are about, read for a whole page of events at once."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

import orjson
from sqlalchemy import Row, text

from evidence import read_event
from evidence.events import EventKind
from schemas.feed.events import EventResult, FeedEvent
from scoring.hand import Seat
from scoring.ruleset import Points
from service.db import Transaction
from service.rounds.queries.transfers import list_with_hands

# The event of a closing does not name the revision: it is the first with this closing. For a hand: its first result, in
# the revision in which it was recorded. For a revision: the result after a hand, or after the last one, with what was
# paid when the round ended. Top-ups are few, so only hands that have some are read.
_RESULTS: Final = text("""
    SELECT wanted.position, coalesce(score.revision, wanted.revision) AS revision, score.number, score.points,
        hand.seats AS dealt, coalesce(payout.stacks, score.stacks) AS stacks,
        seating.seats, seating.players, seating.opening_stacks, added.top_ups
    FROM (
        SELECT position, round_id, number, hand_id, CASE WHEN closed_at IS NULL THEN revision ELSE coalesce((
            SELECT min(revision) FROM closings
            WHERE club_id = :club_id AND round_id = each.round_id AND recorded_at = each.closed_at
        ), 0) END AS revision
        FROM unnest(CAST(:positions AS bigint[]), CAST(:round_ids AS uuid[]), CAST(:revisions AS integer[]),
            CAST(:numbers AS integer[]), CAST(:hand_ids AS uuid[]), CAST(:closings AS timestamptz[]))
            AS each (position, round_id, revision, number, hand_id, closed_at)
    ) AS wanted
    LEFT JOIN LATERAL (
        SELECT revision, number, hand_id, points, stacks FROM hand_scores
        WHERE club_id = :club_id AND round_id = wanted.round_id
            AND (wanted.revision IS NULL OR revision = wanted.revision)
            AND (wanted.number IS NULL OR number <= wanted.number)
            AND (wanted.hand_id IS NULL OR hand_id = wanted.hand_id)
        ORDER BY revision, number DESC LIMIT 1
    ) AS score ON true
    LEFT JOIN hands AS hand ON wanted.hand_id IS NOT NULL AND hand.club_id = :club_id AND hand.id = score.hand_id
    LEFT JOIN payouts AS payout ON wanted.hand_id IS NULL AND payout.club_id = :club_id
        AND payout.round_id = wanted.round_id AND payout.revision = score.revision AND payout.number = score.number
    CROSS JOIN LATERAL (
        SELECT array_agg(seat ORDER BY seat) AS seats, array_agg(player ORDER BY seat) AS players,
            array_agg(opening_stack ORDER BY seat) AS opening_stacks
        FROM round_seats WHERE club_id = :club_id AND round_id = wanted.round_id
            AND revision = coalesce(score.revision, wanted.revision)
    ) AS seating
    CROSS JOIN LATERAL (
        SELECT array_agg(top_ups) AS top_ups FROM hand_scores
        WHERE club_id = :club_id AND round_id = wanted.round_id AND revision = score.revision
            AND number <= score.number AND 0 < ANY (top_ups)
    ) AS added
""")
_OF_REVISION: Final = (
    EventKind.HAND_WITHDRAWN,
    EventKind.ROUND_CLOSED,
    EventKind.ROUND_CORRECTED,
    EventKind.ROUND_RECOMPUTED,
    EventKind.SETTLEMENT_CONFIRMED,
    EventKind.SETTLEMENT_FINALIZED,
)


def add_results(transaction: Transaction, events: Sequence[FeedEvent]) -> list[FeedEvent]:
    """Return events with the results of their hands and rounds, which takes two queries at most."""
    wanted = [each for each in map(_find_wanted, events) if each is not None]
    if not wanted:
        return list(events)
    names = ("positions", "round_ids", "revisions", "numbers", "hand_ids", "closings")
    parameters = dict(zip(names, map(list, zip(*wanted, strict=True)), strict=True))
    found = {
        each.position: each for each in transaction.execute(_RESULTS, {"club_id": transaction.club_id, **parameters})
    }
    round_ids = {position: round_id for position, round_id, *_ in wanted}
    hands = {
        position: (round_ids[position], each.revision, each.number) for position, each in found.items() if each.dealt
    }
    transfers = list_with_hands(transaction, set(hands.values())) if hands else {}
    results = {
        position: _build_result(each, transfers.get(hands[position], ()) if position in hands else None)
        for position, each in found.items()
        if each.seats
    }
    return [replace(event, result=results.get(event.position)) for event in events]


class _Wanted(NamedTuple):
    """The result of an event: that of a hand, of a revision until a hand, or of the revision of a closing."""

    position: int
    round_id: UUID
    revision: int | None = None
    number: int | None = None
    hand_id: UUID | None = None
    closed_at: datetime | None = None


def _find_wanted(event: FeedEvent) -> _Wanted | None:
    """Return what is read for an event; None if it has no result."""
    read = read_event(event.written)
    if read.round_id is None:
        return None
    if read.kind == EventKind.HAND_RECORDED:
        content = orjson.loads(read.content)
        return _Wanted(event.position, read.round_id, None, content["hand"]["number"], UUID(content["id"]))
    if read.kind not in _OF_REVISION:
        return None
    content = orjson.loads(read.content)
    # Hands that are recorded later count in the same revision, and are no part of this result.
    match read.kind:
        case EventKind.ROUND_CLOSED:
            return _Wanted(event.position, read.round_id, closed_at=read.at)
        case EventKind.HAND_WITHDRAWN:
            return _Wanted(event.position, read.round_id, content["revision"], content["number"] - 1)
        case EventKind.ROUND_CORRECTED:
            return _Wanted(event.position, read.round_id, content["revision"], len(content["hands"]))
    return _Wanted(event.position, read.round_id, content["revision"])


def _build_result(found: Row[Any], transfers: Any) -> EventResult:
    brought = [sum(points) for points in zip(found.opening_stacks, *(found.top_ups or ()), strict=True)]
    stacks = found.stacks or found.opening_stacks

    def by_seat(points: Sequence[Points]) -> Mapping[Seat, Points]:
        return dict(zip(found.seats, points, strict=True))

    return EventResult(
        revision=found.revision,
        players=dict(zip(found.seats, found.players, strict=True)),
        stacks=by_seat(stacks),
        net=by_seat([stack - points for stack, points in zip(stacks, brought, strict=True)]),
        points=None if transfers is None else dict(zip(found.dealt, found.points, strict=True)),
        transfers=transfers,
    )
