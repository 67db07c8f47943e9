"""Start imports and recomputations."""

from collections.abc import Iterator
from functools import partial
from http import HTTPStatus
from itertools import chain
from typing import Any, Final
from uuid import UUID

from flask import redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import WireError, load
from schemas.fields import show_time
from schemas.jobs.recomputations import APPLY, AUDIT, RecomputationRequest, RecomputationRequestSchema
from schemas.ledger.page_queries import Evenings
from schemas.settlements import IMPORT_STATES
from scoring.errors import Mistake
from service.clubs.scopes import KeyScope
from service.config import ImportLimits
from service.console.views.addresses import read_dates
from service.console.views.jobs import show_changed_job, show_job
from service.console.views.links import find_table, list_table_names
from service.console.views.pages import console, console_form, console_page, console_upload, render
from service.console.views.session import allows, current_club, read_form
from service.errors import ScopeMissing
from service.http.authentication import current_key, current_transaction, database
from service.http.request_body import limit_blocks
from service.http.request_state import current_request
from service.http.responses import encode_json
from service.http.services import current_services
from service.http.uploads import Upload
from service.imports.actions.imports import discard_import, receive_import
from service.imports.actions.imports import start_import as start_received_import
from service.jobs.app import look_after_commit
from service.places import IMPORT_TURNS
from service.proposals.actions.proposals import propose_recomputation
from service.recomputations.actions.recomputations import get_recomputation, start_recomputation

_GZIP: Final = b"\x1f\x8b"
_REQUEST: Final = RecomputationRequestSchema()


@console.get("/jobs/import")
@console_page(KeyScope.IMPORTS)
def show_new_import() -> str:
    """Render the form that imports a file."""
    limits: ImportLimits = current_services().config.imports
    return render("new_import.html", limits=limits, states=IMPORT_STATES, chosen=read_form().get("state", "final"))


@console.post("/jobs/import")
@console_upload(KeyScope.IMPORTS, show_again=show_new_import)
def start_import(upload: Upload) -> BaseResponse:
    """Import the rounds of a file, plain or gzipped, and show the import. The same file again shows the same import."""
    state = upload.fields.get("state", IMPORT_STATES[0])
    if not upload.filename:
        detail = "is required; expected a file of round documents, one a line"
        raise WireError((Mistake("field-missing", ("file",), detail),))
    if state not in IMPORT_STATES:
        raise WireError((Mistake("not-a-choice", ("state",), f"is unknown; expected {' or '.join(IMPORT_STATES)}"),))
    limits: ImportLimits = current_services().config.imports
    key = current_key()
    begin = partial(database().transaction, key.club_id, actor=key.id, request_id=current_request().request_id)
    with IMPORT_TURNS.take(key.id) as wait:
        first, rest = _look_at_start(wait(upload.blocks))
        blocks = limit_blocks(chain([first], rest), limits, is_packed=first.startswith(_GZIP))
        # Read the first block before the import begins: an unreadable file starts no import.
        received = receive_import(begin, chain([next(blocks, b"")], blocks), limits)
    is_started = False
    try:
        with begin() as transaction:
            started = start_received_import(transaction, received, state, limits)
            look_after_commit(transaction, started.view.id, current_services().send)
        is_started = not started.is_replay
    finally:
        if not is_started:
            discard_import(begin, received.job_id)
    return redirect(url_for("console.show_job", job_id=started.view.id), HTTPStatus.SEE_OTHER)


def _look_at_start(blocks: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first bytes of a file, which show whether it is gzip, and the rest."""
    start = b""
    while len(start) < len(_GZIP) and (block := next(blocks, b"")):
        start += block
    return start, blocks


@console.get("/jobs/recomputation")
@console_page(KeyScope.RECOMPUTE)
def show_new_recomputation() -> str:
    """Render the form that recomputes stored rounds."""
    return render("new_recomputation.html", tables=list_table_names(current_transaction()), chosen=read_form())


@console.post("/jobs/recomputation")
@console_form(KeyScope.RECOMPUTE, show_again=show_new_recomputation)
def start() -> BaseResponse:
    """Start an audit of stored rounds, and show it."""
    request = _read_request({name: value.strip() for name, value in read_form().items()})
    view = start_recomputation(current_transaction(), request)
    return show_changed_job(view.job.id)


@console.post("/jobs/<uuid:job_id>/apply")
@console_form(KeyScope.RECOMPUTE, show_again=show_job)
def apply_audit(job_id: UUID) -> BaseResponse:
    """
    Apply what an audit found, and show the recomputation that does so.

    If a second auditor must confirm it, because final rounds are changed too, it is proposed.
    """
    form, transaction = read_form(), current_transaction()
    get_recomputation(transaction, job_id)
    fields = {
        "audit": str(job_id),
        "mode": APPLY,
        "reason": form.get("reason", "").strip(),
        "final": form.get("final") == "yes",
    }
    request: RecomputationRequest = load(_REQUEST, fields)
    if request.final and not allows(KeyScope.CORRECT_FINAL):
        raise ScopeMissing("final rounds can be changed with a key that has the scope 'correct-final' only")
    if request.final and current_club().second_auditor:
        received = encode_json({"reason": request.reason})
        proposed = propose_recomputation(transaction, job_id, request.reason, received)
        address = url_for("console.show_proposal", proposal_id=proposed.view.proposal.id)
        return redirect(address, HTTPStatus.SEE_OTHER)
    view = start_recomputation(transaction, request)
    return show_changed_job(view.job.id)


def _read_request(form: dict[str, str]) -> RecomputationRequest:
    period = Evenings(*read_dates()).times(current_club())
    scope: dict[str, Any] = {"from": show_time(period["opened_from"]), "to": show_time(period["opened_before"])}
    if form.get("table"):
        scope["table"] = str(find_table(current_transaction(), form["table"]))
    if form.get("round"):
        scope["rounds"] = form["round"].replace(",", " ").split()
    if form.get("of_ruleset"):
        scope["ruleset"] = form["of_ruleset"]
    recomputation: RecomputationRequest = load(
        _REQUEST,
        {
            "scope": scope,
            "mode": AUDIT,
            "ruleset": form.get("ruleset") or None,
            "reason": form.get("reason", ""),
        },
    )
    return recomputation
