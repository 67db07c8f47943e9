"""Rounds: open, read, close, undo, settle, and their documents and evidence."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from flask import Response

from evidence.files import encode_file
from schemas.documents import RoundDocumentSchema, dump_document
from schemas.evidence_files import EvidenceQuerySchema, EvidenceSchema
from schemas.metadata import MetadataChangesSchema
from schemas.round_settlements import RoundSettlementSchema, dump_round_settlement
from schemas.rounds import (
    DepartureRequest,
    DepartureRequestSchema,
    HandUndoRequestSchema,
    OpenedRoundSchema,
    RoundAfterUndoSchema,
    RoundCloseRequestSchema,
    RoundPageSchema,
    RoundQuerySchema,
    RoundRequest,
    RoundRequestSchema,
    RoundSchema,
    RoundWithMetadataSchema,
    UndoRequest,
    dump_opened_round,
    dump_round,
    dump_round_with_metadata,
    dump_undone_round,
)
from schemas.settlements import (
    ConfirmationRequest,
    SettlementConfirmationRequestSchema,
    SettlementQuerySchema,
)
from scoring.errors import Mistake
from service.clubs.scopes import KeyScope
from service.corrections.actions.undo import find_missing_fields, undo_hand
from service.http.authentication import Reach, current_transaction
from service.http.resource import Resource
from service.http.responses import (
    LOCATION,
    NEXT_PAGE,
    REPLAYED,
    TAGGED,
    conditional_response,
    created_response,
    json_response,
    recorded_response,
    respond_page,
)
from service.rounds.actions.checks import check_expected
from service.rounds.actions.documents import get_document
from service.rounds.actions.endings import close_round, record_departure
from service.rounds.actions.evidence import get_evidence
from service.rounds.actions.metadata import get_round_with_metadata, update_round
from service.rounds.actions.opening import open_round
from service.rounds.actions.reading import list_rounds
from service.rounds.actions.settlements import confirm_settlement, get_round_settlement
from service.rounds.queries.round_filter import RoundFilter

rounds = Resource("rounds", __name__, description="Rounds: the hands until everyone has had the button once.")


@rounds.route("/v1/tables/<uuid:table_id>/rounds", methods=["POST"])
@rounds.operation("open_round", KeyScope.WRITE, by_link=Reach.TABLE, records=True)
@rounds.arguments(RoundRequestSchema)
@rounds.response(201, OpenedRoundSchema, headers=LOCATION | REPLAYED)
def post_round(request: RoundRequest, table_id: UUID) -> Response:
    """
    Open a round at a table.

    A stack that is omitted carries over from the end of the player's last round at the table, however many rounds they
    have sat out since. Rounds from `POST /v1/documents` count; imported rounds do not. If that round had another point
    value or unit than the table has now, the stack is required. The same round sent again, with the same reference,
    returns the round as it is now.

    A new player whose ID differs from that of a known player of the club by case, outer blanks or Unicode form only is
    accepted, with an entry in `warnings`. Two such players in one round are refused.
    """
    opened = open_round(current_transaction(), table_id, request)
    document = dump_opened_round(opened.view, opened.metadata, opened.warnings)
    if not opened.is_replay:
        check_expected(request.expected, document)
    return created_response(document, f"/v1/rounds/{opened.view.id}", is_replay=opened.is_replay)


@rounds.route("/v1/rounds", methods=["GET"])
@rounds.operation("list_rounds", KeyScope.READ, by_link=Reach.TABLE, conditional=True)
@rounds.arguments(RoundQuerySchema, location="query")
@rounds.response(200, RoundPageSchema, headers=NEXT_PAGE | TAGGED)
def get_rounds(query: dict[str, Any]) -> Response:
    """List the club's rounds, newest first, by table, player, status, settlement state and opening time."""
    after, limit = query.pop("cursor"), query.pop("limit")
    page = list_rounds(current_transaction(), RoundFilter(**query), after=after, limit=limit)
    return respond_page("rounds", [dump_round(view) for view in page.items], page.next_after, is_conditional=True)


@rounds.route("/v1/rounds/<uuid:round_id>", methods=["GET"])
@rounds.operation("get_round", KeyScope.READ, by_link=Reach.ROUND, conditional=True)
@rounds.response(200, RoundWithMetadataSchema, headers=TAGGED)
def get_one_round(round_id: UUID) -> Response:
    """Return a round as it is now, with its metadata, and the number, button and players of its next hand."""
    view, metadata = get_round_with_metadata(current_transaction(), round_id)
    return conditional_response(dump_round_with_metadata(view, metadata))


@rounds.route("/v1/rounds/<uuid:round_id>", methods=["PATCH"])
@rounds.operation("update_round", KeyScope.WRITE, records=True)
@rounds.arguments(MetadataChangesSchema)
@rounds.response(200, RoundWithMetadataSchema, headers=REPLAYED)
def patch_round(changes: dict[str, Any], round_id: UUID) -> Response:
    """Change the metadata of a round. Everything else of it is changed by a correction."""
    view = update_round(current_transaction(), round_id, changes["metadata"])
    return json_response(dump_round_with_metadata(view, changes["metadata"]))


