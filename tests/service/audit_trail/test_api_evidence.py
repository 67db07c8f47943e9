"""Evidence files over HTTP, verified from their events."""

from base64 import b64decode
from random import Random

import pytest

from evidence import SigningKey, read_event
from evidence.events import PAYLOADS, RoundEvent
from schemas.rulesets import load_ruleset
from schemas.verification.evidence_file import verify
from schemas.verification.proofs import SignedTree, read_signed
from schemas.verification.report import Outcome, Report
from scoring.ruleset import Ruleset
from service.audit_trail.actions import make_checkpoint
from service.audit_trail.queries.events import EventKind
from tests.oracle import PRESETS, random_document
from tests.scoring.test_against_oracle import spoil
from tests.support.api_client import Api
from tests.support.api_corrections import correct
from tests.support.application import House
from tests.support.database.recomputed_rounds import recompute
from tests.support.database.recorded_statements import recorded_statements
from tests.support.import_lines import club_of, database_of, import_all, lines_of
from tests.support.sample_rounds import (
    HIGH,
    LOW,
    MID,
    THREE,
    Document,
    add_table,
    changed,
    close,
    correct_round,
    depart,
    hand,
    open_round,
    play,
    post_document,
    start_round,
    undo,
    without,
)

KEY = SigningKey.make("tablestakes")
FIRST, SECOND, LAST = (hand(number, number, THREE) for number in (1, 2, 3))
SWAPPED = {"op": "replace", "path": "/hands/1", "value": hand(2, 2, {1: LOW, 2: MID, 3: HIGH})}


def evidence_of(api: Api, round_id: str, query: str = "") -> Document:
    response = api.get(f"/v1/rounds/{round_id}/evidence{query}")
    assert response.status == 200, response
    return dict(response.document)


def sign(house: House, api: Api) -> SignedTree:
    """Add all events of the club to its tree, and sign it."""
    with database_of(house).transaction(club_of(house, api)) as transaction:
        return read_signed(make_checkpoint(transaction, KEY).checkpoint.note)


def checked(house: House, api: Api, round_id: str) -> Report:
    """Check a round's evidence, in which everything is signed: nothing may be wrong, and nothing left to check."""
    sign(house, api)
    report = verify(evidence_of(api, round_id), [KEY.verifier])
    assert (report.failed, report.unchecked) == ([], [])
    assert report.outcome is Outcome.PASSED
    assert sum("follow from the events" in each for each in report.verified) == 1
    return report


# --- whatever happens in a round follows from its events ---


def test_hands_departures_undone_hands_corrections_and_closings_follow_from_the_events(api: Api, house: House) -> None:
    round_id = start_round(api, "pineapple-qq", point_value=10, unit="EUR")
    checked(house, api, round_id)
    play(
        api, round_id, FIRST, hand(2, 2, THREE, top_ups=[{"seat": 3, "points": 40}], played_at="2026-11-20T20:15:00.5Z")
    )
    depart(api, round_id, 2, reason="a train")
    checked(house, api, round_id)
    assert undo(api, round_id, 2).status == 201
    play(api, round_id, SECOND)
    checked(house, api, round_id)
    body = {"reason": "misread", "patch": [SWAPPED]}
    assert correct_round(api, round_id, body).status == 201
    depart(api, round_id, 1)
    assert close(api, round_id).status == 200
    again = {"reason": "who closed it", "patch": [{"op": "replace", "path": "/closed/reason", "value": "fire"}]}
    assert correct_round(api, round_id, again).status == 201
    checked(house, api, round_id)
    assert [each["revision"] for each in evidence_of(api, round_id)["revisions"]] == [1, 2, 3, 4]


@pytest.mark.parametrize("name", ["pineapple", "pineapple-qq", "progressive-round", "turbo", "classic"])
@pytest.mark.no_cover
def test_whatever_is_corrected_in_any_round_follows_from_the_events(api: Api, house: House, name: str) -> None:
    rng = Random(name)
    for number in range(3):
        document = {**without(random_document(rng, PRESETS[name]), "reference"), "table": f"{name} {number}"}
        posted = post_document(api, document)
        assert posted.status == 201, posted
        round_id = posted["round"]["id"]
        for attempt in range(12):
            original = api.get(f"/v1/rounds/{round_id}/document").document
            if original["hands"]:
                amended = without(spoil(rng, original), "irregular")
                body = {"reason": f"attempt {attempt}", "document": amended, "irregular": "accept"}
                correct_round(api, round_id, body)
        checked(house, api, round_id)


@pytest.mark.smoke
def test_imported_rounds_follow_from_the_events(api: Api, house: House) -> None:
    rng = Random(7)
    documents = [
        {**without(random_document(rng, PRESETS[name]), "reference"), "table": f"{name}"}
        for name in ("pineapple", "turbo", "pineapple-qq")
    ]
    club = club_of(house, api)
    import_all(house, club, lines_of(documents[:2]), is_final=True)
    import_all(house, club, lines_of(documents[2:]))
    rounds = api.get("/v1/rounds")["rounds"]
    assert len(rounds) == 3
    for each in rounds:
        checked(house, api, each["id"])
    states = {evidence_of(api, each["id"])["revisions"][0]["settlement"]["state"] for each in rounds}
    assert states <= {"final", "provisional", "open"}


