"""The evidence of a round: its file, and the checks of `ofc verify` on it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from flask import Response
from werkzeug.wrappers import Response as BaseResponse

from evidence import EvidenceError, VerifierKey
from evidence.files import encode_file
from schemas.base import WireError
from schemas.fields import Text
from schemas.pages import QuerySchema
from schemas.problems import show_pointer
from schemas.verification.evidence_file import verify
from schemas.verification.report import Outcome, Report, split_place
from schemas.verification.sentences import describe_finding
from scoring.errors import Mistake
from service.clubs.scopes import KeyScope
from service.console.views.addresses import read_known_query
from service.console.views.exports import Column, attach, send_list, wanted_form
from service.console.views.pages import console, console_page, render
from service.console.views.rounds.reading import read_round
from service.http.authentication import current_transaction
from service.http.responses import encode_json
from service.rounds.actions.evidence import get_evidence

_JSON: Final = "application/json"

_OUTCOMES: Final = {
    Outcome.PASSED: ("Passed", "Everything was checked, and no later event of the round is missing."),
    Outcome.PASSED_SO_FAR: ("Passed so far", "Everything that is signed was checked. Later events are not signed yet."),
    Outcome.FAILED: ("Failed", "Something in the evidence does not follow from the events. Each error is listed."),
    Outcome.INCOMPLETE: ("Incomplete", "Nothing is wrong, and something could not be checked. Each reason is listed."),
}


class VerificationQuerySchema(QuerySchema):
    """The key that the visitor trusts."""

    key = Text(longest=300)


@dataclass(frozen=True, slots=True)
class Check:
    """A check and its result in words; for a finding also its code, and for some checks the place in the file."""

    result: str
    text: str
    code: str | None = None
    where: str | None = None


_COLUMNS: Final[Sequence[Column[Check]]] = (
    Column("result", lambda check: check.result),
    Column("check", lambda check: check.text),
    Column("code", lambda check: check.code),
    Column("where", lambda check: check.where),
)


@console.get("/rounds/<uuid:round_id>/evidence")
@console_page(KeyScope.AUDIT)
def download_evidence(round_id: UUID) -> BaseResponse:
    """Send the evidence file of a round, which `ofc verify` verifies without the service."""
    content = encode_json(encode_file(get_evidence(current_transaction(), round_id)))
    response = Response(content, content_type=_JSON)
    return attach(response, f"evidence-{round_id}", "json")


@console.get("/rounds/<uuid:round_id>/verification")
@console_page(KeyScope.AUDIT)
def verify_round(round_id: UUID) -> str | BaseResponse:
    """Run the checks of `ofc verify` on the evidence of a round, and render each with its result, or send them."""
    written = (read_known_query(VerificationQuerySchema())["key"] or "").strip()
    keys = [_read_key(written)] if written else []
    # The checks read the file as it is downloaded.
    file: dict[str, Any] = json.loads(encode_json(encode_file(get_evidence(current_transaction(), round_id))))
    report = verify(file, keys)
    if form := wanted_form():
        return send_list(f"verification-{round_id}", form, _COLUMNS, _checks(report))
    title, meaning = _OUTCOMES[report.outcome]
    return render(
        "round_verification.html",
        read=read_round(round_id, None),
        outcome=title,
        meaning=meaning,
        extent=report.document["extent"],
        checks=list(_checks(report)),
        key=written,
    )


def _read_key(written: str) -> VerifierKey:
    try:
        return VerifierKey.read(written)
    except EvidenceError as error:
        raise WireError(tuple(Mistake(each.code, ("key",), each.detail) for each in error.mistakes)) from error


def _checks(report: Report) -> Iterator[Check]:
    """Yield each check, failed ones first."""
    for finding in report.failed:
        yield Check("Failed", describe_finding(finding), finding.code, show_pointer(finding.path))
    for result, lines in (
        ("Passed", report.verified),
        ("Not checked", report.unchecked),
        ("Not signed yet", report.unsigned),
    ):
        for line in lines:
            where, text = split_place(line)
            yield Check(result, text, where=where)
