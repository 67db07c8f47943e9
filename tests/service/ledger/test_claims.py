"""Claims of payments over HTTP: recorded once, in no balance before they are confirmed, and ended once."""

from functools import partial
from typing import Any

import pytest

from evidence.events import PaymentClaimed, PaymentRecorded, decode_event
from service.db import Transaction
from service.ledger.queries import claims
from service.replays.findings import FindingKind
from tests.service.ledger.ledger_lines import ledger, posted
from tests.service.tables.test_changed_tables import verify
from tests.support.api_client import Api, ApiResponse, replayed
from tests.support.application import House
from tests.support.database.recomputed_rounds import tamper
from tests.support.import_lines import club_of
from tests.support.race import at_once
from tests.support.sample_rounds import COMPLETE, NOBODYS, Document, without

CLAIMED: Document = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 250, "reference": "tap-1"}
PATH = "/v1/payment-claims"
SENDERS = 20
ENDS: list[tuple[str, Document | None]] = [
    ("confirm", None),
    ("decline", {"reason": "not received"}),
    ("withdraw", None),
]


@pytest.fixture(autouse=True)
def round_(api: Api) -> Document:
    """A round by which cyd owes ann 3.60 euros."""
    played: Document = posted(api, hands=COMPLETE, point_value=10, unit="EUR")["round"]
    return played


def claim(api: Api, **changes: Any) -> ApiResponse:
    headers = changes.pop("headers", {})
    body = {name: value for name, value in {**CLAIMED, **changes}.items() if value is not ...}
    return api.request("POST", PATH, json=body, headers=headers)


def claimed(api: Api, **changes: Any) -> ApiResponse:
    response = claim(api, **changes)
    assert response.status == 201, response
    return response


def end(api: Api, claim_id: str, step: str, body: Document | None = None) -> ApiResponse:
    return api.post(f"{PATH}/{claim_id}/{step}", dict(ENDS)[step] if body is None else body)


def balance_of(api: Api, player: str) -> int:
    [unit] = api.get(f"/v1/balances?player={player}")["units"]
    return int(unit["players"][0]["balance"])


def codes_of(response: ApiResponse) -> set[str]:
    return {each["code"] for each in response.document.get("warnings", ())}


@pytest.mark.smoke
def test_a_claim_counts_when_it_is_confirmed(api: Api, house: House, round_: Document) -> None:
    said = claimed(api, round=round_["id"])
    assert without(said.document, "id", "claimed_at", "paid_at") == {
        **CLAIMED,
        "unit_digits": 2,
        "table": round_["table"],
        "round": round_["id"],
        "state": "pending",
        **dict.fromkeys(("ended_at", "payment", "reason")),
    }
    assert balance_of(api, "cyd") == -360
    paid = end(api, said["id"], "confirm")
    assert (paid.status, paid["claim"], paid["reference"], paid["amount"]) == (201, said["id"], "tap-1", 250)
    assert (paid["round"], paid["paid_at"], codes_of(paid)) == (round_["id"], said["paid_at"], set())
    assert balance_of(api, "cyd") == -110
    [line] = ledger(api, "?kind=payment")
    assert (line["id"], line["payer"], line["payee"], line["amount"]) == (paid["id"], "cyd", "ann", 250)
    [listed] = api.get(PATH)["claims"]
    expected = {"state": "confirmed", "payment": paid["id"], "ended_at": paid["recorded_at"]}
    assert listed == {**said.document, **expected}
    assert verify(house, api) == []


def test_a_claim_without_a_round_or_a_link_belongs_to_no_table(api: Api) -> None:
    assert (claimed(api)["table"], claimed(api, payee=None, reference="tap-2")["payee"]) == (None, None)


