"""Hands: record, list, read and score them."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Lock
from typing import Any, Final
from uuid import UUID

from flask import Response

from schemas.base import MOST_SHOWN, WireError
from schemas.hand_lines import MOST_LINES, HandLine, dump_hand_line, parse_hand_line
from schemas.hands import HandRequestSchema, SubmittedHand
from schemas.metadata import MetadataChangesSchema
from schemas.problems import dump_mistakes, refuse
from schemas.scores import (
    FoundHandPageSchema,
    HandFilterSchema,
    HandPageSchema,
    HandQuerySchema,
    HandScoreSchema,
    RecordedHandWithRoundSchema,
    ScoreRequest,
    ScoreRequestSchema,
    dump_hand_with_round,
    dump_listed_hand,
    dump_recorded_hand,
    dump_single_hand,
)
from scoring.errors import Mistake
from service.clubs.scopes import KeyScope
from service.db import Transaction
from service.errors import BatchesBusy, Busy
from service.http.authentication import Reach, current_transaction
from service.http.idempotency import forget_response
from service.http.problems import build_problem
from service.http.request_body import NDJSON, NDJSON_SCHEMA, receive_body, receive_lines
from service.http.request_state import current_request
from service.http.resource import Resource
from service.http.responses import (
    LOCATION,
    NEXT_PAGE,
    REPLAYED,
    created_response,
    encode_json,
    json_response,
    respond_page,
)
from service.ledger.actions.hand_charges import HandCharges
from service.memory import no_garbage_collection
from service.places import Places
from service.rounds.actions.checks import check_expected
from service.rounds.actions.metadata import update_hand
from service.rounds.actions.reading import find_hands, get_hand, list_hands, score_hand
from service.rounds.actions.recording import HandResult, find_hand_mistakes, queries_ahead, record_hand
from service.rounds.actions.recording_many import LineResult, record_hands
from service.rounds.queries.hand_filters import HandFilter

MOST_BATCHES: Final = 5
"""Maximum number of batches in a process, which leaves three of its threads to other requests."""
MOST_BATCHES_OF_CLUB: Final = 4
"""Maximum number of those of one club, which leaves a place to the others."""
_RETRY_SECONDS: Final = 1
_places: Final = Places(MOST_BATCHES_OF_CLUB)
_turn: Final = Lock()


@contextmanager
def batch_turn(club_id: UUID) -> Iterator[None]:
    """
    Wait until no other batch is recorded in this process.

    A batch computes for as long as a hundred single hands. Two at once would not be faster, because only one thread of
    a process computes at a time, and every single hand would wait for both.

    Raises:
        BatchesBusy: too many batches are waiting already.
    """
    with batch_place(club_id), _turn:
        yield


@contextmanager
def batch_place(club_id: UUID) -> Iterator[None]:
    """
    Take one of the places for batches.

    Raises:
        BatchesBusy: all are taken, or all that one club can have.
    """
    if not _places.take(club_id, MOST_BATCHES):
        raise BatchesBusy(
            f"this process records many batches of hands already; expected at most {MOST_BATCHES_OF_CLUB} of a club and"
            f" {MOST_BATCHES} of all clubs at a time: retry when one of them has ended",
            _RETRY_SECONDS,
        )
    try:
        yield
    finally:
        _places.release(club_id)


hands = Resource("hands", __name__, description="Hands, in the order in which they were played.")


def _find_hand_mistakes(received: Any, round_id: UUID) -> Iterator[Mistake]:
    return find_hand_mistakes(current_transaction(), round_id, received)


@hands.route("/v1/rounds/<uuid:round_id>/hands", methods=["POST"])
@hands.operation("record_hand", KeyScope.WRITE, by_link=Reach.TABLE, records=True, ahead=queries_ahead)
@hands.arguments(HandRequestSchema, find_more=_find_hand_mistakes)
@hands.response(201, RecordedHandWithRoundSchema, headers=LOCATION | REPLAYED)
def post_hand(submitted: SubmittedHand, round_id: UUID) -> Response:
    """
    Record the next hand of a round: validate, score and settle it.

    The same hand sent again returns the stored record; another hand with its number is a conflict. So is a hand that
    was undone: the problem names its record, and the hand counts again if it is sent with that ID in `restores`. A hand
    that was corrected since is returned as it was recorded, with `in_force` false. A replay changes no metadata. A hand
    that counts again has the reference and the metadata that it had, unless the request has others.
    `charges` are recorded together with the hand, or refused with it.
    """
    transaction = current_transaction()
    result = record_hand(transaction, round_id, submitted, receive_body(), HandCharges(transaction))
    document = _dump_result(result)
    if not result.is_replay:
        check_expected(submitted.expected, document)
    return created_response(document, f"/v1/hands/{result.recorded.id}", is_replay=result.is_replay)


_LINES: Final = {
    "required": True,
    "description": "One hand per line, at most 500: the request body of `POST /v1/rounds/{round_id}/hands` with the"
    ' field `round`, which is the ID of a round or `{"table": NAME, "reference": REFERENCE}`.',
    "content": {NDJSON: {"schema": NDJSON_SCHEMA}},
}


@hands.route("/v1/hands", methods=["POST"])
@hands.operation("record_hands", KeyScope.WRITE, by_link=Reach.TABLE, records=True, forms=(NDJSON,))
@hands.doc(requestBody=_LINES)
@hands.response(
    200,
    NDJSON_SCHEMA,
    content_type=NDJSON,
    headers=REPLAYED,
    description="The result of each line, in order: one `HandLineResult` per line.",
)
def post_hands() -> Response:
    """
    Record up to 500 hands of any rounds of the club: NDJSON, one hand per line.

    Each line is recorded as by `POST /v1/rounds/{round_id}/hands`, with the same checks. A hand that is refused, or was
    undone before, stops its round: later hands of that round are not attempted. It never affects other rounds, and the
    response is a 200. All hands are written in one transaction. The same lines sent again are replays, also without an
    idempotency key. A line refused as `busy` can be recorded by a retry, so the response is not stored under the
    idempotency key.
    """
    transaction = current_transaction()
    with batch_turn(transaction.club_id), no_garbage_collection():
        return Response(_record_lines(transaction), content_type=NDJSON)


def _record_lines(transaction: Transaction) -> bytes:
    """Record the lines of the request, and encode their results, which no collection finds after the call."""
    results = record_hands(transaction, _read_lines(), _check_line, partial(HandCharges, transaction))
    if any(isinstance(result.error, Busy) for result in results):
        forget_response()
    return b"".join(map(_encode_result, results))


def _read_lines() -> list[HandLine]:
    lines = receive_lines()
    if not 1 <= len(lines) <= MOST_LINES:
        length = f"has {len(lines)} lines" if lines else "is empty"
        raise WireError((Mistake("list-length", (), f"{length}; expected 1 to {MOST_LINES} lines"),))
    return [parse_hand_line(number, line) for number, line in lines]


def _check_line(line: HandLine, result: HandResult) -> None:
    if not isinstance(line.hand, WireError) and line.hand.expected is not None:
        check_expected(line.hand.expected, _dump_result(result))


def _dump_result(result: HandResult) -> dict[str, Any]:
    return dump_hand_with_round(result.recorded, result.view)


def _encode_result(result: LineResult) -> bytes:
    hand = None if result.result is None else _dump_result(result.result)
    problem = None
    if result.error is not None:
        refusal = refuse(result.error)
        errors = dump_mistakes(refusal.mistakes[:MOST_SHOWN])
        problem = build_problem(refusal.code, refusal.detail, errors, current_request().request_id)
    round_id = None if result.round_id is None else str(result.round_id)
    return encode_json(dump_hand_line(result.line.number, result.status, round_id, hand, problem)) + b"\n"


@hands.route("/v1/rounds/<uuid:round_id>/hands", methods=["GET"])
@hands.operation("list_hands", KeyScope.READ, by_link=Reach.ROUND)
@hands.arguments(HandQuerySchema, location="query")
@hands.response(200, HandPageSchema, headers=NEXT_PAGE)
def get_hands(query: dict[str, Any], round_id: UUID) -> Response:
    """List the hands of a round in the order in which they were played, for the newest revision or an older one."""
    after = query.pop("cursor")
    page = list_hands(current_transaction(), round_id, after=after, **query)
    return respond_page("hands", [dump_listed_hand(hand) for hand in page.items], page.next_after)


@hands.route("/v1/hands", methods=["GET"])
@hands.operation("find_hands", KeyScope.READ, by_link=Reach.TABLE)
@hands.arguments(HandFilterSchema, location="query")
@hands.response(200, FoundHandPageSchema, headers=NEXT_PAGE)
def get_hands_of_club(query: dict[str, Any]) -> Response:
    """
    List the hands in force of all rounds of the club, newest recorded first.

    The filters are player, table, period, ruleset, foul boards and Fantasyland. A hand that was undone or corrected is
    not listed; the record that replaces it is.
    """
    after, limit = query.pop("cursor"), query.pop("limit")
    page = find_hands(current_transaction(), HandFilter(**query), after=after, limit=limit)
    shown = [{**dump_recorded_hand(hand), "round": hand.round_id} for hand in page.items]
    return respond_page("hands", shown, page.next_after)


@hands.route("/v1/hands/<uuid:hand_id>", methods=["GET"])
@hands.operation("get_hand", KeyScope.READ, by_link=Reach.ROUND)
@hands.response(200, RecordedHandWithRoundSchema)
def get_one_hand(hand_id: UUID) -> Response:
    """Return a hand with its result and its metadata, and the round as it is now."""
    hand = get_hand(current_transaction(), hand_id)
    return json_response(_dump_result(hand))


@hands.route("/v1/hands/<uuid:hand_id>", methods=["PATCH"])
@hands.operation("update_hand", KeyScope.WRITE, records=True)
@hands.arguments(MetadataChangesSchema)
@hands.response(200, RecordedHandWithRoundSchema, headers=REPLAYED)
def patch_hand(changes: dict[str, Any], hand_id: UUID) -> Response:
    """
    Change the metadata of a hand.

    A correction of the round, which changes its cards, moves them to the new record of the hand. With the ID of a
    record that was corrected, those of the record that the hand has now are changed, which is the response. A hand that
    a correction removed is a conflict.
    """
    return json_response(_dump_result(update_hand(current_transaction(), hand_id, changes["metadata"])))


scores = Resource("scores", __name__, description="Score a finished hand without storing it.")


@scores.route("/v1/score", methods=["POST"])
@scores.operation("score_hand", KeyScope.SCORE)
@scores.arguments(ScoreRequestSchema)
@scores.response(200, HandScoreSchema)
def post_score(request: ScoreRequest) -> Response:
    """
    Score a hand without storing it.

    The response has transfers and stacks if the request has the button and every player's stack; if the stakes have
    scope `round`, as if the round ended with this hand.
    """
    ruleset, single = score_hand(current_transaction(), request)
    document = dump_single_hand(ruleset, single, request.players)
    check_expected(request.expected, document)
    return json_response(document)
