"""Payments and charges over HTTP: recorded once, refused with what would be right, and taken back."""

from functools import partial
from typing import Any

import pytest

from evidence.events import PaymentRecorded, decode_event
from schemas.fields import MOST_INTEGER
from service.clubs.scopes import KeyScope
from service.db import Transaction
from service.ledger.queries import payments
from tests.service.feed.test_api_feed import feed, key_with
from tests.service.ledger.ledger_lines import ledger, posted
from tests.service.tables.test_changed_tables import verify
from tests.support.api_client import Api, ApiResponse, replayed
from tests.support.application import House
from tests.support.race import at_once
from tests.support.sample_rounds import COMPLETE, NOBODYS, Document, add_table, without

PAID: Document = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 250, "reference": "cash-1"}
CHARGED: Document = {"player": "ann", "unit": "EUR", "amount": 200, "reason": "the room", "reference": "room-1"}
SENDERS = 20


@pytest.fixture(autouse=True)
def round_(api: Api) -> Document:
    """A round by which cyd owes ann 3.60 euros."""
    played: Document = posted(api, hands=COMPLETE, point_value=10, unit="EUR")["round"]
    return played


def pay(api: Api, **changes: Any) -> ApiResponse:
    headers = changes.pop("headers", {})
    paid = {name: value for name, value in {**PAID, **changes}.items() if value is not ...}
    return api.request("POST", "/v1/payments", json=paid, headers=headers)


def recorded(api: Api, **changes: Any) -> ApiResponse:
    response = pay(api, **changes)
    assert response.status == 201, response
    return response


def charge(api: Api, **changes: Any) -> ApiResponse:
    charged = {name: value for name, value in {**CHARGED, **changes}.items() if value is not ...}
    return api.post("/v1/charges", charged)


def reverse(api: Api, what: str, entry: str, reason: str = "a mistake") -> ApiResponse:
    return api.post(f"/v1/{what}/{entry}/reversal", {"reason": reason})


@pytest.mark.smoke
def test_a_payment_is_recorded_and_listed(api: Api) -> None:
    paid = recorded(api, note="cash", paid_at="2026-11-20T23:00:00Z")
    assert without(paid.document, "id", "recorded_at") == {
        **PAID,
        "paid_at": "2026-11-20T23:00:00Z",
        **dict.fromkeys(("table", "round", "claim")),
        "unit": "EUR",
        "unit_digits": 2,
    }
    [line] = ledger(api, "?kind=payment")
    assert without(line, "actor") == {
        "id": paid["id"],
        "line": 1,
        "position": None,
        "kind": "payment",
        "posted_at": paid["recorded_at"],
        "played_at": "2026-11-20T23:00:00Z",
        **dict.fromkeys(("table", "table_name", "round", "hand", "revision", "previous_revision", "reverses")),
        **dict.fromkeys(("due", "paid", "limited_by")),
        **PAID,
        "unit": "EUR",
        "unit_digits": 2,
        "note": "cash",
        "final": True,
    }


def test_a_payment_without_a_time_was_paid_when_it_was_recorded(api: Api) -> None:
    paid = recorded(api)
    assert paid["paid_at"] == paid["recorded_at"]


def test_points_of_a_table_are_paid(api: Api) -> None:
    table = add_table(api, name="attic")
    paid = recorded(api, unit=table.upper())
    assert (paid["unit"], paid["unit_digits"]) == (table, 0)
    [line] = ledger(api, f"?table={table}")
    assert (line["id"], line["table_name"], line["unit"]) == (paid["id"], "attic", table)


def test_a_payment_to_the_house(api: Api) -> None:
    recorded(api, payer="ann", payee=None)
    recorded(api, payer=None, payee="ann", reference="cash-2")
    assert [(line["payer"], line["payee"]) for line in ledger(api, "?kind=payment")] == [("ann", None), (None, "ann")]


def test_a_charge_is_recorded_and_listed(api: Api, round_: Document) -> None:
    charged = charge(api, round=round_["id"])
    assert charged.status == 201, charged
    assert without(charged.document, "id", "recorded_at") == {
        **without(CHARGED, "reason"),
        "unit": "EUR",
        "unit_digits": 2,
        "table": round_["table"],
        "round": round_["id"],
    }
    [line] = ledger(api, f"?round={round_['id']}&kind=charge")
    assert {name: line[name] for name in ("id", "payer", "payee", "amount", "note", "reference", "table_name")} == {
        "id": charged["id"],
        "payer": "ann",
        "payee": None,
        "amount": 200,
        "note": "the room",
        "reference": "room-1",
        "table_name": "kitchen",
    }


# --- identity ---


