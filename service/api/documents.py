"""Rounds as whole documents."""

from http import HTTPStatus

from flask import Response

from schemas.documents import DocumentRequestSchema, PlayedDocumentSchema, RoundDocument, dump_played_document
from service.api.access import current_transaction
from service.api.answers import LOCATION, REPLAYED, recorded
from service.api.receiving import receive_body
from service.api.resource import Resource
from service.scopes import Scope
from service.usecases.expected import check_expected
from service.usecases.play_document import play_document

documents = Resource("documents", __name__, description="Rounds played whole, from one document.")


@documents.route("/v1/documents", methods=["POST"])
@documents.operation("play_document", Scope.WRITE, records=True, problems=(HTTPStatus.CONFLICT,))
@documents.arguments(DocumentRequestSchema)
@documents.response(201, PlayedDocumentSchema, headers=LOCATION | REPLAYED)
def post_document(document: RoundDocument) -> Response:
    """
    Play a round whole, in one transaction, or refuse it whole and name the first thing that fails.

    The table is made by its name where there is none. The same document again is answered as it was recorded.
    """
    played = play_document(current_transaction(), document, receive_body())
    view = played.view
    result = dump_played_document(view, played.settlement)
    check_expected(document.expected, result)
    return recorded(result, f"/v1/rounds/{view.id}", is_replay=played.is_replay)