@pytest.mark.parametrize(("step", "body"), ENDS)
def test_a_claim_ends_once(api: Api, house: House, step: str, body: Document | None) -> None:
    said = claimed(api)["id"]
    first = end(api, said, step)
    assert first.status == 201, first
    before = house.count_records()
    again = end(api, said, step)
    assert (again.document, replayed(first), replayed(again)) == (first.document, False, True)
    for other, _ in ENDS:
        if other != step:
            refused = end(api, said, other)
            assert (refused.status, refused["code"]) == (409, "payment-conflict")
            assert refused.mistakes == {"#/path/payment_claim_id": "payment-claim-ended"}
    assert house.count_records() == before
    [listed] = api.get(PATH)["claims"]
    assert listed["state"] == {"confirm": "confirmed", "decline": "declined", "withdraw": "withdrawn"}[step]
    assert listed["reason"] == (body or {}).get("reason")
    assert balance_of(api, "cyd") == (-110 if step == "confirm" else -360)
    assert verify(house, api) == []


def test_a_claim_is_declined_for_one_reason(api: Api) -> None:
    said = claimed(api)["id"]
    assert end(api, said, "decline").status == 201
    refused = end(api, said, "decline", {"reason": "too little"})
    assert (refused.status, refused.mistakes) == (409, {"#/path/payment_claim_id": "payment-claim-ended"})
    assert "too little" not in refused.text


def test_a_payment_of_a_claim_is_taken_back_like_any_other(api: Api) -> None:
    said = claimed(api)["id"]
    paid = end(api, said, "confirm")["id"]
    assert api.post(f"/v1/payments/{paid}/reversal", {"reason": "it was returned"}).status == 201
    again = end(api, said, "confirm")
    assert (again["id"], replayed(again), codes_of(again)) == (paid, True, {"payment-reversed"})
    assert balance_of(api, "cyd") == -360


# --- identity ---


def test_the_same_claim_under_the_same_reference_is_one(api: Api, house: House) -> None:
    first = claimed(api)
    before = house.count_records()
    again = claimed(api)
    assert (again.document, replayed(first), replayed(again)) == (first.document, False, True)
    assert house.count_records() == before
    end(api, first["id"], "withdraw")
    assert claimed(api)["state"] == "withdrawn"
    assert claimed(api, reference=..., headers={"Idempotency-Key": "key-1"})["reference"] == "key-1"
    assert claim(api, reference=...).mistakes == {"#/reference": "reference-missing"}


def test_another_claim_under_the_same_reference_is_a_conflict(api: Api, round_: Document) -> None:
    claimed(api)
    changed: list[tuple[str, Any]] = [
        ("amount", 251),
        ("payee", None),
        ("payer", "bob"),
        ("unit", "USD"),
        ("round", round_["id"]),
        ("paid_at", "2026-11-20T23:00:00Z"),
    ]
    for field, value in changed:
        refused = claim(api, **{field: value})
        assert (refused.status, refused["code"]) == (409, "payment-conflict"), field
        assert set(refused.mistakes) == {"#/reference", f"#/{field}"}


def test_a_reference_is_of_a_claim_or_of_a_payment_or_of_a_charge(api: Api) -> None:
    said = claimed(api)["id"]
    paying = {**CLAIMED, "amount": 1}
    charging = {"player": "ann", "unit": "EUR", "amount": 1, "reason": "room", "reference": "tap-1"}
    for path, body in (("/v1/payments", paying), ("/v1/charges", charging)):
        assert api.post(path, body)["code"] == "payment-conflict"
        assert api.post(path, {**body, "reference": path}).status == 201
        assert claim(api, reference=path)["code"] == "payment-conflict"
    assert end(api, said, "confirm").status == 201
    assert replayed(api.post("/v1/payments", CLAIMED)), "the payment of the claim has its reference"


# --- what may be a mistake ---


def test_a_payment_that_is_claimed_or_recorded_already_is_warned_of(api: Api) -> None:
    said = claimed(api)
    assert codes_of(said) == set()
    assert codes_of(claimed(api, reference="tap-2")) == {"payment-claimed", "more-than-owed"}
    recorded = api.post("/v1/payments", {**CLAIMED, "reference": "cash-1"})
    [warning] = recorded["warnings"]
    assert (warning["code"], warning["pointer"]) == ("payment-claimed", "#/amount")
    assert codes_of(end(api, said["id"], "confirm")) == {"equal-payment", "more-than-owed"}
    assert codes_of(claimed(api, reference="tap-4")) >= {"equal-payment", "more-than-owed"}