def test_the_same_payment_under_the_same_reference_is_one(api: Api, house: House) -> None:
    first = recorded(api, note="cash")
    before = house.count_records()
    again = recorded(api, note="cash")
    assert (again.document, replayed(first), replayed(again)) == (first.document, False, True)
    assert house.count_records() == before
    fields = {"reference": "cash-2", "paid_at": "2026-11-20T23:00:00Z"}
    assert not replayed(recorded(api, **fields))
    assert replayed(recorded(api, **fields))


def test_a_payment_is_known_by_its_idempotency_key_too(api: Api, house: House) -> None:
    key = {"Idempotency-Key": "key-1"}
    first = recorded(api, reference=..., headers=key)
    assert first["reference"] == "key-1"
    assert recorded(api, reference=..., headers=key).document == first.document
    house.change("DELETE FROM idempotent_responses")
    late = recorded(api, reference=..., headers=key)
    assert (late.document, replayed(late)) == (first.document, True)
    assert recorded(api, headers={"Idempotency-Key": "key-2"})["reference"] == PAID["reference"]
    assert [line["reference"] for line in ledger(api, "?kind=payment")] == ["key-1", "cash-1"]


def test_a_payment_needs_an_identity(api: Api) -> None:
    for refused in (pay(api, reference=...), charge(api, reference=...)):
        assert (refused.status, refused.mistakes) == (422, {"#/reference": "reference-missing"})


@pytest.mark.parametrize(
    ("changes", "pointers"),
    [
        ({"amount": 251}, {"#/amount"}),
        ({"payer": "bob"}, {"#/payer"}),
        ({"payee": "bob", "unit": "USD"}, {"#/payee", "#/unit"}),
        ({"note": "not cash"}, {"#/note"}),
        ({"note": ...}, {"#/note"}),
        ({"paid_at": "2026-11-20T23:00:00Z"}, {"#/paid_at"}),
    ],
)
def test_another_payment_under_the_same_reference_is_a_conflict(
    api: Api, house: House, changes: Document, pointers: set[str]
) -> None:
    recorded(api, note="cash")
    before = house.count_records()
    refused = pay(api, **{"note": "cash", **changes})
    assert (refused.status, refused["code"]) == (409, "payment-conflict")
    assert {each["pointer"] for each in refused["errors"]} == {"#/reference", *pointers}
    assert "cash'" not in refused.text, "the words of a note are not in an error"
    assert house.count_records() == before


def test_a_reference_is_of_a_payment_or_of_a_charge(api: Api, round_: Document) -> None:
    recorded(api)
    assert charge(api, reference="cash-1")["code"] == "payment-conflict"
    assert charge(api).status == 201
    assert pay(api, reference="room-1")["code"] == "payment-conflict"
    for changes in ({"reason": "the drinks"}, {"round": round_["id"]}, {"player": "bob"}):
        assert charge(api, **changes)["code"] == "payment-conflict"
    assert replayed(charge(api))


def test_the_same_payment_under_another_reference_is_another_with_a_warning(api: Api) -> None:
    first = recorded(api)
    assert "warnings" not in first.document
    second = recorded(api, reference="cash-2")
    assert second["id"] != first["id"]
    [warning] = [each for each in second["warnings"] if each["code"] == "equal-payment"]
    assert (warning["pointer"], warning["recorded"], warning["received"]) == ("#/reference", "cash-1", "cash-2")
    assert first["id"] in warning["detail"]
    assert "equal-payment" not in codes_of(recorded(api, amount=1, reference="cash-3"))
    assert charge(api).document.get("warnings") is None
    assert codes_of(charge(api, reference="room-2")) == {"equal-payment"}


@pytest.mark.parametrize(("paid_at", "is_equal"), [("2026-11-21T08:59:00Z", True), ("2026-11-21T09:01:00Z", False)])
def test_a_payment_is_equal_to_one_within_twelve_hours(api: Api, paid_at: str, is_equal: bool) -> None:
    recorded(api, paid_at="2026-11-20T21:00:00Z")
    assert ("equal-payment" in codes_of(recorded(api, reference="cash-2", paid_at=paid_at))) is is_equal


def test_what_was_taken_back_and_is_sent_again_does_not_count(api: Api) -> None:
    taken_back = recorded(api)["id"]
    assert reverse(api, "payments", taken_back).status == 201
    again = pay(api, headers={"Idempotency-Key": "again"})
    assert (replayed(again), again["id"], codes_of(again)) == (True, taken_back, {"payment-reversed"})
    lines = ledger(api, "?reference=cash-1")
    assert [(line["kind"], line["reference"]) for line in lines] == [("payment", "cash-1"), ("reversal", "cash-1")]
    assert codes_of(recorded(api, reference="cash-2")) == set(), "it is no equal payment either"


