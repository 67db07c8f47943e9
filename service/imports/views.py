"""Imports: files of rounds, processed by workers."""

import json
from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from itertools import chain
from typing import Any, Final
from uuid import UUID

from flask import Response

from schemas.jobs.imports import ImportPageSchema, ImportQuerySchema, ImportSchema
from schemas.jobs.progress import JobQuerySchema, dump_job
from schemas.settlements import IMPORT_STATES
from service.clubs.scopes import KeyScope
from service.config import ImportLimits, Retention
from service.db import Transaction
from service.http.authentication import current_key, current_transaction, database
from service.http.idempotency import read_idempotency_key, respond_once
from service.http.problems import build_problem
from service.http.request_body import NDJSON, NDJSON_SCHEMA, read_lines_body
from service.http.request_state import current_request
from service.http.resource import Resource
from service.http.responses import LOCATION, NEXT_PAGE, REPLAYED, WAS_REPLAYED, json_response, respond_page
from service.http.services import current_services
from service.imports.actions.imports import (
    KIND,
    ReceivedImport,
    discard_import,
    get_import,
    list_import_results,
    list_imports,
    receive_import,
    start_import,
    view_import,
)
from service.jobs.actions import cancel_job, pause_job, resume_job
from service.jobs.app import look_after_commit
from service.jobs.queries.jobs import JobState, StoredJob
from service.places import IMPORT_TURNS

imports = Resource("imports", __name__, description="Imports of many rounds from a file of documents, run by workers.")

_BODY: Final = {
    "required": True,
    "description": "Round documents, one per line; `Content-Encoding: gzip` is supported.",
    "content": {NDJSON: {"schema": NDJSON_SCHEMA}},
}
_STATE: Final = {
    "in": "query",
    "name": "state",
    "schema": {"type": "string", "enum": [*IMPORT_STATES], "default": IMPORT_STATES[0]},
    "description": "Settlement state of the imported rounds that can have no more hands.",
}


@imports.route("/v1/imports", methods=["POST"])
@imports.upload("start_import", KeyScope.IMPORTS, body=_BODY, query=(_STATE,))
@imports.arguments(ImportQuerySchema, location="query")
@imports.response(202, ImportSchema, headers=LOCATION | REPLAYED)
def post_import(query: dict[str, Any]) -> Response:
    """
    Import rounds from NDJSON: one round document per line.

    Each line is stored or refused as a whole. Imported settlements are final; with `state=provisional` they can be
    confirmed and disputed like those of rounds recorded hand by hand. A round that its document leaves open is open.

    An invalid line does not stop the others, and a line that is already stored is a replay: a file can be sent again at
    any time. While it is being imported, the same file sent again returns the same import.

    The service limits the size of an import (decompressed; 1 GiB by default), its lines (one million) and its
    compression ratio (200). An import beyond these limits is refused with a 413. A club has a quota of running imports
    (429).
    """
    key, retry_key = current_key(), read_idempotency_key()
    begin = partial(database().transaction, key.club_id, actor=key.id, request_id=current_request().request_id)
    limits: ImportLimits = current_services().config.imports
    with IMPORT_TURNS.take(key.id) as wait:
        blocks = read_lines_body(limits, wait)
        # Read the first block before the import begins: an unreadable body starts no import.
        received = receive_import(begin, chain([next(blocks, b"")], blocks), limits)
    is_started = False
    try:
        with begin() as transaction:
            started = partial(_start, transaction, received, query["state"], limits)
            response = (
                started() if retry_key is None else respond_once(transaction, retry_key, started, received.sha256)
            )
        is_started = WAS_REPLAYED not in response.headers
    finally:
        if not is_started:
            discard_import(begin, received.job_id)
    return response


def _start(transaction: Transaction, received: ReceivedImport, state: str, limits: ImportLimits) -> Response:
    started = start_import(transaction, received, state, limits)
    look_after_commit(transaction, started.view.id, current_services().send)
    headers = {"Location": f"/v1/imports/{started.view.id}"} | ({WAS_REPLAYED: "true"} if started.is_replay else {})
    return json_response(dump_job(started.view), HTTPStatus.ACCEPTED, headers)


