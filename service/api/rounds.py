"""Rounds: opened, left, closed and looked at."""

from http import HTTPStatus
from typing import Any
from uuid import UUID

from flask import Response

from schemas.documents import RoundDocumentSchema, dump_document
from schemas.evidence_files import EvidenceQuerySchema, EvidenceSchema, dump_evidence
from schemas.rounds import (
    CloseRequestSchema,
    DepartureRequest,
    DepartureRequestSchema,
    RoundPageSchema,
    RoundQuerySchema,
    RoundRequest,
    RoundRequestSchema,
    RoundSchema,
    UndoRequest,
    UndoRequestSchema,
    dump_round,
)
from schemas.settlements import (
    ConfirmationRequest,
    ConfirmationRequestSchema,
    SettlementQuerySchema,
    SettlementSchema,
    dump_settlement_view,
)
from service.api.access import current_transaction
from service.api.answers import LOCATION, NEXT_PAGE, REPLAYED, answer, page_link, recorded
from service.api.resource import Resource
from service.repository.rounds import RoundFilter
from service.scopes import Scope
from service.usecases.close_round import close_round
from service.usecases.confirm_settlement import confirm_settlement
from service.usecases.expected import check_expected
from service.usecases.get_document import get_document
from service.usecases.get_evidence import get_evidence
from service.usecases.get_round import get_round
from service.usecases.get_settlement import get_settlement
from service.usecases.list_rounds import list_rounds
from service.usecases.open_round import open_round
from service.usecases.record_departure import record_departure
from service.usecases.undo_hand import undo_hand

rounds = Resource("rounds", __name__, description="Rounds: the hands until everyone has had the button once.")

CONFLICTS = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)


@rounds.route("/v1/tables/<uuid:table_id>/rounds", methods=["POST"])
@rounds.operation("open_round", Scope.WRITE, records=True, problems=CONFLICTS)
@rounds.arguments(RoundRequestSchema)
@rounds.response(201, RoundSchema, headers=LOCATION | REPLAYED)
def post_round(request: RoundRequest, table_id: UUID) -> Response:
    """
    Open a round at a table.

    A stack left out carries over from the player's stack at the end of the table's last round. The same round again,
    by its reference, is answered as it stands.
    """
    opened = open_round(current_transaction(), table_id, request)
    document = dump_round(opened.view)
    check_expected(request.expected, document)
    return recorded(document, f"/v1/rounds/{opened.view.id}", is_replay=opened.is_replay)


@rounds.route("/v1/rounds", methods=["GET"])
@rounds.operation("list_rounds", Scope.READ)
@rounds.arguments(RoundQuerySchema, location="query")
@rounds.response(200, RoundPageSchema, headers=NEXT_PAGE)
def get_rounds(query: dict[str, Any]) -> Response:
    """List the club's rounds, the newest first, by table, player, status, settlement state and time of opening."""
    after, limit = query.pop("cursor"), query.pop("limit")
    page = list_rounds(current_transaction(), RoundFilter(**query), after=after, limit=limit)
    return answer({"rounds": [dump_round(view) for view in page.items]}, headers=page_link(page.next_after))


@rounds.route("/v1/rounds/<uuid:round_id>", methods=["GET"])
@rounds.operation("get_round", Scope.READ, problems=(HTTPStatus.NOT_FOUND,))
@rounds.response(200, RoundSchema)
def get_one_round(round_id: UUID) -> Response:
    """Show a round as it stands, and what the next hand must be."""
    return answer(dump_round(get_round(current_transaction(), round_id)))


@rounds.route("/v1/rounds/<uuid:round_id>/close", methods=["POST"])
@rounds.operation("close_round", Scope.WRITE, records=True, problems=CONFLICTS)
@rounds.arguments(CloseRequestSchema)
@rounds.response(200, RoundSchema, headers=REPLAYED)
def post_closing(request: dict[str, Any], round_id: UUID) -> Response:
    """End a round early. What scope `round` has added up is settled; Fantasyland still owed is void."""
    return answer(dump_round(close_round(current_transaction(), round_id, request["reason"])))


