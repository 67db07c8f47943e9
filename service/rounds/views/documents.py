"""Rounds as whole documents: record one, or export many."""

import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from http import HTTPStatus
from itertools import chain
from typing import Any, Final

from flask import Response, request

from schemas.documents import (
    EXPORTED,
    ExportQuerySchema,
    RoundDocument,
    RoundDocumentRequestSchema,
    RoundWithSettlementSchema,
    dump_played_document,
)
from schemas.pages import show_cursor
from schemas.problems import dump_warnings
from scoring.errors import Mistake
from service.clubs.scopes import KeyScope
from service.http.authentication import current_transaction
from service.http.parquet import PARQUET, PARQUET_FILE, refuse_for_form, respond_parquet
from service.http.request_body import GZIP, NDJSON, receive_body
from service.http.resource import Resource
from service.http.responses import LOCATION, NEXT_PAGE, REPLAYED, best_media_type, created_response, next_page_link
from service.http.streams import reserve_stream
from service.ledger.actions.hand_charges import HandCharges
from service.rounds.actions.checks import check_expected
from service.rounds.actions.documents import find_document_mistakes, play_document
from service.rounds.actions.reading import export_parquet, export_rounds
from service.rounds.queries.round_filter import RoundFilter
from service.rulesets.actions import ruleset_named

documents = Resource("documents", __name__, description="Whole rounds, each as one document.")


def _find_more(received: Any) -> Iterator[Mistake]:
    return find_document_mistakes(partial(ruleset_named, current_transaction()), received)


@documents.route("/v1/documents", methods=["POST"])
@documents.operation("play_document", KeyScope.WRITE, records=True)
@documents.arguments(RoundDocumentRequestSchema, find_more=_find_more)
@documents.response(201, RoundWithSettlementSchema, headers=LOCATION | REPLAYED)
def post_document(document: RoundDocument) -> Response:
    """
    Play a whole round in one transaction, or refuse it and report every error.

    The table is created by its name if it does not exist. The same document sent again returns the stored round.
    """
    transaction = current_transaction()
    played = play_document(transaction, document, receive_body(), HandCharges(transaction))
    view = played.view
    result = {**dump_played_document(view, played.settlement), **dump_warnings(played.warnings)}
    check_expected(document.expected, result)
    return created_response(result, f"/v1/rounds/{view.id}", is_replay=played.is_replay)


exports = Resource("exports", __name__, description="Rounds as documents, to archive or to import elsewhere.")

_TOTAL: Final = {
    "Total-Rounds": {
        "schema": {"type": "integer"},
        "description": "Total number of rounds, if the export starts at the first one.",
    }
}


@exports.route("/v1/export", methods=["GET"])
@exports.operation("export_rounds", KeyScope.IMPORTS, KeyScope.READ, forms=(NDJSON, PARQUET))
@exports.arguments(ExportQuerySchema, location="query")
@exports.response(
    200,
    {"type": "string"},
    content_type=NDJSON,
    description="One round document per line, oldest first; compressed with `Accept-Encoding: gzip`.",
    headers=NEXT_PAGE | _TOTAL,
)
@exports.doc(responses={HTTPStatus.OK: {"content": PARQUET_FILE}})
def get_export(query: dict[str, Any]) -> Response:
    """
    Export rounds as NDJSON: one document per line, in the format that `POST /v1/imports` accepts.

    All rounds are as they were at one moment, without undone hands. With `limit`, the header `Link` leads to the next
    lines, so that an interrupted export can be continued.

    With `Accept: application/vnd.apache.parquet`, the response is a Parquet file with a row for each of the `records`
    of the hands in force, if the service is installed with the extra `parquet` (406).
    """
    is_parquet = best_media_type((NDJSON, PARQUET)) == PARQUET
    refuse_for_form(query, ("limit", "cursor") if is_parquet else ("records",), PARQUET if is_parquet else NDJSON)
    after, limit, records = query.pop("cursor"), query.pop("limit"), query.pop("records")
    reserve_stream()
    if is_parquet:
        blocks = export_parquet(current_transaction(), records or EXPORTED[0], RoundFilter(**query))
        return respond_parquet(blocks, repr(NDJSON))
    export = export_rounds(current_transaction(), RoundFilter(**query), after=after, limit=limit)
    # Read the first block before the response begins, so that most errors still get a problem document.
    blocks = chain([next(export.blocks, b"")], export.blocks)
    cursor = None if export.next_after is None else show_cursor(export.next_after)
    headers = next_page_link(cursor) | {"Vary": "Accept-Encoding"}
    if export.total is not None:
        headers["Total-Rounds"] = str(export.total)
    if request.accept_encodings["gzip"]:
        headers["Content-Encoding"] = "gzip"
        blocks = _packed(blocks)
    return Response(blocks, headers=headers, content_type=NDJSON)


def _packed(blocks: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(level=6, wbits=GZIP)
    for block in blocks:
        # Flush each block, so that clients receive whole lines at once.
        yield packer.compress(block) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()
