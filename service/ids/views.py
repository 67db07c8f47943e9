"""Whole ids, which people shorten to their ends."""

from typing import Any, Final

from flask import Response

from schemas.ids import FoundIdSchema, IdQuerySchema, dump_found_id
from service.clubs.scopes import KeyScope
from service.http.authentication import current_key, current_transaction, require_scope
from service.http.resource import Resource
from service.http.responses import json_response
from service.ids.actions import SCOPES, find_id

ids = Resource("ids", __name__, description="Whole ids, found by their last characters.")
_ANY_SCOPE: Final = tuple(scope for scope in KeyScope if any(scope in scopes for scopes in SCOPES.values()))


@ids.route("/v1/ids", methods=["GET"])
@ids.operation("find_id", *_ANY_SCOPE)
@ids.arguments(IdQuerySchema, location="query")
@ids.response(200, FoundIdSchema)
def get_id(query: dict[str, Any]) -> Response:
    """
    Find the whole ID of a record by its last characters.

    Only records are found that the key's scopes allow to list. If several IDs end so, the response is a 409 whose
    `errors` list up to ten of them, the newest first.
    """
    if query["kind"] is not None:
        require_scope(*SCOPES[query["kind"]])
    match = find_id(current_transaction(), query["ending"], query["kind"], current_key().scopes)
    return json_response(dump_found_id(match))