def test_points_of_another_table_are_not_charged_for_a_round(api: Api, round_: Document) -> None:
    attic = posted(api, table="attic", hands=COMPLETE)["round"]["table"]
    refused = charge(api, unit=attic, round=round_["id"])
    assert (refused.status, refused.mistakes) == (422, {"#/unit": "unit-unknown"})


def test_more_than_is_owed_is_recorded_with_a_warning(api: Api) -> None:
    assert codes_of(recorded(api, amount=360)) == set()
    more = recorded(api, amount=1, reference="cash-2")
    [warning] = more["warnings"]
    assert (warning["code"], warning["pointer"], warning["expected"]) == ("more-than-owed", "#/amount", 0)
    assert warning["detail"] == "`amount` is 0.01 EUR, and 'cyd' owed 0.00 EUR"


def codes_of(response: ApiResponse) -> set[str]:
    return {each["code"] for each in response.document.get("warnings", ())}


# --- refusals ---


@pytest.mark.parametrize(
    ("changes", "mistakes"),
    [
        ({"amount": 0}, {"#/amount": "out-of-range"}),
        ({"amount": MOST_INTEGER + 1}, {"#/amount": "out-of-range"}),
        ({"amount": 2.5}, {"#/amount": "not-an-integer"}),
        ({"payee": "cyd"}, {"#/payee": "payee-not-other"}),
        ({"payer": None, "payee": None}, {"#/payee": "payee-not-other"}),
        ({"payer": "cid"}, {"#/payer": "player-unknown"}),
        ({"payer": "eve", "payee": "dan"}, {"#/payer": "player-unknown", "#/payee": "player-unknown"}),
        ({"unit": "XXX"}, {"#/unit": "unit-unknown"}),
        ({"unit": NOBODYS}, {"#/unit": "unit-unknown"}),
        ({"unit": "euro"}, {"#/unit": "unit-unknown"}),
        ({"unit": "€"}, {"#/unit": "text-pattern"}),
        ({"paid_at": "2999-01-01T00:00:00Z"}, {"#/paid_at": "time-in-future"}),
        ({"paid_at": "1899-01-01T00:00:00Z"}, {"#/paid_at": "time-too-early"}),
        ({"note": "two\nlines"}, {"#/note": "text-characters"}),
        ({"payer": ..., "payee": ...}, {"#/payer": "field-missing", "#/payee": "field-missing"}),
    ],
)
def test_an_invalid_payment_is_refused(api: Api, house: House, changes: Document, mistakes: dict[str, str]) -> None:
    before = house.count_records()
    refused = pay(api, **changes)
    assert (refused.status, refused.mistakes) == (422, mistakes)
    assert house.count_records() == before


def test_an_unknown_player_is_refused_with_those_who_look_alike(api: Api) -> None:
    [mistake] = pay(api, payer="Cid")["errors"]
    expected = "expected a player of the club"
    assert mistake["detail"] == f"`payer` is 'Cid', who never sat in a round; {expected}, for example 'cyd'"
    [mistake] = pay(api, payer="zoë")["errors"]
    assert mistake["detail"].endswith(f"; {expected}")


def test_a_table_whose_points_have_a_value_is_no_unit(api: Api, round_: Document) -> None:
    [mistake] = pay(api, unit=round_["table"])["errors"]
    assert (mistake["code"], mistake["expected"]) == ("unit-unknown", "EUR")
    posted(api, table="attic", hands=COMPLETE)
    attic = next(table["id"] for table in api.get("/v1/tables")["tables"] if table["name"] == "attic")
    assert api.patch(f"/v1/tables/{attic}", {"point_value": 5, "unit": "EUR"}).status == 200
    assert recorded(api, unit=attic)["unit"] == attic, "points of earlier rounds are still owed"


@pytest.mark.parametrize(
    ("changes", "mistakes"),
    [
        ({"player": "dan"}, {"#/player": "player-unknown"}),
        ({"round": NOBODYS}, {"#/round": "round-unknown"}),
        ({"reason": ...}, {"#/reason": "field-missing"}),
        ({"player": None}, {"#/player": "field-null"}),
    ],
)
def test_an_invalid_charge_is_refused(api: Api, changes: Document, mistakes: dict[str, str]) -> None:
    refused = charge(api, **changes)
    assert (refused.status, refused.mistakes) == (422, mistakes)


# --- reversals ---


