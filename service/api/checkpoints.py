"""Checkpoints: what is signed of a club's tree of events, and how to check it."""

from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response, current_app

from schemas.checkpoints import (
    CheckpointKeysSchema,
    CheckpointPageSchema,
    CheckpointSchema,
    ConsistencyQuerySchema,
    ConsistencySchema,
    InclusionQuerySchema,
    InclusionSchema,
    dump_checkpoint,
    dump_consistency,
    dump_inclusion,
    dump_key,
)
from schemas.evidence import SigningKey
from schemas.pages import PageQuerySchema
from service.api.access import current_transaction, database
from service.api.answers import LOCATION, NEXT_PAGE, answer, page_link
from service.api.resource import Resource
from service.errors import OperatorError, SigningKeyMissing
from service.logs import get_log
from service.repository.checkpoints import StoredCheckpoint
from service.scopes import Scope
from service.signing import read_signing_key
from service.usecases.get_checkpoint import get_checkpoint
from service.usecases.list_checkpoint_keys import list_checkpoint_keys
from service.usecases.list_checkpoints import list_checkpoints
from service.usecases.make_checkpoint import make_checkpoint
from service.usecases.prove_consistency import prove_consistency
from service.usecases.prove_inclusion import prove_inclusion

checkpoints = Resource("checkpoints", __name__, description="What is signed of a club's tree of events.")

_TEXT: Final = "text/plain"
_UNREACHABLE: Final = HTTPStatus.SERVICE_UNAVAILABLE
_log = get_log(__name__)


# Not under a dry run: what was signed and then rolled back could contradict what is signed next.
@checkpoints.route("/v1/checkpoints", methods=["POST"])
@checkpoints.operation("make_checkpoint", Scope.AUDIT, problems=(HTTPStatus.CONFLICT, HTTPStatus.GATEWAY_TIMEOUT))
@checkpoints.response(201, CheckpointSchema, headers=LOCATION)
def post_checkpoint() -> Response:
    """
    Sign the tree of all events so far, as workers do once a minute.

    Where nothing happened since the newest checkpoint, that is answered.
    """
    found = make_checkpoint(current_transaction(), _signing_key()).checkpoint
    return answer(_dump(found), HTTPStatus.CREATED, {"Location": f"/v1/checkpoints/{found.id}"})


@checkpoints.route("/v1/checkpoints", methods=["GET"])
@checkpoints.operation("list_checkpoints", Scope.AUDIT)
@checkpoints.arguments(PageQuerySchema, location="query")
@checkpoints.response(200, CheckpointPageSchema, headers=NEXT_PAGE)
def get_checkpoints(query: dict[str, Any]) -> Response:
    """List what was signed of the club's tree, the newest first."""
    page = list_checkpoints(current_transaction(), after=query["cursor"], limit=query["limit"])
    return answer({"checkpoints": [_dump(found) for found in page.items]}, headers=page_link(page.next_after))


@checkpoints.route("/v1/checkpoints/consistency", methods=["GET"])
@checkpoints.operation("prove_consistency", Scope.AUDIT)
@checkpoints.arguments(ConsistencyQuerySchema, location="query")
@checkpoints.response(200, ConsistencySchema)
def get_consistency(query: dict[str, Any]) -> Response:
    """Prove that the tree only grew from one size to another: nothing in it was changed, left out or put between."""
    old, new = query["old"], query["new"]
    return answer(dump_consistency(old, new, prove_consistency(current_transaction(), old, new)))


@checkpoints.route("/v1/checkpoints/inclusion", methods=["GET"])
@checkpoints.operation("prove_inclusion", Scope.AUDIT)
@checkpoints.arguments(InclusionQuerySchema, location="query")
@checkpoints.response(200, InclusionSchema)
def get_inclusion(query: dict[str, Any]) -> Response:
    """
    Prove that an event is among those that a checkpoint stands for.

    With the event's hash at its position, the hashes lead to the root that was signed for the size.
    """
    position, size = query["position"], query["size"]
    return answer(dump_inclusion(position, size, prove_inclusion(current_transaction(), position, size)))


@checkpoints.route("/v1/checkpoints/<uuid:address>", methods=["GET"])
@checkpoints.operation(
    "get_checkpoint",
    needs_key=False,
    asks_database=False,
    problems=(HTTPStatus.NOT_FOUND, _UNREACHABLE),
    forms=(_TEXT,),
)
@checkpoints.response(200, {"type": "string"}, content_type=_TEXT, description="A signed note, as C2SP has them.")
def get_one_checkpoint(address: UUID) -> Response:
    """Show a checkpoint as it was signed, to whoever has its address; no key is needed."""
    return Response(get_checkpoint(database(), address), content_type=f"{_TEXT}; charset=utf-8")


@checkpoints.route("/.well-known/tablestakes-checkpoint-keys", methods=["GET"])
@checkpoints.operation("list_checkpoint_keys", needs_key=False, asks_database=False, problems=(_UNREACHABLE,))
@checkpoints.response(200, CheckpointKeysSchema)
def get_keys() -> Response:
    """List every public key that ever signed a checkpoint: what an old one signed stays valid. No key is needed."""
    return answer({"keys": [dump_key(each.key, each.first_used_at) for each in list_checkpoint_keys(database())]})


def _dump(found: StoredCheckpoint) -> dict[str, Any]:
    return dump_checkpoint(found.id, found.size, found.root, found.created_at)


def _signing_key() -> SigningKey:
    file = current_app.extensions["ofc_signing_key_file"]
    if file is None:
        raise SigningKeyMissing("no key was given to the service; what happens is recorded, and can be signed later")
    try:
        return read_signing_key(file)
    except OperatorError as error:
        _log.error("signing_key_unreadable", error=str(error))
        raise SigningKeyMissing("the service's key cannot be read; its log says why") from None
