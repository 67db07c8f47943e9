"""Texts of people over HTTP: erased from every record, while events, figures and evidence stay verified."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields
from itertools import count
from typing import Any, Final, get_type_hints
from uuid import UUID

import psycopg
import pytest

from evidence.events import PAYLOADS
from schemas.base import WireSchema
from schemas.disputes import AuthorField, DisputeTextField
from schemas.game_fields import ReasonField
from schemas.metadata import MetadataField
from schemas.verification.evidence_file import verify as verify_file
from scoring.presets import PRESETS
from service.audit_trail.actions import make_checkpoint
from service.clubs.scopes import EVERY_SCOPE
from service.http.idempotency import TEXT_KEYS
from tests.service.feed.test_api_feed import key_with
from tests.service.tables.test_changed_tables import verify
from tests.support.api_client import Api, ApiResponse
from tests.support.api_corrections import SWAPPED, correct
from tests.support.api_disputes import MISREAD
from tests.support.application import SIGNING_KEY, House
from tests.support.database.search_tables import tables_that_hold
from tests.support.import_lines import club_of, database_of
from tests.support.process_jobs import plan_job, work_on_job
from tests.support.sample_rounds import (
    COMPLETE,
    NOBODYS,
    SIXES,
    THREE,
    Document,
    add_table,
    document_of,
    hand,
    open_round,
    seats,
)

ERASED: Final = "Erasable"
_numbers: Final = count(1)


def send(api: Api, method: str, path: str, body: object = None) -> ApiResponse:
    """Send a request whose response is stored for retries."""
    key = {"Idempotency-Key": f"retry-{next(_numbers)}"}
    response = api.request(method, path, json=body, headers=key) if body is not None else api.request(method, path)
    assert response.status in (200, 201, 202, 204), response
    return response


@dataclass
class Written:
    """A club with a text of every kind, each of which has the word `Erasable`, and the IDs of their records."""

    api: Api
    auditor: Api
    records: dict[str, str]

    @property
    def round_address(self) -> str:
        return f"/v1/rounds/{self.records['round']}"


def write_texts(house: House, api: Api) -> Written:
    """Record a text of every kind."""
    records: dict[str, str] = {}
    named = {"name": f"{ERASED} auditor", "scopes": [EVERY_SCOPE]}
    key = send(api, "POST", "/v1/keys", named)
    auditor = Api(house.app, key["secret"])
    table = send(
        api, "POST", "/v1/tables", {"name": "kitchen", "ruleset": "pineapple-qq", "metadata": metadata("table")}
    )
    records |= {"key": key["id"], "table": table["id"]}
    at_table = f"/v1/tables/{table['id']}"
    opening = {"seats": seats(SIXES), "metadata": metadata("round"), "reference": "evening/1"}
    round_id = send(api, "POST", f"{at_table}/rounds", opening)["id"]
    in_round = f"/v1/rounds/{round_id}"
    records["round"] = round_id
    first = send(api, "POST", f"{in_round}/hands", {**COMPLETE[0], "metadata": metadata("hand"), "reference": "deal/1"})
    send(api, "PATCH", f"/v1/hands/{first['id']}", {"metadata": metadata("hand changed")})
    records["hand"] = first["id"]
    misread = send(api, "POST", f"{in_round}/hands", hand(2, 2, {1: THREE[2], 2: THREE[1], 3: THREE[3]}))
    undoing = {"number": 2, "hand": misread["id"], "reason": f"{ERASED} undo"}
    send(api, "POST", f"{in_round}/undo", undoing)
    send(api, "POST", f"{in_round}/departures", {"seat": 3, "reason": f"{ERASED} departure of cyd"})
    send(api, "POST", f"{in_round}/close", {"reason": f"{ERASED} closing"})
    dispute(written := Written(api, auditor, records))
    pay(written)
    player = {"table": table["id"], "kind": "player", "player": "ann", "label": f"{ERASED} phone"}
    records["link"] = send(api, "POST", "/v1/links", player)["id"]
    records["other link"] = send(api, "POST", "/v1/links", {"table": table["id"], "label": f"{ERASED} screen"})["id"]
    send(api, "PUT", "/v1/players/ann", {"display_name": f"Ann {ERASED}", "metadata": metadata("player")})
    records["document"] = send_document(api)
    records["recomputation"] = settle_by_other_rules(house, api, records["document"])
    return written


def metadata(of: str) -> Document:
    return {"note": f"{ERASED} metadata of {of}"}


def dispute(written: Written) -> None:
    """A dispute with a claim, a comment, a correction and a decision, by players and by a key."""
    api, auditor, round_id = written.api, written.auditor, written.records["round"]
    claim = {"round": round_id, "claim": f"{ERASED} claim", "by": "ann", "hand": 1, "seat": 1, "row": "top"}
    dispute_id = send(api, "POST", "/v1/disputes", claim)["id"]
    written.records["dispute"] = dispute_id
    address, by = f"/v1/disputes/{dispute_id}", f"{ERASED} auditor"
    send(api, "POST", f"{address}/comments", {"comment": f"{ERASED} comment", "by": "ann"})
    send(auditor, "POST", f"{address}/review", {"version": 2, "by": by})
    version = api.get(f"/v1/rounds/{round_id}")["version"]
    patch = [
        {**MISREAD[0], "path": "/hands/0/players/0/top"},
        {"op": "replace", "path": "/departures/0/reason", "value": f"{ERASED} corrected departure"},
        {"op": "replace", "path": "/closed/reason", "value": f"{ERASED} corrected closing"},
    ]
    correction = {"reason": f"{ERASED} correction", "version": version, "patch": patch, "dispute": dispute_id}
    send(api, "POST", f"/v1/rounds/{round_id}/corrections", correction)
    decision = {"version": 3, "by": by, "state": "upheld", "reason": f"{ERASED} decision"}
    send(auditor, "POST", f"{address}/resolve", decision)


def pay(written: Written) -> None:
    """A payment and a charge, both taken back."""
    paying = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 1, "note": f"{ERASED} note", "reference": "p"}
    charging = {"player": "bob", "unit": "EUR", "amount": 1, "reason": f"{ERASED} drinks", "reference": "c"}
    for kind, body in (("payment", paying), ("charge", charging)):
        recorded = send(written.api, "POST", f"/v1/{kind}s", body)["id"]
        reversal = send(written.api, "POST", f"/v1/{kind}s/{recorded}/reversal", {"reason": f"{ERASED} reversal"})["id"]
        written.records |= {kind: recorded, f"reversal of a {kind}": reversal}


def send_document(api: Api) -> str:
    """A round in one document, with a reason of a departure and of a closing."""
    document = document_of("pineapple-qq", hands=COMPLETE[:1], table="sent whole", reference="evening/2")
    document["departures"] = [{"seat": 2, "after_hand": 1, "reason": f"{ERASED} departure of bob"}]
    document["closed"] = {"after_hand": 1, "reason": f"{ERASED} closing of a document"}
    return str(send(api, "POST", "/v1/documents", document)["round"]["id"])


def settle_by_other_rules(house: House, api: Api, round_id: str) -> str:
    """A recomputation that revises a round; return its ID."""
    club, other = club_of(house, api), PRESETS["pineapple-2-4-us-none"]
    asked = {"mode": "apply", "scope": {"rounds": [round_id]}, "ruleset": str(other)}
    job_id = str(send(api, "POST", "/v1/recomputations", {**asked, "reason": f"{ERASED} recomputation"})["id"])
    plan_job(database_of(house), club, UUID(job_id))
    work_on_job(database_of(house), club, UUID(job_id))
    assert api.get(f"/v1/recomputations/{job_id}")["summary"]["applied"] == 1
    return job_id


@pytest.fixture
def written(house: House, api: Api) -> Written:
    return write_texts(house, api)


def evidence(house: House, written: Written, name: str = "round") -> Document:
    with database_of(house).transaction(club_of(house, written.api)) as transaction:
        make_checkpoint(transaction, SIGNING_KEY)
    document: Document = written.api.get(f"/v1/rounds/{written.records[name]}/evidence").document
    return document


# --- erased ---


def test_an_erased_text_of_any_kind_is_nowhere_and_everything_is_still_verified(house: House, written: Written) -> None:
    api = written.api
    figures = [api.get(f"{written.round_address}/settlement")["net"], api.get("/v1/balances").document]
    assert tables_that_hold(house, ERASED) == {"texts", "players", "api_keys", "links", "jobs", "idempotent_responses"}
    assert "events" not in tables_that_hold(house, ERASED)
    assert verify(house, api) == []
    [before, *_] = files = [evidence(house, written, name) for name in ("round", "document")]
    assert all(verify_file(file).failed == [] for file in files)
    assert ERASED in str(before["texts"])

    assert api.delete("/v1/players/ann").status == 204
    assert verify(house, api) == []
    for record in written.records.values():
        assert api.delete(f"/v1/texts/{record}").status == 204, record
    for record in written.records.values():
        events = house.query("SELECT count(*) FROM events")
        assert api.delete(f"/v1/texts/{record}").status == 204, "an erasure can be sent again"
        assert house.query("SELECT count(*) FROM events") == events

    with psycopg.connect(house.owner_url) as owner:
        owner.execute("ANALYZE")
    assert tables_that_hold(house, ERASED) == set()
    assert verify(house, api) == []
    assert [api.get(f"{written.round_address}/settlement")["net"], api.get("/v1/balances").document] == figures
    for name in ("round", "document"):
        file = evidence(house, written, name)
        assert file["texts"] == []
        assert verify_file(file).failed == []
    # A file from before the erasure has the texts, and is still verified.
    assert verify_file(before).failed == []


def test_an_erased_text_is_null_where_it_was_read(written: Written) -> None:
    api, records = written.api, written.records
    for record in records.values():
        assert api.delete(f"/v1/texts/{record}").status == 204
    assert api.get(f"{written.round_address}/settlement")["reason"] is None
    document = api.get(f"{written.round_address}/document").document
    assert [left["reason"] for left in document["departures"]] == [None]
    assert document["closed"]["reason"] is None
    dispute = api.get(f"/v1/disputes/{records['dispute']}").document
    assert dispute["claim"] is None
    assert [(entry["by"], entry["words"]) for entry in dispute["history"]] == [
        ("ann", None),
        (None, None),
        (None, None),
    ]
    for address in (f"/v1/tables/{records['table']}", written.round_address, f"/v1/hands/{records['hand']}"):
        assert api.get(address)["metadata"] == {}
    [key] = [key for key in api.get("/v1/keys")["keys"] if key["id"] == records["key"]]
    assert key["name"] == key["prefix"]
    links = {link["id"]: link["label"] for link in api.get("/v1/links")["links"]}
    assert links == {records["link"]: "player", records["other link"]: "viewer"}
    assert {line["note"] for line in api.get("/v1/ledger?limit=100")["lines"]} == {None}


def test_a_round_is_corrected_and_closed_again_after_its_texts_were_erased(house: House, written: Written) -> None:
    api = written.api
    assert api.delete(f"/v1/texts/{written.records['round']}").status == 204
    version = api.get(written.round_address)["version"]
    back = [{"op": "replace", "path": "/hands/0/players/0/top", "value": THREE[1].split("/")[0].split()[0]}]
    back[0]["value"] = hand(1, 1, THREE)["players"][0]["top"]
    corrected = send(
        api, "POST", f"{written.round_address}/corrections", {"reason": "as it was", "version": version, "patch": back}
    )
    assert corrected["changed"]
    document = api.get(f"{written.round_address}/document").document
    assert (document["departures"][0]["reason"], document["closed"]["reason"]) == (None, None)
    assert verify(house, api) == []
    assert verify_file(evidence(house, written)).failed == []


def test_the_metadata_that_came_with_a_corrected_hand_are_erased(house: House, api: Api) -> None:
    round_id = open_round(api, add_table(api), SIXES)["id"]
    bodies = [{**body, "metadata": {"note": f"Withheld {body['number']}"}, "dealt_again": True} for body in COMPLETE]
    for body in bodies:
        assert api.post(f"/v1/rounds/{round_id}/hands", body).status == 201
    assert correct(api, round_id, patch=[*SWAPPED, {**MISREAD[0], "path": "/hands/0/players/0/top"}]).status == 201
    first, second, third = (each["id"] for each in api.get(f"/v1/rounds/{round_id}/hands")["hands"])
    assert api.patch(f"/v1/hands/{first}", {"metadata": {}}).status == 200
    assert api.delete(f"/v1/texts/{second}").status == 204
    assert api.delete(f"/v1/texts/{third}").status == 204
    assert tables_that_hold(house, "Withheld") == set()
    assert verify(house, api) == []


def test_erasing_a_player_erases_what_they_wrote_and_what_is_about_them(house: House, written: Written) -> None:
    api = written.api
    assert api.delete("/v1/players/cyd").status == 204
    dispute = api.get(f"/v1/disputes/{written.records['dispute']}").document
    assert dispute["claim"] == f"{ERASED} claim"
    document = api.get(f"{written.round_address}/document").document
    assert [left["reason"] for left in document["departures"]] == [None]
    assert document["closed"]["reason"] == f"{ERASED} corrected closing"
    left = "SELECT content FROM texts WHERE round_id = %s AND content LIKE %s"
    assert house.query(left, written.records["round"], f"%{ERASED} departure of cyd%") == []

    assert api.delete("/v1/players/ann").status == 204
    dispute = api.get(f"/v1/disputes/{written.records['dispute']}").document
    assert dispute["claim"] is None
    assert [entry["words"] for entry in dispute["history"]] == [None, None, f"{ERASED} decision"]
    assert verify(house, api) == []


def test_a_retry_after_an_erasure_is_recognised_by_its_content(written: Written) -> None:
    """The stored responses are gone, because they have texts, and so are the digests of their requests."""
    api, records = written.api, written.records
    assert api.delete(f"/v1/texts/{records['round']}").status == 204
    assert api.delete(f"/v1/texts/{records['payment']}").status == 204
    closing = api.post(f"{written.round_address}/close", {"reason": "whatever it was"})
    assert (closing.status, closing.headers["Idempotent-Replayed"]) == (200, "true")
    paying = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 1, "note": "whatever", "reference": "p"}
    assert api.post("/v1/payments", paying)["id"] == records["payment"]


@pytest.mark.parametrize("scope", ["write", "disputes", "audit"])
def test_only_a_key_of_the_scope_admin_erases_the_texts_of_a_record(house: House, api: Api, scope: str) -> None:
    assert key_with(house, api, scope).delete(f"/v1/texts/{NOBODYS}")["code"] == "scope-missing"


def test_the_texts_of_a_record_that_does_not_exist_cannot_be_erased(written: Written, other_api: Api) -> None:
    assert written.api.delete(f"/v1/texts/{NOBODYS}").status == 404
    for record in written.records.values():
        assert other_api.delete(f"/v1/texts/{record}").status == 404
    assert written.api.get(f"{written.round_address}/settlement")["reason"] == f"{ERASED} correction"


# --- no clear text in events, and no column without a decision ---

IDENTIFIERS: Final = {
    "ChargeRecorded": {"player", "reference", "unit"},
    "ClubChanged": {"evening_begins", "time_zone"},
    "ClubCreated": {"name"},
    "DisputeCommented": {"by"},
    "DisputeOpened": {"by"},
    "DisputeResolved": {"by"},
    "DisputeReviewed": {"by"},
    "DisputeWithdrawn": {"by"},
    "HandRecorded": {"reference"},
    "KeyCreated": {"player", "prefix"},
    "KeyRevoked": {"prefix"},
    "LinkIssued": {"player"},
    "MetadataChanged": {"player"},
    "PaymentClaimed": {"payee", "payer", "reference", "unit"},
    "PaymentRecorded": {"payee", "payer", "reference", "unit"},
    "PlayerErased": {"player"},
    "PlayerJoined": {"alias", "player"},
    "PlayerNamed": {"player"},
    "PlayerParted": {"alias", "player"},
    "RoundCorrected": {"ruleset"},
    "RoundOpened": {"unit", "reference", "ruleset"},
    "RoundRecomputed": {"ruleset"},
    "TableChanged": {"unit", "name", "reference", "ruleset"},
    "TableCreated": {"unit", "name", "reference", "ruleset"},
    "UnitDefined": {"code", "name"},
    "WebhookAdded": {"host", "state"},
    "WebhookChanged": {"host", "state"},
    "WebhookRemoved": {"host"},
    "WebhookSecretRotated": {"host"},
}
"""The texts in events, of each kind of event: IDs, names of tables, units and clubs, codes, and no texts of people."""


def test_events_have_texts_that_identify_something_and_no_others() -> None:
    texts: dict[str, set[str]] = {}
    for payload in PAYLOADS.values():
        hints = get_type_hints(payload)
        named = {each.name for each in fields(payload) if hints[each.name] in (str, str | None)}
        texts |= {payload.__name__: named} if named else {}
    assert texts == IDENTIFIERS


def fields_of_texts(schema: WireSchema) -> Iterator[tuple[str, Any]]:
    for name, field in schema.fields.items():
        if isinstance(field, ReasonField | DisputeTextField | MetadataField | AuthorField):
            yield field.data_key or name, field
        inner = getattr(field, "schema", None) or getattr(getattr(field, "inner", None), "schema", None)
        if isinstance(inner, WireSchema):
            yield from fields_of_texts(inner)


def test_stored_responses_with_any_text_of_a_person_are_recognised() -> None:
    schemas = [each for each in _all_schemas(WireSchema) if each.__module__.startswith("schemas.")]
    keys = {key for schema in schemas for key, _ in fields_of_texts(schema())}
    assert keys == {*TEXT_KEYS, "metadata"}


def _all_schemas(base: type[WireSchema]) -> Iterator[type[WireSchema]]:
    for each in base.__subclasses__():
        yield from _all_schemas(each)
        if not re.search("^_|Compiled", each.__name__):
            yield each
