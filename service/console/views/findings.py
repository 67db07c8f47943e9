"""The findings of the last verification of the database: a list, and the button that acknowledges them."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from uuid import UUID

from flask import Response, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from schemas.base import WireSchema, load
from schemas.fields import Choice, Time, UuidField
from service.clubs.queries import keys
from service.clubs.scopes import KeyScope
from service.console.views.addresses import read_query
from service.console.views.exports import Column
from service.console.views.listing import NAME, Filter, Listing, Part, Query, show_list
from service.console.views.pages import console, console_form, console_page
from service.console.views.session import console_state, read_form
from service.db import Transaction
from service.http.authentication import current_transaction
from service.verification.actions import acknowledge_findings
from service.verification.queries import findings, results
from service.verification.queries.findings import ListedFinding, StoredFinding


class AcknowledgementSchema(WireSchema):
    """Which verification's findings were read, and of which round, if the list was that of a round."""

    verified_at = Time(required=True)
    round_id = UuidField(data_key="round", load_default=None)


_ACKNOWLEDGEMENT: Final = AcknowledgementSchema()


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding with the name of the key that acknowledged it, if one did and its name was not erased."""

    listed: ListedFinding
    by: str | None

    @property
    def finding(self) -> StoredFinding:
        """The finding."""
        return self.listed.finding


def _read_findings(transaction: Transaction, query: Query, after: UUID | None, limit: int) -> Part[FindingRow]:
    page = findings.list_page(
        transaction,
        round_id=query["round"],
        is_new=query["state"] == "new",
        after=0 if after is None else after.int,
        limit=limit + 1,
    )
    by = {each.acknowledged_by for each in page if each.acknowledged_by is not None}
    names: Mapping[UUID, str] = keys.list_names(transaction, by) if by else {}
    rows = [FindingRow(each, names.get(each.acknowledged_by) if each.acknowledged_by else None) for each in page]
    return Part(rows[:limit], UUID(int=rows[limit - 1].listed.position) if len(rows) > limit else None)


FINDINGS: Final = Listing[FindingRow](
    name="findings",
    title="Findings of the last verification",
    label="Findings",
    columns=(
        Column("position", lambda row: row.listed.position),
        Column("sentence", lambda row: row.finding.sentence, "What is wrong", "finding_sentence", is_header=True),
        Column("kind", lambda row: row.finding.kind),
        Column("place", lambda row: row.finding.place),
        Column("round", lambda row: row.finding.round_id, "Round", "finding_round"),
        Column("hand", lambda row: row.finding.hand),
        Column("acknowledged_at", lambda row: row.listed.acknowledged_at, "Acknowledged", "finding_state"),
        Column("acknowledged_by", lambda row: row.by),
    ),
    read=_read_findings,
    count=lambda transaction, query, limit: findings.count(
        transaction, round_id=query["round"], is_new=query["state"] == "new", limit=limit
    ),
    rows=("finding", "findings"),
    none="The last verification found nothing.",
    no_match="No finding matches.",
    filters=(
        Filter("state", Choice({"new": "new"}), "Show", (("", "All"), ("new", "Not acknowledged"))),
        Filter("round", UuidField(), "ID of a round", attributes=NAME | {"maxlength": 36}),
    ),
)


@console.get("/findings")
@console_page(KeyScope.AUDIT)
def list_findings() -> str | Response:
    """Render the findings of the last verification, or send them as a file."""
    transaction = current_transaction()
    console_state().page_path = url_for("console.list_findings")
    round_id: UUID | None = read_query(FINDINGS.query)["round"]
    return show_list(
        FINDINGS,
        "findings.html",
        verification=results.find(transaction),
        unacknowledged=findings.count_unacknowledged(transaction),
        round_id=round_id,
        listed=findings.count(transaction, round_id=round_id, is_new=True, limit=findings.MOST_STORED),
        most=findings.MOST_STORED,
    )


@console.post("/findings/acknowledge")
@console_form(KeyScope.AUDIT, show_again=list_findings)
def save_acknowledgement() -> BaseResponse:
    """Acknowledge the findings of the verification that was read, all or those of a round, and show them."""
    sent = {name: text for name in ("verified_at", "round") if (text := read_form().get(name))}
    read = load(_ACKNOWLEDGEMENT, sent)
    acknowledge_findings(current_transaction(), read["verified_at"], read["round_id"])
    return redirect(url_for("console.list_findings", round=read["round_id"]), HTTPStatus.SEE_OTHER)