@pytest.mark.parametrize(("what", "other"), [("payments", "charges"), ("charges", "payments")])
def test_a_reversal_takes_back_what_was_recorded(api: Api, what: str, other: str) -> None:
    entry = recorded(api)["id"] if what == "payments" else charge(api)["id"]
    taken_back = reverse(api, what, entry)
    assert (taken_back.status, taken_back["reverses"]) == (201, entry)
    line = ledger(api)[-1]
    assert (line["id"], line["kind"], line["reverses"], line["note"]) == (
        taken_back["id"],
        "reversal",
        entry,
        "a mistake",
    )
    expected = ("cyd", "ann", 250) if what == "payments" else (None, "ann", 200)
    assert (line["payer"], line["payee"], line["amount"]) == expected
    again = reverse(api, what, entry)
    assert (again.document, replayed(again)) == (taken_back.document, True)
    refused = reverse(api, what, entry, "another reason")
    assert (refused.status, refused["code"]) == (409, "payment-conflict")
    assert reverse(api, other, entry).status == 404
    assert reverse(api, what, taken_back["id"]).status == 404, "a reversal is not taken back"
    assert reverse(api, what, NOBODYS).status == 404


def test_rounds_are_not_taken_back_as_payments(api: Api) -> None:
    [settlement, *_] = ledger(api)
    assert reverse(api, "payments", settlement["id"]).status == 404


def test_entries_of_another_club_are_not_found(api: Api, other_api: Api) -> None:
    entry = recorded(api)["id"]
    assert reverse(other_api, "payments", entry).status == 404
    refused = pay(other_api)
    assert refused.mistakes == {"#/payer": "player-unknown", "#/payee": "player-unknown"}


# --- evidence, and what happens at once ---


def test_the_event_of_a_payment_has_its_id_and_no_words(api: Api, house: House) -> None:
    paid = recorded(api, note="cash in an envelope")
    [(kind, content)] = house.query("SELECT kind, content FROM events WHERE id = %s", paid["id"])
    event = decode_event(kind, content)
    assert isinstance(event, PaymentRecorded)
    assert (event.payer, event.payee, event.unit, event.amount, event.reference) == ("cyd", "ann", "EUR", 250, "cash-1")
    assert b"envelope" not in content
    assert verify(house, api) == []


def test_a_payment_that_is_sent_many_times_at_once_is_one(api: Api, house: House) -> None:
    responses = at_once(*[partial(pay, api)] * SENDERS)
    assert {response.status for response in responses} == {201}
    assert len({response["id"] for response in responses}) == 1
    assert [replayed(response) for response in responses].count(False) == 1
    assert len(ledger(api, "?kind=payment")) == 1
    paid = responses[0]["id"]
    taken_back = at_once(*[partial(reverse, api, "payments", paid)] * SENDERS)
    assert {response["id"] for response in taken_back} == {taken_back[0]["id"]}
    assert len(ledger(api, "?kind=reversal")) == 1
    assert verify(house, api) == []


def test_other_payments_under_one_reference_at_once_are_conflicts_but_one(api: Api) -> None:
    responses = at_once(*[partial(pay, api, amount=amount) for amount in range(1, SENDERS + 1)])
    assert sorted(response.status for response in responses) == [201] + [409] * (SENDERS - 1)


@pytest.mark.parametrize("is_sent", [False, True])
def test_a_payment_is_recorded_as_a_whole_or_not_at_all(
    api: Api, house: House, monkeypatch: pytest.MonkeyPatch, is_sent: bool
) -> None:
    """Nothing is there after a request that ends before the commit, whether its records were sent or not."""
    before, record = house.count_records(), payments.record

    def record_and_end(transaction: Transaction, *values: Any) -> None:
        record(transaction, *values)
        if is_sent:
            transaction.send()
        raise ConnectionError("the request ends here")

    monkeypatch.setattr(payments, "record", record_and_end)
    assert pay(api, note="cash").status == 500
    monkeypatch.undo()
    assert house.count_records() == before
    assert not replayed(recorded(api, note="cash"))


def test_a_dry_run_records_nothing(api: Api, house: House) -> None:
    before = house.count_records()
    tried = api.post("/v1/payments?dry_run=true", PAID)
    assert (tried.status, tried["amount"]) == (201, 250)
    assert house.count_records() == before


def test_payments_are_in_the_feed(api: Api, house: House) -> None:
    paid = recorded(api, note="cash")["id"]
    taken_back = reverse(api, "payments", paid)["id"]
    events = feed(house, key_with(house, api, KeyScope.READ), kind="payment.recorded,payment.reversed")
    assert [(event["id"], event["kind"]) for event in events] == [
        (paid, "payment.recorded"),
        (taken_back, "payment.reversed"),
    ]
    assert (events[0]["content"]["payer"], events[1]["content"]["payment"]) == ("cyd", paid)
