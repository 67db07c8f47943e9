"""A club with at least two records of every kind."""

import json
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from evidence import Checkpoint, SigningKey, read_note
from evidence.events import FinalReason
from scoring.presets import PRESETS
from service.audit_trail.actions import make_checkpoint
from service.clubs.actions import create_key, find_club, revoke_key, rotate_key
from service.rounds.queries import rounds, settlements
from service.rounds.queries.round_filter import RoundFilter
from service.rulesets.actions import store_ruleset
from service.verification.actions import acknowledge_findings
from service.verification.queries.findings import StoredFinding
from service.verification.queries.results import VerificationResult, find, store
from tests.support.api_client import Api
from tests.support.api_disputes import MISREAD, opened, step
from tests.support.application import House
from tests.support.auditors import auditor, confirm, proposed, require_second_auditor, withdraw
from tests.support.database.recomputed_rounds import recompute
from tests.support.examples.cosignatures import FRIEND, cosignature_of
from tests.support.import_lines import club_of, database_of, import_all, lines_of
from tests.support.process_jobs import Club
from tests.support.sample_rounds import (
    COMPLETE,
    SIXES,
    THREE,
    add_table,
    complete_round,
    correct_round,
    document_of,
    find_record,
    hand,
    play,
    seats,
    start_round,
    undo,
)

EXAMPLES = Path(__file__).parents[2] / "examples"
IMPORTED = ("1-6-russian-unlimited", "kk", "1-6-us-unlimited", "2-4-us-classic", "2-4-us-none", "qq")
"""Two rounds with a closing, two with a departure and two with a top-up. Each ruleset takes verification longer."""


@dataclass(frozen=True)
class Lived:
    """A club in which everything has happened, and checkpoints of it that were stored elsewhere."""

    house: House
    club: UUID
    checkpoints: tuple[Checkpoint, ...]


def live(house: House, api: Api) -> Lived:
    """Record every kind of event in the club of a client."""
    club = club_of(house, api)
    key = SigningKey.make("suite")
    _keys_come_and_go(house, club)
    _webhooks_come_and_go(api)
    _tables_are_changed(api)
    notes = [_sign(house, club, key)]
    _rounds_are_played(api)
    _a_round_is_confirmed(house, api, club)
    notes.append(_sign(house, club, key))
    _rounds_are_settled_by_other_rules(house, club, api)
    _players_are_named(api)
    _money_is_paid(api)
    _changes_are_proposed(house, api)
    _payments_are_claimed(api)
    _records_have_metadata(api)
    for name in ("study", "attic"):
        _a_final_round_is_corrected(house, api, club, name)
        _a_round_is_disputed(api, f"{name} disputed")
    _texts_are_erased(api)
    _findings_are_acknowledged(house, club)
    notes.append(_sign(house, club, key))
    _checkpoints_are_cosigned(api)
    documents = [json.loads((EXAMPLES / f"pineapple-{name}.json").read_bytes()) for name in IMPORTED]
    assert {line.status for line in import_all(house, club, lines_of(documents), is_final=True)} == {"stored"}
    return Lived(house, club, tuple(Checkpoint.read(read_note(note).text) for note in notes))


def _sign(house: House, club: UUID, key: SigningKey) -> str:
    with database_of(house).transaction(club) as transaction:
        return make_checkpoint(transaction, key).checkpoint.note


def _checkpoints_are_cosigned(api: Api) -> None:
    for each in api.get("/v1/checkpoints")["checkpoints"][:2]:
        request = cosignature_of(api, each["id"], FRIEND)
        assert api.post(f"/v1/checkpoints/{each['id']}/cosignatures", request).status == 201


def _keys_come_and_go(house: House, club: UUID) -> None:
    [(name,)] = house.query("SELECT name FROM clubs WHERE id = %s", club)
    record = find_club(house.owner, name)
    key = create_key(house.owner, record, name="tablet", scopes=("read", "write"), lifetime=timedelta(days=90))
    rotate_key(house.owner, key.key.prefix, timedelta(minutes=5))
    revoke_key(house.owner, create_key(house.owner, record, name="lost").key.prefix)


def _webhooks_come_and_go(api: Api) -> None:
    for number in (1, 2):
        body = {"url": f"https://club.example/{number}", "kinds": ["round.completed"]}
        address = api.post("/v1/webhooks", body).headers["Location"]
        assert api.patch(address, {"state": "disabled"}).status == 200
        assert api.post(f"{address}/secret/rotate", {}).status == 200
        assert api.delete(address).status == 204


def _findings_are_acknowledged(house: House, club: UUID) -> None:
    """Acknowledge what two verifications find, one after the other."""
    for number in (1, 2):
        with house.owner.transaction(club) as transaction:
            differing = StoredFinding(bytes([number] * 32), "figure-differs", "hands", "a figure", None, None)
            store(transaction, VerificationResult(transaction.now, 10, 1, is_complete=True), [differing])
        with database_of(house).transaction(club) as transaction:
            last = find(transaction)
            assert last is not None
            assert acknowledge_findings(transaction, last.ended_at) == 1