@rounds.route("/v1/rounds/<uuid:round_id>/departures", methods=["POST"])
@rounds.operation("record_departure", Scope.WRITE, records=True, problems=CONFLICTS)
@rounds.arguments(DepartureRequestSchema)
@rounds.response(201, RoundSchema, headers=REPLAYED)
def post_departure(request: DepartureRequest, round_id: UUID) -> Response:
    """Record that a player left between two hands, for the rest of the round."""
    view = record_departure(current_transaction(), round_id, request)
    return answer(dump_round(view), HTTPStatus.CREATED)


@rounds.route("/v1/rounds/<uuid:round_id>/undo", methods=["POST"])
@rounds.operation("undo_hand", Scope.WRITE, records=True, problems=CONFLICTS)
@rounds.arguments(UndoRequestSchema)
@rounds.response(201, RoundSchema, headers=REPLAYED)
def post_undo(request: UndoRequest, round_id: UUID) -> Response:
    """
    Withdraw the last hand of a round, and the departures after it: the round stands as it stood before the hand.

    The records stay; the round has a new revision. A round that is complete is open again, unless another was opened at
    its table since. The same undo again is answered with the round as it stands.
    """
    undone = undo_hand(current_transaction(), round_id, request)
    document = dump_round(undone.view)
    check_expected(request.expected, document)
    return recorded(document, is_replay=undone.is_replay)


@rounds.route("/v1/rounds/<uuid:round_id>/settlement", methods=["GET"])
@rounds.operation("get_settlement", Scope.READ, problems=(HTTPStatus.NOT_FOUND,))
@rounds.arguments(SettlementQuerySchema, location="query")
@rounds.response(200, SettlementSchema)
def get_one_settlement(query: dict[str, Any], round_id: UUID) -> Response:
    """
    Show who paid whom, what was cut off, and where that leaves everyone.

    A round has a new revision for every undo and every correction; the older ones stay as they were. A settlement is
    provisional until `provisional_until` has passed or everyone has confirmed it, and final once a worker, or the last
    of them, has made it so.
    """
    return answer(dump_settlement_view(get_settlement(current_transaction(), round_id, query["revision"])))


@rounds.route("/v1/rounds/<uuid:round_id>/confirmations", methods=["POST"])
@rounds.operation("confirm_settlement", Scope.WRITE, records=True, problems=CONFLICTS)
@rounds.arguments(ConfirmationRequestSchema)
@rounds.response(201, SettlementSchema, headers=REPLAYED)
def post_confirmation(request: ConfirmationRequest, round_id: UUID) -> Response:
    """
    Keep that a player says the settlement is right. Once everyone of the round does, it is final.

    It must be provisional. The same player's word again is answered with the settlement as it stands; a new revision is
    confirmed anew.
    """
    confirmed = confirm_settlement(current_transaction(), round_id, request)
    return recorded(dump_settlement_view(confirmed.view), is_replay=confirmed.is_replay)


@rounds.route("/v1/rounds/<uuid:round_id>/document", methods=["GET"])
@rounds.operation("get_document", Scope.READ, problems=(HTTPStatus.NOT_FOUND,))
@rounds.arguments(SettlementQuerySchema, location="query")
@rounds.response(200, RoundDocumentSchema)
def get_one_document(query: dict[str, Any], round_id: UUID) -> Response:
    """Show a round as one document: all that happened, as it stands or in an older revision, and no result."""
    return answer(dump_document(get_document(current_transaction(), round_id, query["revision"])))


@rounds.route("/v1/rounds/<uuid:round_id>/evidence", methods=["GET"])
@rounds.operation("get_evidence", Scope.AUDIT, streams=True, problems=(HTTPStatus.NOT_FOUND,))
@rounds.arguments(EvidenceQuerySchema, location="query")
@rounds.response(200, EvidenceSchema)
def get_all_evidence(query: dict[str, Any], round_id: UUID) -> Response:
    """
    Show all that proves a round in one file: every revision, the events that they follow from, and who signed these.

    `ofc verify` checks the file without the service. An event joins the tree of a checkpoint within a minute or so.
    """
    return answer(dump_evidence(get_evidence(current_transaction(), round_id, query["since"])))
