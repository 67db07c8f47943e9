"""Checkpoints and proofs."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response

from evidence import SigningKey
from schemas.events import (
    CheckpointConsistencyProofSchema,
    CheckpointInclusionProofSchema,
    CheckpointKeyListSchema,
    CheckpointPageSchema,
    CheckpointSchema,
    ConsistencyQuerySchema,
    CosignatureRequest,
    CosignatureRequestSchema,
    CosignatureSchema,
    InclusionQuerySchema,
    dump_checkpoint,
    dump_consistency,
    dump_cosignature,
    dump_inclusion,
    dump_key,
)
from schemas.pages import PageQuerySchema
from service.audit_trail.actions import (
    add_cosignature,
    get_checkpoint,
    list_checkpoint_keys,
    list_checkpoints,
    list_seals,
    make_checkpoint,
    prove_consistency,
    prove_inclusion,
)
from service.audit_trail.queries.checkpoints import StoredCheckpoint
from service.audit_trail.signing import read_signing_key
from service.clubs.scopes import KeyScope
from service.errors import OperatorError, SigningKeyMissing
from service.http.authentication import current_transaction, database
from service.http.resource import Resource
from service.http.responses import LOCATION, NEXT_PAGE, json_response, respond_page
from service.http.services import current_services
from service.logs import get_log

checkpoints = Resource(
    "checkpoints", __name__, description="Signed checkpoints of a club's tree of events, and their proofs."
)

_TEXT: Final = "text/plain"
_log = get_log(__name__)


# No dry run: a checkpoint that was signed and rolled back could contradict the next one.
@checkpoints.route("/v1/checkpoints", methods=["POST"])
@checkpoints.operation("make_checkpoint", KeyScope.AUDIT)
@checkpoints.response(201, CheckpointSchema, headers=LOCATION)
def post_checkpoint() -> Response:
    """
    Sign a checkpoint of all events so far.

    Workers also do so once a minute. If there are no new events, the newest checkpoint is returned.
    """
    checkpoint = make_checkpoint(current_transaction(), _signing_key()).checkpoint
    [dumped] = _dump([checkpoint])
    return json_response(dumped, HTTPStatus.CREATED, {"Location": f"/v1/checkpoints/{checkpoint.id}"})


@checkpoints.route("/v1/checkpoints", methods=["GET"])
@checkpoints.operation("list_checkpoints", KeyScope.AUDIT)
@checkpoints.arguments(PageQuerySchema, location="query")
@checkpoints.response(200, CheckpointPageSchema, headers=NEXT_PAGE)
def get_checkpoints(query: dict[str, Any]) -> Response:
    """List the club's checkpoints, newest first."""
    page = list_checkpoints(current_transaction(), after=query["cursor"], limit=query["limit"])
    return respond_page("checkpoints", _dump(page.items), page.next_after)


@checkpoints.route("/v1/checkpoints/consistency", methods=["GET"])
@checkpoints.operation("prove_consistency", KeyScope.AUDIT)
@checkpoints.arguments(ConsistencyQuerySchema, location="query")
@checkpoints.response(200, CheckpointConsistencyProofSchema)
def get_consistency(query: dict[str, Any]) -> Response:
    """Return the proof that a tree of events has every event of an older tree, in the same order."""
    old, new = query["old"], query["new"]
    return json_response(dump_consistency(old, new, prove_consistency(current_transaction(), old, new)))


@checkpoints.route("/v1/checkpoints/inclusion", methods=["GET"])
@checkpoints.operation("prove_inclusion", KeyScope.AUDIT)
@checkpoints.arguments(InclusionQuerySchema, location="query")
@checkpoints.response(200, CheckpointInclusionProofSchema)
def get_inclusion(query: dict[str, Any]) -> Response:
    """
    Return the proof that an event is in the tree of a checkpoint.

    The event's hash, its position and the hashes of the proof give the root that was signed for the tree size.
    """
    position, size = query["position"], query["size"]
    return json_response(dump_inclusion(position, size, prove_inclusion(current_transaction(), position, size)))


@checkpoints.route("/v1/checkpoints/<uuid:address>", methods=["GET"])
@checkpoints.operation(
    "get_checkpoint",
    needs_key=False,
    uses_database=False,
    forms=(_TEXT,),
)
@checkpoints.response(200, {"type": "string"}, content_type=_TEXT, description="A signed note, in the C2SP format.")
def get_one_checkpoint(address: UUID) -> Response:
    """Return a checkpoint as a signed note. No key is required."""
    return Response(get_checkpoint(database(), address), content_type=f"{_TEXT}; charset=utf-8")


@checkpoints.route("/v1/checkpoints/<uuid:address>/cosignatures", methods=["POST"])
@checkpoints.operation("add_cosignature", KeyScope.AUDIT)
@checkpoints.arguments(CosignatureRequestSchema)
@checkpoints.response(201, CosignatureSchema)
def post_cosignature(request: CosignatureRequest, address: UUID) -> Response:
    """
    Add the cosignature of a witness to a checkpoint.

    The note and evidence files have it from then on. It must be valid with the key that is sent; whose keys count is
    for those to decide who verify. The first cosignature of a witness stays.
    """
    added = add_cosignature(current_transaction(), address, request.key, request.signature)
    return json_response(dump_cosignature(added.key, added.signature), HTTPStatus.CREATED)


@checkpoints.route("/.well-known/tablestakes-checkpoint-keys", methods=["GET"])
@checkpoints.operation("list_checkpoint_keys", needs_key=False, uses_database=False)
@checkpoints.response(200, CheckpointKeyListSchema)
def get_keys() -> Response:
    """
    List every public key that signed a checkpoint. No key is required.

    Checkpoints signed with an old key stay valid.
    """
    return json_response(
        {"keys": [dump_key(each.key, each.first_used_at) for each in list_checkpoint_keys(database())]}
    )


def _dump(signed: Sequence[StoredCheckpoint]) -> list[dict[str, Any]]:
    seals = list_seals(current_transaction(), signed)
    return [
        dump_checkpoint(
            each.id,
            each.size,
            each.root,
            each.created_at,
            seals[each.size],
            [dump_cosignature(cosignature.key, cosignature.signature) for cosignature in each.cosignatures],
        )
        for each in signed
    ]


def _signing_key() -> SigningKey:
    file = current_services().config.signing_key_file
    if file is None:
        raise SigningKeyMissing("the service has no signing key; events are recorded and can be signed later")
    try:
        return read_signing_key(file)
    except OperatorError as error:
        _log.error("signing_key_unreadable", error=str(error))
        raise SigningKeyMissing("the service cannot read its signing key; the log has the reason") from None
