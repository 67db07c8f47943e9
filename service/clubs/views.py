"""A club and its API keys."""

from http import HTTPStatus
from typing import Any
from uuid import UUID

from flask import Response

from schemas.base import Dumped
from schemas.clubs import (
    ApiKeyPageSchema,
    ApiKeyRequestSchema,
    ClubSchema,
    KeyRequest,
    NewApiKeySchema,
    dump_club,
)
from schemas.fields import show_time
from schemas.pages import PageQuerySchema
from service.clubs.actions import create_own_key, get_club, list_own_keys, revoke_own_key
from service.clubs.queries.keys import IssuedKey
from service.clubs.scopes import KeyScope
from service.http.authentication import Reach, current_key, current_transaction
from service.http.resource import Resource
from service.http.responses import NEXT_PAGE, NO_STORE, json_response, no_content, respond_page

club = Resource("club", __name__, description="The club of the key.")


@club.route("/v1/club", methods=["GET"])
@club.operation("get_club", KeyScope.READ, by_link=Reach.TABLE)
@club.response(200, ClubSchema)
def get_own_club() -> Response:
    """
    Return the club of the key: its time zone, when its evenings begin, and whether it requires a second auditor.

    The operator sets them with `ofc-server club set`.
    """
    return json_response(dump_club(get_club(current_transaction())))


keys = Resource("keys", __name__, description="API keys of the club.")


@keys.route("/v1/keys", methods=["POST"])
@keys.operation("create_key", KeyScope.ADMIN)
@keys.arguments(ApiKeyRequestSchema)
@keys.response(201, NewApiKeySchema)
def post_key(request: KeyRequest) -> Response:
    """
    Create an API key of the club.

    The new key has no scope that the key of the request lacks, and expires no later than that key ends. It remains if
    the key of the request is revoked before. Only this response has the secret, so the request takes no idempotency
    key: a retry creates another key, and `list_keys` shows whether the first request created one.
    """
    new_key = create_own_key(current_transaction(), request, current_key().id)
    document = {**dump_key(new_key.key), "secret": new_key.secret}
    return json_response(document, HTTPStatus.CREATED, headers=NO_STORE)


@keys.route("/v1/keys", methods=["GET"])
@keys.operation("list_keys", KeyScope.ADMIN)
@keys.arguments(PageQuerySchema, location="query")
@keys.response(200, ApiKeyPageSchema, headers=NEXT_PAGE)
def get_keys(query: dict[str, Any]) -> Response:
    """List the club's keys, newest first, including expired and revoked ones."""
    page = list_own_keys(current_transaction(), after=query["cursor"], limit=query["limit"])
    return respond_page("keys", [dump_key(each) for each in page.items], page.next_after)


@keys.route("/v1/keys/<uuid:key_id>", methods=["DELETE"])
@keys.operation("revoke_key", KeyScope.ADMIN)
@keys.response(204, description="The key is revoked.")
def delete_key(key_id: UUID) -> Response:
    """
    Revoke a key of the club immediately; it can be the key of this request.

    Links and sessions of the console end with the key that has begun them. Keys that it has created remain.
    """
    revoke_own_key(current_transaction(), key_id)
    return no_content()


def dump_key(key: IssuedKey) -> Dumped:
    """Return the JSON form of a key, without its secret."""
    return {
        "id": str(key.id),
        "prefix": key.prefix,
        "name": key.name,
        "scopes": list(key.scopes),
        "created_at": show_time(key.created_at),
        "expires_at": show_time(key.expires_at),
        "revoked_at": show_time(key.revoked_at),
        "last_used_at": show_time(key.last_used_at),
        "player": key.player,
        "created_by": key.created_by and str(key.created_by),
    }