def test_what_is_claimed_already_is_owed_no_more(api: Api) -> None:
    assert codes_of(claimed(api, amount=300)) == set()
    assert codes_of(claimed(api, amount=60, reference="tap-2")) == set()
    more = claimed(api, amount=1, payee="bob", reference="tap-3")
    [warning] = more["warnings"]
    assert (warning["code"], warning["detail"]) == ("more-than-owed", "`amount` is 0.01 EUR, and 'cyd' owed 0.00 EUR")
    end(api, api.get(PATH)["claims"][1]["id"], "withdraw")
    end(api, more["id"], "withdraw")
    assert codes_of(claimed(api, amount=50, reference="tap-4")) == set()


@pytest.mark.parametrize(
    ("changes", "mistakes"),
    [
        ({"amount": 0}, {"#/amount": "out-of-range"}),
        ({"payer": None}, {"#/payer": "field-null"}),
        ({"payee": "cyd"}, {"#/payee": "payee-not-other"}),
        ({"payer": "cid", "payee": "dan"}, {"#/payer": "player-unknown", "#/payee": "player-unknown"}),
        ({"unit": "XXX"}, {"#/unit": "unit-unknown"}),
        ({"round": NOBODYS}, {"#/round": "round-unknown"}),
        ({"paid_at": "2999-01-01T00:00:00Z"}, {"#/paid_at": "time-in-future"}),
    ],
)
def test_an_invalid_claim_is_refused(api: Api, house: House, changes: Document, mistakes: dict[str, str]) -> None:
    before = house.count_records()
    refused = claim(api, **changes)
    assert (refused.status, refused.mistakes) == (422, mistakes)
    assert house.count_records() == before


def test_a_round_is_claimed_in_its_own_unit(api: Api, round_: Document) -> None:
    assert claim(api, round=round_["id"], unit="USD").mistakes == {"#/unit": "unit-unknown"}


# --- the list ---


def test_claims_are_listed_by_state_and_player_in_pages(api: Api) -> None:
    ids = [
        claimed(api, payer=payer, payee=payee, reference=f"{payer} {payee}")["id"]
        for payer, payee in (("cyd", "ann"), ("bob", "ann"), ("cyd", "bob"))
    ]
    end(api, ids[0], "withdraw")

    def listed(query: str = "") -> list[str]:
        return [each["id"] for each in api.get(f"{PATH}{query}")["claims"]]

    assert listed() == ids[::-1]
    assert listed("?state=pending") == [ids[2], ids[1]]
    assert listed("?state=withdrawn&player=ann") == [ids[0]]
    assert listed("?player=bob") == [ids[2], ids[1]]
    first = api.get(f"{PATH}?limit=2")
    assert first["has_more"]
    assert listed(f"?cursor={first['next_cursor']}") == ids[:1]


def test_claims_of_another_club_are_not_found(api: Api, other_api: Api) -> None:
    said = claimed(api)["id"]
    assert other_api.get(PATH)["claims"] == []
    for step, _ in ENDS:
        assert end(other_api, said, step).status == 404
    assert claim(other_api).mistakes == {"#/payer": "player-unknown", "#/payee": "player-unknown"}


# --- evidence, and what happens at once ---


def test_events_have_the_claim_and_no_words(api: Api, house: House) -> None:
    said = claimed(api)["id"]
    declined = claimed(api, reference="tap-2")["id"]
    end(api, declined, "decline", {"reason": "an empty envelope"})
    paid = end(api, said, "confirm")["id"]

    def event_of(event_id: str) -> Any:
        [(kind, content)] = house.query("SELECT kind, content FROM events WHERE id = %s", event_id)
        return decode_event(kind, content)

    event = event_of(said)
    assert isinstance(event, PaymentClaimed)
    assert (event.payer, event.payee, event.unit, event.amount, event.reference) == ("cyd", "ann", "EUR", 250, "tap-1")
    confirmed = event_of(paid)
    assert isinstance(confirmed, PaymentRecorded)
    assert str(confirmed.claim) == said
    assert house.query("SELECT count(*) FROM events WHERE position('envelope'::bytea IN content) > 0") == [(0,)]