def test_evidence_has_custom_rulesets_in_full(api: Api, house: House) -> None:
    rules = without(api.get("/v1/rulesets/pineapple").document, "version")
    assert api.post("/v1/rulesets", changed(rules, ("name", "double"), ("points/row", 2))).status == 201
    round_id = start_round(api, "double")
    play(api, round_id, FIRST)
    checked(house, api, round_id)
    assert evidence_of(api, round_id)["rulesets"][0]["points"]["row"] == 2


def test_a_round_that_was_recomputed_by_other_rules_follows_from_the_events(api: Api, house: House) -> None:
    add_table(api, "turbo", "another")
    round_id = start_round(api, "classic")
    play(api, round_id, FIRST, SECOND, LAST)
    with database_of(house).transaction(club_of(house, api)) as transaction:
        result = recompute(transaction, ruleset=changed_royalties(api), applies=True)
    assert result.applied == 1
    report = checked(house, api, round_id)
    assert "the rules are those of classic@1, dear@1, with the content that the events name" in report.verified


def changed_royalties(api: Api) -> Ruleset:
    """Rules under which a row is worth more, which the club has added."""
    rules = without(api.get("/v1/rulesets/classic").document, "version")
    added = api.post("/v1/rulesets", changed(rules, ("name", "dear"), ("points/row", 3)))
    assert added.status == 201, added
    return load_ruleset(added.document)


def test_disputes_change_the_settlement_state_and_no_figure(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST, SECOND, LAST)
    claim = {"round": round_id, "hand": 2, "seat": 1, "claim": "that was not my board", "by": "ann"}
    dispute = api.post("/v1/disputes", claim)
    assert dispute.status == 201, dispute
    checked(house, api, round_id)
    place = f"/v1/disputes/{dispute['id']}"
    assert api.post(f"{place}/comments", {"by": "bob", "comment": "it was"}).status == 201
    checked(house, api, round_id)
    version = api.get(place)["version"]
    withdrawn = api.post(f"{place}/withdraw", {"version": version, "by": "ann", "reason": "a mistake"})
    assert withdrawn.status in (200, 201), withdrawn
    checked(house, api, round_id)


def test_confirmations_and_what_is_paid_after_a_final_settlement_follow_from_the_events(api: Api, house: House) -> None:
    round_id = start_round(api)
    play(api, round_id, FIRST, SECOND, LAST)
    for seat in (1, 2, 3):
        assert api.post(f"/v1/rounds/{round_id}/confirmations", {"seat": seat}).status == 201
        checked(house, api, round_id)
    body = {"reason": "misread", "patch": [SWAPPED]}
    assert correct_round(api, round_id, body).status == 201
    checked(house, api, round_id)
    first, second = (each["settlement"] for each in evidence_of(api, round_id)["revisions"])
    assert (first["state"], first["confirmed"]) == ("superseded", [1, 2, 3])
    assert (second["state"], second["adjustment"]["from_revision"]) == ("provisional", 1)


def test_a_round_that_only_begins_and_one_that_follows_it_are_checked_too(api: Api, house: House) -> None:
    table = add_table(api)
    first = open_round(api, table)["id"]
    play(api, first, FIRST, SECOND, LAST)
    second = open_round(api, table, {1: "ann", 3: "cyd"}, reference="second")["id"]
    checked(house, api, first)
    checked(house, api, second)


def test_evidence_has_the_table_as_it_was_when_the_round_was_opened(api: Api, house: House) -> None:
    table = add_table(api)
    address = f"/v1/tables/{table}"
    first = open_round(api, table)["id"]
    play(api, first, FIRST, SECOND, LAST)
    for changes in ({"minimum_stack": 5}, {"name": "attic", "ruleset": "turbo"}):
        assert api.patch(address, changes).status == 200
    second = open_round(api, table)["id"]
    assert api.patch(address, {"name": "loft"}).status == 200
    assert correct_round(api, first, {"reason": "misread", "patch": [SWAPPED]}).status == 201
    for round_id, name, changes_before in ((first, "kitchen", 0), (second, "attic", 1)):
        checked(house, api, round_id)
        file = evidence_of(api, round_id)
        assert {revision["document"]["table"] for revision in file["revisions"]} == {name}
        kinds = [read_event(b64decode(each["event"])).kind for each in file["related"]]
        assert kinds[: 1 + changes_before] == ["table.created", *["table.changed"] * changes_before]
        assert kinds.count(EventKind.TABLE_CHANGED) == changes_before
        assert api.get(f"/v1/rounds/{round_id}/document")["table"] == "loft"


def test_a_file_without_the_change_of_its_table_fails(api: Api, house: House) -> None:
    table = add_table(api)
    assert api.patch(f"/v1/tables/{table}", {"name": "attic"}).status == 200
    round_id = open_round(api, table)["id"]
    checked(house, api, round_id)
    file = evidence_of(api, round_id)
    file["related"] = [
        each for each in file["related"] if read_event(b64decode(each["event"])).kind != EventKind.TABLE_CHANGED
    ]
    [finding] = verify(file, [KEY.verifier]).failed
    assert (finding.code, finding.path) == ("figure-differs", ("revisions", 0, "document", "table"))