def _tables_are_changed(api: Api) -> None:
    """Change and archive two tables, and bring one of them back."""
    for number in (1, 2):
        address = f"/v1/tables/{add_table(api, name=f'changed {number}')}"
        for changes in ({"name": f"renamed {number}", "minimum_stack": 20 * number}, {"is_archived": True}):
            assert api.patch(address, changes).status == 200
    assert api.patch(address, {"is_archived": False}).status == 200


def _rounds_are_played(api: Api) -> None:
    for number in (1, 2):
        chips = {"code": f"chips{number}", "name": f"Chips {number}", "digits": number}
        assert api.post("/v1/units", chips).status == 201
        round_id = start_round(api, "pineapple-qq", SIXES, name=f"undone {number}", point_value=number, unit="EUR")
        play(api, round_id, *COMPLETE[:2])
        assert undo(api, round_id, 2).status == 201
        swapped = hand(2, 2, {**THREE, 1: THREE[2], 2: THREE[1]}, played_at=f"2026-11-20T21:0{number}:00Z")
        play(api, round_id, swapped)
        assert api.post(f"/v1/rounds/{round_id}/departures", {"seat": 3, "reason": f"train {number}"}).status == 201
        late = start_round(
            api, "progressive-round", {1: f"ann {number}00", 2: "bob 10", 3: "cyd 100"}, name=f"late {number}"
        )
        play(api, late, COMPLETE[0])
        assert api.post(f"/v1/rounds/{late}/close", {"reason": f"it is late {number}"}).status == 200
    _next_round(api, late)
    _links_are_revoked(api, late)
    _links_to_tables_are_lent(api, late)
    nobody_played = document_of(hands=[], table="nobody played", reference="evening/2")
    assert api.post("/v1/documents", nobody_played).status == 201


def _a_round_is_confirmed(house: House, api: Api, club: UUID) -> None:
    round_id = start_round(api, name="confirmed")
    play(api, round_id, *COMPLETE)
    with database_of(house).transaction(club) as transaction:
        stored = settlements.confirm(transaction, rounds.lock(transaction, UUID(round_id)), 1)
        settlements.confirm(transaction, stored, 2)


def _rounds_are_settled_by_other_rules(house: House, club: UUID, api: Api) -> None:
    other, sent = PRESETS["pineapple-2-4-us-none"], []
    for number in (1, 2):
        document = document_of(hands=COMPLETE, table="sent whole", reference=f"morning/{number}")
        response = api.post("/v1/documents", document)
        assert response.status == 201, response
        sent.append(UUID(response["round"]["id"]))
    with database_of(house).transaction(club) as transaction:
        store_ruleset(transaction, other)
        assert recompute(transaction, RoundFilter(round_ids=tuple(sent)), ruleset=other, applies=True).applied == 2


def _links_are_revoked(api: Api, round_id: str) -> None:
    for life in (60, 120):
        link = api.post("/v1/links", {"round": round_id, "expires_in": life})["id"]
        assert api.delete(f"/v1/links/{link}").status == 204


def _links_to_tables_are_lent(api: Api, round_id: str) -> None:
    """Issue two links of each kind to a table, and revoke one of each."""
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    for kind in ("scorekeeper", "viewer"):
        for number in (1, 2):
            issued = api.post("/v1/links", {"table": table, "kind": kind, "label": f"{kind} {number}"})
            assert issued.status == 201, issued
        assert api.delete(f"/v1/links/{issued['id']}").status == 204


def _next_round(api: Api, before: str) -> None:
    table = api.get(f"/v1/rounds/{before}")["table"]
    follows = api.post(f"/v1/tables/{table}/rounds", {"seats": seats({1: "ann", 2: "bob 50", 3: "cyd"})})
    assert follows.status == 201, follows


def _players_are_named(api: Api) -> None:
    for player in ("ann", "bob", "cyd"):
        assert api.put(f"/v1/players/{player}", {"display_name": f"{player} Example"}).status == 201
    assert api.delete("/v1/players/bob").status == 204
    for alias in ("annie", "anna", "ann e"):
        assert api.post("/v1/players/ann/aliases", {"alias": alias}).status == 201
    assert api.post("/v1/players/ann/aliases/part", {"alias": "ann e"}).status == 200


def _money_is_paid(api: Api) -> None:
    """Record and take back payments and charges, with notes about two players."""
    for number in (1, 2):
        paying = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 100 * number, "note": f"cash {number}"}
        charging = {"player": "ann", "unit": "EUR", "amount": number, "reason": f"room {number}"}
        for what, body in (("payments", paying), ("charges", charging)):
            recorded = api.post(f"/v1/{what}", {**body, "reference": f"{what}/{number}"})
            assert recorded.status == 201, recorded
            taken_back = api.post(f"/v1/{what}/{recorded['id']}/reversal", {"reason": f"a mistake {number}"})
            assert taken_back.status == 201, taken_back