def test_the_reason_of_a_decline_is_erased_with_either_player(api: Api, house: House) -> None:
    reasons = partial(house.query, "SELECT content FROM texts WHERE club_id = %s", club_of(house, api))
    for player, reference in (("ann", "tap-1"), ("cyd", "tap-2")):
        declined = claimed(api, reference=reference)["id"]
        end(api, declined, "decline")
        assert reasons() == [("not received",)]
        assert api.delete(f"/v1/players/{player}").status == 204
        assert reasons() == []
        [listed] = [each for each in api.get(PATH)["claims"] if each["id"] == declined]
        assert (listed["state"], listed["reason"]) == ("declined", None)
        assert replayed(end(api, declined, "decline", {"reason": "another reason"}))
    assert verify(house, api) == []


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ("UPDATE payment_claims SET amount = 1 WHERE club_id = %s", "amount"),
        ("UPDATE payment_claims SET payee = 'bob' WHERE club_id = %s", "payee"),
        ("UPDATE payment_claim_outcomes SET outcome = 'withdrawn' WHERE club_id = %s", "outcome"),
        ("UPDATE texts SET content = 'received' WHERE club_id = %s", "content"),
    ],
)
def test_a_changed_claim_is_found(api: Api, house: House, change: str, column: str) -> None:
    end(api, claimed(api)["id"], "decline")
    assert verify(house, api) == []
    tamper(house.owner_url, change, club_of(house, api))
    assert column in {finding.column for finding in verify(house, api)}


def test_a_confirmation_that_was_removed_is_found(api: Api, house: House) -> None:
    end(api, claimed(api)["id"], "confirm")
    tamper(house.owner_url, "DELETE FROM payment_claim_outcomes WHERE club_id = %s", club_of(house, api))
    [finding] = verify(house, api)
    assert (finding.table, finding.kind) == ("payment_claim_outcomes", FindingKind.RECORD_MISSING)


def test_a_claim_that_is_sent_many_times_at_once_is_one(api: Api, house: House) -> None:
    responses = at_once(*[partial(claim, api)] * SENDERS)
    assert {response.status for response in responses} == {201}
    assert len({response["id"] for response in responses}) == 1
    said = responses[0]["id"]
    confirmed = at_once(*[partial(end, api, said, "confirm")] * SENDERS)
    assert {response["id"] for response in confirmed} == {confirmed[0]["id"]}
    assert [replayed(response) for response in confirmed].count(False) == 1
    assert len(ledger(api, "?kind=payment")) == 1
    assert verify(house, api) == []


def test_a_claim_that_is_ended_in_every_way_at_once_ends_once(api: Api, house: House) -> None:
    said = claimed(api)["id"]
    responses = at_once(*[partial(end, api, said, step) for step, _ in ENDS * 6])
    assert sorted({response.status for response in responses}) == [201, 409]
    assert [response.status == 201 and not replayed(response) for response in responses].count(True) == 1
    [(outcomes,)] = house.query("SELECT count(*) FROM payment_claim_outcomes WHERE claim_id = %s", said)
    assert outcomes == 1
    assert len(ledger(api, "?kind=payment")) == (api.get(PATH)["claims"][0]["state"] == "confirmed")
    assert verify(house, api) == []


@pytest.mark.parametrize("is_sent", [False, True])
@pytest.mark.parametrize("what", ["record", "confirm"])
def test_a_claim_is_recorded_or_confirmed_as_a_whole_or_not_at_all(
    api: Api, house: House, monkeypatch: pytest.MonkeyPatch, what: str, is_sent: bool
) -> None:
    """Nothing is there after a request that ends before the commit, whether its records were sent or not."""
    said = claimed(api, reference="tap-0")["id"]
    request = partial(claim, api) if what == "record" else partial(end, api, said, "confirm")
    before, change = house.count_records(), getattr(claims, what)

    def change_and_end(transaction: Transaction, *values: Any) -> None:
        change(transaction, *values)
        if is_sent:
            transaction.send()
        raise ConnectionError("the request ends here")

    monkeypatch.setattr(claims, what, change_and_end)
    assert request().status == 500
    monkeypatch.undo()
    assert house.count_records() == before
    assert not replayed(request())