# --- what is signed ---


def test_events_after_the_checkpoint_are_not_proved_yet(api: Api, house: House) -> None:
    round_id = start_round(api)
    assert verify(evidence_of(api, round_id), [KEY.verifier]).unchecked == [
        "the file has no checkpoint, so nothing in it is signed"
    ]
    play(api, round_id, FIRST)
    checked(house, api, round_id)
    play(api, round_id, SECOND)
    report = verify(evidence_of(api, round_id), [KEY.verifier])
    assert (report.failed, report.outcome) == ([], Outcome.PASSED_SO_FAR)
    assert report.unsigned == ["#/events/2: event 3 is not signed yet"]


def test_a_saved_checkpoint_is_consistent_with_later_files(api: Api, house: House) -> None:
    round_id = start_round(api)
    checkpoint = sign(house, api)
    play(api, round_id, FIRST, SECOND)
    sign(house, api)
    size = checkpoint.checkpoint.size
    report = verify(evidence_of(api, round_id, f"?since={size}"), [KEY.verifier], checkpoint)
    assert report.outcome is Outcome.PASSED
    assert f"the checkpoint is consistent with yours of {size} events" in report.verified
    assert verify(evidence_of(api, round_id), [KEY.verifier], checkpoint).outcome is Outcome.INCOMPLETE
    now = sign(house, api)
    assert (
        "the checkpoint is identical to the one that you retained"
        in verify(evidence_of(api, round_id), [KEY.verifier], now).verified
    )
    assert evidence_of(api, round_id, "?since=999999")["consistency"] is None


# --- who may have it ---


def test_another_clubs_evidence_is_not_found(api: Api, house: House, other_api: Api) -> None:
    round_id = start_round(api)
    assert other_api.get(f"/v1/rounds/{round_id}/evidence").status == 404


# --- whatever may happen ---

OF_NO_ROUND = {
    EventKind.RULESET_ADDED,
    EventKind.CLUB_CREATED,
    EventKind.CLUB_CHANGED,
    EventKind.FINDINGS_ACKNOWLEDGED,
    EventKind.CHECKPOINT_SEALED,
    EventKind.KEY_CREATED,
    EventKind.KEY_REVOKED,
    EventKind.WEBHOOK_ADDED,
    EventKind.WEBHOOK_CHANGED,
    EventKind.WEBHOOK_REMOVED,
    EventKind.WEBHOOK_SECRET_ROTATED,
    EventKind.LINK_ISSUED,
    EventKind.LINK_REVOKED,
    EventKind.PLAYER_NAMED,
    EventKind.PLAYER_ERASED,
    EventKind.PLAYER_JOINED,
    EventKind.PLAYER_PARTED,
    EventKind.PAYMENT_RECORDED,
    EventKind.PAYMENT_REVERSED,
    EventKind.PAYMENT_CLAIMED,
    EventKind.PAYMENT_CLAIM_DECLINED,
    EventKind.PAYMENT_CLAIM_WITHDRAWN,
    EventKind.CHARGE_RECORDED,
    EventKind.CHARGE_REVERSED,
    EventKind.UNIT_DEFINED,
    EventKind.TABLE_CREATED,
    EventKind.TABLE_CHANGED,
    EventKind.PROPOSAL_OPENED,
    EventKind.PROPOSAL_CONFIRMED,
    EventKind.PROPOSAL_WITHDRAWN,
    EventKind.METADATA_CHANGED,
    EventKind.TEXTS_ERASED,
}


def test_the_verifier_knows_every_kind_of_round_event() -> None:
    known = {kind for kind, payload in PAYLOADS.items() if issubclass(payload, RoundEvent)}
    assert set(EventKind) - OF_NO_ROUND == known
    assert set(PAYLOADS) == set(EventKind)


# --- the file of a round that was corrected often asks no more of the database ---


@pytest.mark.parametrize("is_signed", [False, True], ids=["nothing is signed", "all is signed"])
def test_the_number_of_statements_does_not_depend_on_the_number_of_revisions(
    api: Api, house: House, is_signed: bool
) -> None:
    round_id = start_round(api, "pineapple-qq")
    play(api, round_id, FIRST, SECOND)
    statements = {}
    for revisions in (1, 20):
        for number in range(1, revisions):
            boards = {1: LOW, 2: MID, 3: HIGH} if number % 2 else THREE
            patch = [{"op": "replace", "path": "/hands/1", "value": hand(2, 2, boards)}]
            assert correct(api, round_id, patch=patch).status == 201
        if is_signed:
            sign(house, api)
        with recorded_statements() as body:
            document = evidence_of(api, round_id)
        assert len(document["revisions"]) == revisions
        assert all((event["proof"] is None) != is_signed for event in document["events"])
        statements[revisions] = len(body)
    assert statements[20] == statements[1] > 3