@rounds.route("/v1/rounds/<uuid:round_id>/close", methods=["POST"])
@rounds.operation("close_round", KeyScope.WRITE, by_link=Reach.TABLE, records=True)
@rounds.arguments(RoundCloseRequestSchema)
@rounds.response(200, RoundSchema, headers=REPLAYED)
def post_closing(request: dict[str, Any], round_id: UUID) -> Response:
    """
    End a round early. Points added up under scope `round` are settled; Fantasyland still owed is void.

    The same closing sent again returns the round as it is now.
    """
    closed = close_round(current_transaction(), round_id, request["reason"])
    document = dump_round(closed.view)
    if not closed.is_replay:
        check_expected(request["expected"], document)
    return recorded_response(document, is_replay=closed.is_replay)


@rounds.route("/v1/rounds/<uuid:round_id>/departures", methods=["POST"])
@rounds.operation("record_departure", KeyScope.WRITE, by_link=Reach.TABLE, records=True)
@rounds.arguments(DepartureRequestSchema)
@rounds.response(201, RoundSchema, headers=REPLAYED)
def post_departure(request: DepartureRequest, round_id: UUID) -> Response:
    """
    Record that a player left between two hands, for the rest of the round.

    The same departure sent again returns the round as it is now.
    """
    left = record_departure(current_transaction(), round_id, request)
    document = dump_round(left.view)
    if not left.is_replay:
        check_expected(request.expected, document)
    return created_response(document, is_replay=left.is_replay)


def _find_missing_fields(received: Any, round_id: UUID) -> Iterator[Mistake]:
    return find_missing_fields(current_transaction(), round_id, received)


@rounds.route("/v1/rounds/<uuid:round_id>/undo", methods=["POST"])
@rounds.operation("undo_hand", KeyScope.WRITE, by_link=Reach.TABLE, records=True)
@rounds.arguments(HandUndoRequestSchema, find_more=_find_missing_fields)
@rounds.response(201, RoundAfterUndoSchema, headers=REPLAYED)
def post_undo(request: UndoRequest, round_id: UUID) -> Response:
    """
    Undo the last hand of a round, and the departures after it.

    The records stay; the round gets a new revision. A complete round is open again, unless another round was opened at
    its table since. If the undone hand was accepted as played after the round was complete, the round is complete
    again, and departures after that are dropped too. `dropped_departures` lists every departure that was dropped. The
    same undo sent again, however late, returns the round as it is now: `hand` names the record that it undoes.
    """
    undone = undo_hand(current_transaction(), round_id, request)
    document = dump_undone_round(undone.view, undone.dropped)
    if not undone.is_replay:
        check_expected(request.expected, document)
    return created_response(document, is_replay=undone.is_replay)


@rounds.route("/v1/rounds/<uuid:round_id>/settlement", methods=["GET"])
@rounds.operation("get_settlement", KeyScope.READ, by_link=Reach.ROUND, conditional=True)
@rounds.arguments(SettlementQuerySchema, location="query")
@rounds.response(200, RoundSettlementSchema, headers=TAGGED)
def get_one_settlement(query: dict[str, Any], round_id: UUID) -> Response:
    """
    Return the settlement of a round: every transfer, the stacks and the standings.

    Each undo and each correction adds a revision; older revisions do not change. A settlement is provisional until
    `provisional_until` has passed or every player has confirmed it; then it is final.
    """
    settlement = get_round_settlement(current_transaction(), round_id, query["revision"])
    return conditional_response(dump_round_settlement(settlement))


@rounds.route("/v1/rounds/<uuid:round_id>/confirmations", methods=["POST"])
@rounds.operation("confirm_settlement", KeyScope.WRITE, by_link=Reach.TABLE, records=True)
@rounds.arguments(SettlementConfirmationRequestSchema)
@rounds.response(201, RoundSettlementSchema, headers=REPLAYED)
def post_confirmation(request: ConfirmationRequest, round_id: UUID) -> Response:
    """
    Confirm a settlement for a player. It is final once every player of the round has confirmed it.

    The settlement must be provisional. The same confirmation sent again returns the settlement as it is now. A new
    revision must be confirmed again.
    """
    confirmed = confirm_settlement(current_transaction(), round_id, request)
    return created_response(dump_round_settlement(confirmed.view), is_replay=confirmed.is_replay)


@rounds.route("/v1/rounds/<uuid:round_id>/document", methods=["GET"])
@rounds.operation("get_document", KeyScope.READ, by_link=Reach.TABLE)
@rounds.arguments(SettlementQuerySchema, location="query")
@rounds.response(200, RoundDocumentSchema)
def get_one_document(query: dict[str, Any], round_id: UUID) -> Response:
    """Return a round as one document without results, in its newest revision or an older one."""
    return json_response(dump_document(get_document(current_transaction(), round_id, query["revision"])))


@rounds.route("/v1/rounds/<uuid:round_id>/evidence", methods=["GET"])
@rounds.operation("get_evidence", KeyScope.AUDIT)
@rounds.arguments(EvidenceQuerySchema, location="query")
@rounds.response(200, EvidenceSchema)
def get_all_evidence(query: dict[str, Any], round_id: UUID) -> Response:
    """
    Return the evidence file of a round: every revision, its events, their proofs and the signed checkpoint.

    `ofc verify` verifies the file without the service. An event joins the tree of a checkpoint within about a minute.
    """
    return json_response(encode_file(get_evidence(current_transaction(), round_id, query["since"])))