@imports.route("/v1/imports", methods=["GET"])
@imports.operation("list_imports", KeyScope.IMPORTS, KeyScope.READ)
@imports.arguments(JobQuerySchema, location="query")
@imports.response(200, ImportPageSchema, headers=NEXT_PAGE)
def get_imports(query: dict[str, Any]) -> Response:
    """List the club's imports with their progress and results so far, newest first."""
    state = query["state"] and JobState(query["state"])
    page = list_imports(current_transaction(), state=state, after=query["cursor"], limit=query["limit"])
    return respond_page("imports", [dump_job(view) for view in page.items], page.next_after)


@imports.route("/v1/imports/<uuid:import_id>", methods=["GET"])
@imports.operation("get_import", KeyScope.IMPORTS, KeyScope.READ)
@imports.response(200, ImportSchema)
def get_one_import(import_id: UUID) -> Response:
    """Return an import with its progress and its results so far."""
    return json_response(dump_job(get_import(current_transaction(), import_id)))


@imports.route("/v1/imports/<uuid:import_id>/cancel", methods=["POST"])
@imports.operation("cancel_import", KeyScope.IMPORTS, records=True)
@imports.response(200, ImportSchema, headers=REPLAYED)
def post_cancel(import_id: UUID) -> Response:
    """
    Cancel an import. Stored rounds stay; lines that are being stored are completed; no further ones are started.

    An import that has ended does not change.
    """
    return _changed(cancel_job(current_transaction(), import_id, KIND))


@imports.route("/v1/imports/<uuid:import_id>/pause", methods=["POST"])
@imports.operation("pause_import", KeyScope.IMPORTS, records=True)
@imports.response(200, ImportSchema, headers=REPLAYED)
def post_pause(import_id: UUID) -> Response:
    """Pause an import until it is resumed."""
    return _changed(pause_job(current_transaction(), import_id, KIND))


@imports.route("/v1/imports/<uuid:import_id>/resume", methods=["POST"])
@imports.operation("resume_import", KeyScope.IMPORTS, records=True)
@imports.response(200, ImportSchema, headers=REPLAYED)
def post_resume(import_id: UUID) -> Response:
    """Resume a paused import."""
    return _changed(resume_job(current_transaction(), import_id, KIND))


@imports.route("/v1/imports/<uuid:import_id>/results", methods=["GET"])
@imports.operation("list_import_results", KeyScope.IMPORTS, KeyScope.READ)
@imports.response(
    200, NDJSON_SCHEMA, content_type=NDJSON, description="One JSON object per line, in the order of the file."
)
def get_results(import_id: UUID) -> Response:
    """
    List the result of every line so far, as NDJSON.

    A line is `{"line", "status", "round", "problem"}`: `status` is `stored`, `replayed` or `refused`, and `problem`
    says why the line was refused. Lines that are not done yet are omitted. The results are deleted 90 days after the
    end of the import, unless the service is configured otherwise (404).
    """
    transaction = current_transaction()
    retention: Retention = current_services().config.retention
    read = partial(database().reading, transaction.club_id)
    job, blocks = list_import_results(transaction, import_id, read, retention)
    return Response(_with_whole_problems(blocks, job.request_id or current_request().request_id), content_type=NDJSON)


def _with_whole_problems(blocks: Iterator[bytes], request_id: str) -> Iterator[bytes]:
    """Yield the lines, each stored problem completed to a whole problem document."""
    for block in blocks:
        yield b"".join(
            line if line.endswith(b'"problem":null}\n') else _with_whole_problem(line, request_id)
            for line in block.splitlines(keepends=True)
        )


def _with_whole_problem(line: bytes, request_id: str) -> bytes:
    result = json.loads(line)
    problem = result["problem"]
    result["problem"] = build_problem(problem["code"], problem["detail"], problem["errors"], request_id)
    return json.dumps(result, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _changed(job: StoredJob) -> Response:
    transaction = current_transaction()
    look_after_commit(transaction, job.id, current_services().send)
    return json_response(dump_job(view_import(transaction, job)))