def _payments_are_claimed(api: Api) -> None:
    ends = [("confirm", None), ("withdraw", None), ("decline", {"reason": "not received"})]
    for number, (end, body) in enumerate(ends * 2, start=1):
        claim = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": number, "reference": f"claimed/{number}"}
        claimed = api.post("/v1/payment-claims", claim)
        assert claimed.status == 201, claimed
        assert api.post(f"/v1/payment-claims/{claimed['id']}/{end}", body).status == 201


def _changes_are_proposed(house: House, api: Api) -> None:
    """Propose corrections, with disputes and without, and to apply audits; confirm two of each and withdraw two."""
    second = auditor(house, api, "auditor-2")
    for number in (1, 2):
        round_id = complete_round(api, name=f"proposed {number}")
        dispute = opened(api, round_id)
        assert step(api, dispute, "review").status == 201
        upholds = {"version": 2, "by": "first", "reason": f"seen {number}"}
        for path in (
            proposed(api, complete_round(api, name=f"proposed anew {number}"), reason=f"misread {number}"),
            proposed(api, round_id, reason=f"disputed {number}", dispute=dispute, upholds=upholds),
        ):
            assert confirm(second, path).status == 201
        doubted = complete_round(api, name=f"doubted {number}")
        assert withdraw(second, proposed(api, doubted), f"who has seen it? {number}").status == 201
        audit = api.post("/v1/recomputations", {"mode": "audit", "scope": {}, "reason": f"what if {number}"})
        Club(house, api).work_on(audit.headers["Location"])
        path = api.post(f"{audit.headers['Location']}/proposals", {"reason": f"agreed {number}"}).headers["Location"]
        applied = confirm(second, path)["end"]["recomputation"]
        assert Club(house, api).work_on(f"/v1/recomputations/{applied}")["state"] == "succeeded"
    require_second_auditor(house, api)
    require_second_auditor(house, api, is_required=False)
    auditor(house, api, "ann's phone", player="ann")
    for name in ("bob", "cyd"):
        assert api.post("/v1/keys", {"name": f"{name}'s phone", "scopes": ["read"], "player": name}).status == 201


def _records_have_metadata(api: Api) -> None:
    """Set the metadata of two records of every kind, and change and remove some."""
    for number in (1, 2):
        described: dict[str, Any] = {"reference": f"mine {number}", "metadata": {"city": f"Lyon {number}"}}
        address = f"/v1/tables/{add_table(api, name=f'described {number}', **described)}"
        opened_round = api.post(f"{address}/rounds", {"seats": seats(SIXES), **described})
        assert opened_round.status == 201, opened_round
        play(api, opened_round["id"], {**COMPLETE[0], **described})
        played = find_record(api, opened_round["id"], 1)
        named = api.put(f"/v1/players/guest {number}", {"display_name": "Guest", "metadata": {"seat": str(number)}})
        assert named.status == 201, named
        for described_address in (f"/v1/rounds/{opened_round['id']}", f"/v1/hands/{played}"):
            assert api.patch(described_address, {"metadata": {"film": f"reel {number}"}}).status == 200
    assert api.patch(address, {"metadata": {}}).status == 200


def _texts_are_erased(api: Api) -> None:
    """Erase the texts of a round, of a payment, of a table and of a player."""
    [table] = api.get("/v1/tables?reference=mine%201")["tables"]
    [closed, *_] = api.get("/v1/rounds?status=closed")["rounds"]
    payment = api.get("/v1/ledger?kind=payment")["lines"][0]["id"]
    for record in (table["id"], closed["id"], payment):
        assert api.delete(f"/v1/texts/{record}").status == 204
    assert api.delete("/v1/players/guest 2").status == 204


def _a_final_round_is_corrected(house: House, api: Api, club: UUID, name: str) -> None:
    round_id = start_round(api, name=name)
    last = COMPLETE[2] if name == "study" else hand(3, 3, {1: THREE[3], 2: THREE[2], 3: THREE[1]})
    play(api, round_id, *COMPLETE[:2], last)
    with database_of(house).transaction(club) as transaction:
        stored = rounds.lock(transaction, UUID(round_id))
        stored = settlements.confirm(transaction, stored, 1)
        stored = settlements.confirm(transaction, stored, 2)
        settlements.finalize(transaction, stored, FinalReason.WINDOW)
    patch = [{"op": "replace", "path": "/seats/0/player", "value": "dan"}]
    corrected = correct_round(api, round_id, {"reason": f"it was dan, {name}", "patch": patch})
    assert corrected.status == 201, corrected


def _a_round_is_disputed(api: Api, name: str) -> None:
    round_id = complete_round(api, name=name)
    dispute = opened(api, round_id, hand=2, seat=1, row="top")
    for what in ("comments", "review"):
        assert step(api, dispute, what).status == 201
    correction = {"reason": "the video", "patch": MISREAD, "dispute": dispute}
    assert correct_round(api, round_id, correction).status == 201
    assert step(api, dispute, "resolve", state="upheld", reason=f"as {name} shows").status == 201
    opened(api, round_id, claim=f"nobody asked me, {name}")
