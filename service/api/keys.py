"""The keys of a club, for whoever looks after them."""

from http import HTTPStatus
from typing import Any
from uuid import UUID

from flask import Response

from schemas.base import Dumped
from schemas.fields import show_time
from schemas.keys import KeyPageSchema
from schemas.pages import PageQuerySchema
from service.api.access import current_transaction
from service.api.answers import NEXT_PAGE, answer, nothing, page_link
from service.api.resource import Resource
from service.repository.keys import IssuedKey
from service.scopes import Scope
from service.usecases.list_keys import list_own_keys
from service.usecases.revoke_key import revoke_own_key

keys = Resource("keys", __name__, description="The keys of the club.")


@keys.route("/v1/keys", methods=["GET"])
@keys.operation("list_keys", Scope.ADMIN)
@keys.arguments(PageQuerySchema, location="query")
@keys.response(200, KeyPageSchema, headers=NEXT_PAGE)
def get_keys(query: dict[str, Any]) -> Response:
    """List the club's keys, the newest first, those that open nothing any more too."""
    page = list_own_keys(current_transaction(), after=query["cursor"], limit=query["limit"])
    return answer({"keys": [dump_key(each) for each in page.items]}, headers=page_link(page.next_after))


@keys.route("/v1/keys/<uuid:key_id>", methods=["DELETE"])
@keys.operation("revoke_key", Scope.ADMIN, problems=(HTTPStatus.NOT_FOUND, HTTPStatus.GATEWAY_TIMEOUT))
@keys.response(204, description="It opens nothing now.")
def delete_key(key_id: UUID) -> Response:
    """
    Let a key of the club open nothing any more, at once; it may be the one that asks.

    Keys are made by the operator alone, with `ofc-server key create`.
    """
    revoke_own_key(current_transaction(), key_id)
    return nothing()


def dump_key(key: IssuedKey) -> Dumped:
    """Write a key: all but its secret."""
    return {
        "id": str(key.id),
        "prefix": key.prefix,
        "name": key.name,
        "scopes": list(key.scopes),
        "created_at": show_time(key.created_at),
        "expires_at": show_time(key.expires_at),
        "revoked_at": show_time(key.revoked_at),
        "last_used_at": show_time(key.last_used_at),
    }
