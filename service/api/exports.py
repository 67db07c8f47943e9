"""Exports: rounds as documents, one a line, however many there are."""

import zlib
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, Final

from flask import Response, request

from schemas.exports import ExportQuerySchema
from service.api.access import current_transaction
from service.api.answers import NEXT_PAGE, page_link
from service.api.resource import Resource
from service.api.streams import GZIP, NDJSON
from service.repository.rounds import RoundFilter
from service.scopes import Scope
from service.usecases.export_rounds import export_rounds

exports = Resource("exports", __name__, description="Rounds taken out as documents, to keep or to import elsewhere.")

_TOTAL: Final = {
    "Total-Rounds": {
        "schema": {"type": "integer"},
        "description": "How many there are in all, where the export begins at the first.",
    }
}


@exports.route("/v1/export", methods=["GET"])
@exports.operation("export_rounds", Scope.IMPORTS, Scope.READ, streams=True)
@exports.arguments(ExportQuerySchema, location="query")
@exports.response(
    200,
    {"type": "string"},
    content_type=NDJSON,
    description="One round document a line, the oldest first; with `Accept-Encoding: gzip` compressed.",
    headers=NEXT_PAGE | _TOTAL,
)
def get_export(query: dict[str, Any]) -> Response:
    """
    Export rounds as NDJSON: one document a line, as `POST /v1/imports` reads them.

    All are as they were at one moment. Undone hands are not among them. Where a `limit` is given, the header `Link`
    leads on, so that an export that broke off goes on where it was.
    """
    after, limit = query.pop("cursor"), query.pop("limit")
    export = export_rounds(current_transaction(), RoundFilter(**query), after=after, limit=limit)
    # What can fail fails mostly at the first, where it can still be said.
    blocks: Iterable[bytes] = chain([next(export.blocks, b"")], export.blocks)
    headers = page_link(export.next_after) | {"Vary": "Accept-Encoding"}
    if export.total is not None:
        headers["Total-Rounds"] = str(export.total)
    if request.accept_encodings["gzip"]:
        headers["Content-Encoding"] = "gzip"
        blocks = _packed(blocks)
    return Response(blocks, headers=headers, content_type=NDJSON)


def _packed(blocks: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(level=6, wbits=GZIP)
    for block in blocks:
        # Whole lines arrive as they are ready.
        yield packer.compress(block) + packer.flush(zlib.Z_SYNC_FLUSH)
    yield packer.flush()
