"""Imports: many rounds at once, done by workers."""

import json
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from flask import Response, current_app, g

from schemas.jobs import ImportQuerySchema, ImportSchema, dump_job
from schemas.settlement_states import ARRIVING
from service.api.access import current_key, current_transaction, database
from service.api.answers import LOCATION, REPLAYED, WAS_REPLAYED, answer
from service.api.problems import complete_problem
from service.api.resource import Resource
from service.api.retries import answer_once, read_retry_key
from service.api.streams import NDJSON, read_lines_body
from service.database import Transaction
from service.repository.jobs import StoredJob
from service.scopes import Scope
from service.tasks import announce_after_commit
from service.usecases.get_import import KIND, get_import, view_import
from service.usecases.job_states import cancel_job, pause_job, resume_job
from service.usecases.list_import_results import list_import_results
from service.usecases.start_import import discard_import, receive_import, start_import

imports = Resource("imports", __name__, description="Many rounds at once, from a file of documents, done by workers.")

CONFLICTS: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
_BODY: Final = {
    "required": True,
    "description": "Round documents, one a line, of any number; `Content-Encoding: gzip` is understood.",
    "content": {NDJSON: {"schema": {"type": "string"}}},
}
_STATE: Final = {
    "in": "query",
    "name": "state",
    "schema": {"type": "string", "enum": [*ARRIVING], "default": ARRIVING[0]},
    "description": "How firm the settlements of imported rounds are in which no hand can come.",
}


@imports.route("/v1/imports", methods=["POST"])
@imports.upload("start_import", Scope.IMPORTS, body=_BODY, query=(_STATE,))
@imports.arguments(ImportQuerySchema, location="query")
@imports.response(202, ImportSchema, headers=LOCATION | REPLAYED)
def post_import(query: dict[str, Any]) -> Response:
    """
    Import rounds from NDJSON: one round document a line, each played whole or refused whole.

    Settlements are final on arrival, as history is; with `state=provisional` they can be confirmed and disputed like
    those of rounds that were recorded hand by hand. A round that its document leaves open is open.

    A bad line never stops the others, and a line that was recorded before is a replay: a file can be sent again at any
    time. While it is being imported, the same file again is answered with the same import.
    """
    key, retry_key = current_key(), read_retry_key()
    begin = partial(database().transaction, key.club_id, actor=key.id, request_id=g.request_id)
    received = receive_import(begin, read_lines_body())
    is_started = False
    try:
        with begin() as transaction:
            started = partial(_start, transaction, received, query["state"])
            answered = started() if retry_key is None else answer_once(transaction, retry_key, started, received.sha256)
        is_started = WAS_REPLAYED not in answered.headers
    finally:
        if not is_started:
            discard_import(begin, received.job_id)
    return answered


def _start(transaction: Transaction, received: Any, state: str) -> Response:
    started = start_import(transaction, received, state)
    _announce(transaction)
    headers = {"Location": f"/v1/imports/{started.view.id}"} | ({WAS_REPLAYED: "true"} if started.is_replay else {})
    return answer(dump_job(started.view), HTTPStatus.ACCEPTED, headers)


@imports.route("/v1/imports/<uuid:import_id>", methods=["GET"])
@imports.operation("get_import", Scope.IMPORTS, Scope.READ, problems=(HTTPStatus.NOT_FOUND,))
@imports.response(200, ImportSchema)
def get_one_import(import_id: UUID) -> Response:
    """Show an import: how far it is, and what it came to so far."""
    return answer(dump_job(get_import(current_transaction(), import_id)))


@imports.route("/v1/imports/<uuid:import_id>/cancel", methods=["POST"])
@imports.operation("cancel_import", Scope.IMPORTS, records=True, problems=CONFLICTS)
@imports.response(200, ImportSchema, headers=REPLAYED)
def post_cancel(import_id: UUID) -> Response:
    """
    Stop an import. What is stored stays; lines that are being stored at this moment are stored; nothing more is begun.

    An import that has ended stays as it is.
    """
    return _changed(cancel_job(current_transaction(), import_id, KIND))


@imports.route("/v1/imports/<uuid:import_id>/pause", methods=["POST"])
@imports.operation("pause_import", Scope.IMPORTS, records=True, problems=CONFLICTS)
@imports.response(200, ImportSchema, headers=REPLAYED)
def post_pause(import_id: UUID) -> Response:
    """Let an import rest until it is resumed."""
    return _changed(pause_job(current_transaction(), import_id, KIND))


@imports.route("/v1/imports/<uuid:import_id>/resume", methods=["POST"])
@imports.operation("resume_import", Scope.IMPORTS, records=True, problems=CONFLICTS)
@imports.response(200, ImportSchema, headers=REPLAYED)
def post_resume(import_id: UUID) -> Response:
    """Let a paused import go on where it was."""
    return _changed(resume_job(current_transaction(), import_id, KIND))


@imports.route("/v1/imports/<uuid:import_id>/results", methods=["GET"])
@imports.operation("list_import_results", Scope.IMPORTS, Scope.READ, problems=(HTTPStatus.NOT_FOUND,))
@imports.response(
    200, {"type": "string"}, content_type=NDJSON, description="One JSON document a line, in the order of the file."
)
def get_results(import_id: UUID) -> Response:
    """
    Say what became of every line so far, as NDJSON.

    A line is `{"line", "status", "round", "problem"}`: `status` is `stored`, `replayed` or `refused`, and `problem`
    says why it was refused. Lines that are not done yet are left out.
    """
    transaction = current_transaction()
    job, blocks = list_import_results(transaction, import_id, partial(database().reading, transaction.club_id))
    return Response(_with_whole_problems(blocks, job.request_id or g.request_id), content_type=NDJSON)


def _with_whole_problems(blocks: Iterator[bytes], request_id: str) -> Iterator[bytes]:
    """Give the lines; what is stored of a problem is completed by what its kind has in common."""
    for block in blocks:
        yield b"".join(
            line if line.endswith(b'"problem":null}\n') else _with_whole_problem(line, request_id)
            for line in block.splitlines(keepends=True)
        )


def _with_whole_problem(line: bytes, request_id: str) -> bytes:
    result = json.loads(line)
    found = result["problem"]
    result["problem"] = complete_problem(found["code"], found["detail"], found["errors"], request_id)
    return json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _changed(job: StoredJob) -> Response:
    transaction = current_transaction()
    _announce(transaction)
    return answer(dump_job(view_import(transaction, job)))


def _announce(transaction: Transaction) -> None:
    announce_after_commit(transaction, current_app.extensions["ofc_announce"])
