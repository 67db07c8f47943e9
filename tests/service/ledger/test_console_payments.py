"""Claims of payments in the console, and what was paid for a round on its page."""

import re

import pytest

from service.clubs.scopes import KeyScope
from tests.service.console.test_disputes import csrf_of
from tests.service.feed.test_api_feed import key_with
from tests.service.ledger.ledger_lines import exchange_seats, ledger, posted
from tests.service.ledger.test_money_pages import forms_of
from tests.support.api_client import Api
from tests.support.api_settlements import make_final
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor, parse, table_cells, text_of
from tests.support.sample_rounds import COMPLETE, Document

EURO: Document = {"hands": COMPLETE, "point_value": 10, "unit": "EUR"}
PAID: Document = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 360}


@pytest.fixture
def visitor(house: House, api: Api) -> Visitor:
    return Visitor.signed_in(house, api)


@pytest.fixture(autouse=True)
def round_(api: Api) -> Document:
    """A round by which cyd owes ann 3.60 euros."""
    played: Document = posted(api, **EURO)["round"]
    return played


def claim(api: Api, reference: str = "tap-1") -> str:
    claimed = api.post("/v1/payment-claims", {**PAID, "reference": reference})
    assert claimed.status == 201, claimed
    return str(claimed["id"])


def state_of(api: Api, claim_id: str) -> str:
    [state] = [each["state"] for each in api.get("/v1/payment-claims")["claims"] if each["id"] == claim_id]
    return str(state)


def test_a_claim_is_confirmed_by_one_button(visitor: Visitor, api: Api) -> None:
    said = claim(api)
    page = visitor.show("/money")
    assert "cyd claims to have paid ann €3.60" in text_of(page)
    assert table_cells(page, "Balances: EUR")[1][:2] == ["ann", "+3.60"], "it counts nothing yet"
    [form] = forms_of(page, f"/claims/{said}/confirm")
    for _ in range(2):
        response = visitor.send(f"/money/claims/{said}/confirm", form)
        assert (response.status_code, response.location) == (303, "/console/money")
    [line] = ledger(api, "?kind=payment")
    assert (line["payer"], line["payee"], line["amount"]) == ("cyd", "ann", 360)
    page = visitor.show("/money")
    assert "claims to have paid" not in text_of(page)
    assert table_cells(page, "Balances: EUR")[1][:2] == ["ann", "0.00"]


def test_a_claim_that_was_recorded_meanwhile_needs_a_confirmation(visitor: Visitor, api: Api) -> None:
    said = claim(api)
    [form] = forms_of(visitor.show("/money"), f"/claims/{said}/confirm")
    assert api.post("/v1/payments", {**PAID, "reference": "cash"}).status == 201
    asked = visitor.send(f"/money/claims/{said}/confirm", form)
    assert asked.status_code == 422
    assert "The same payment or charge was recorded before." in text_of(parse(asked))
    assert state_of(api, said) == "pending"
    assert visitor.send(f"/money/claims/{said}/confirm", {**form, "anyway": "yes"}).status_code == 303
    assert state_of(api, said) == "confirmed"


def test_a_proposed_payment_that_is_claimed_needs_a_confirmation(visitor: Visitor, api: Api) -> None:
    [proposed, _] = forms_of(visitor.show("/money"), "/money/payments")
    claim(api)
    asked = visitor.send("/money/payments", proposed)
    assert asked.status_code == 422
    assert "The payer has said already that this is paid" in text_of(parse(asked))
    assert ledger(api, "?kind=payment") == []


def test_a_claim_is_declined_with_a_reason(visitor: Visitor, api: Api) -> None:
    said = claim(api)
    path = f"/money/claims/{said}/decline"
    page = visitor.show(path)
    assert "cyd claims to have paid ann €3.60" in text_of(page)
    form = {"csrf": csrf_of(page)}
    assert visitor.send(path, {**form, "reason": " "}).status_code == 422
    assert visitor.send(path, {**form, "reason": "not received"}).status_code == 303
    listed = table_cells(visitor.show("/money/claims?state=declined"), "Claimed payments")[1]
    assert "declined not received" in " ".join(listed)
    refused = visitor.send(path, {**form, "reason": "another reason"})
    assert (refused.status_code, state_of(api, said)) == (409, "declined")


def test_claims_are_those_of_the_player_of_the_filter(visitor: Visitor, api: Api) -> None:
    claim(api)
    assert "claims to have paid" in text_of(visitor.show("/money?player=ann"))
    assert "claims to have paid" not in text_of(visitor.show("/money?player=bob"))


def test_a_key_for_reading_sees_claims_and_no_buttons(house: House, api: Api) -> None:
    claim(api)
    reader = Visitor.signed_in(house, key_with(house, api, KeyScope.READ))
    for path in ("/money", "/money/claims"):
        page = reader.show(path)
        assert "cyd" in text_of(page)
        assert not [form for form in page.iter("form") if form.attrib["action"].endswith("/confirm")]


# --- the page of a round ---


def test_the_page_of_a_round_has_its_corrections_and_what_was_paid(
    visitor: Visitor, api: Api, round_: Document
) -> None:
    path = f"/rounds/{round_['id']}"
    page = visitor.show(path)
    [proposed] = forms_of(page, f"{path}/payments")
    assert (proposed["payer"], proposed["payee"], proposed["amount"], proposed["unit"]) == ("cyd", "ann", "3.60", "EUR")
    for _ in range(2):
        response = visitor.send(f"{path}/payments", proposed)
        assert (response.status_code, response.location) == (303, f"/console{path}")
    [line] = ledger(api, f"?round={round_['id']}&kind=payment")
    assert line["amount"] == 360
    page = visitor.show(path)
    assert forms_of(page, f"{path}/payments") == []
    assert table_cells(page, "Owed and paid")[1] == ["ann", "+€3.60", "–", "−€3.60"]
    make_final(api, round_["id"])
    exchange_seats(api, round_["id"])
    rows = {row[0]: row[1:] for row in table_cells(visitor.show(path), "Owed and paid")}
    assert rows["Player"][0] == "Total of revision 2"
    [adjusted] = [
        line["amount"] * (1 if line["payee"] == "cyd" else -1)
        for line in ledger(api, "?kind=adjustment")
        if "cyd" in (line["payer"], line["payee"])
    ]
    assert re.fullmatch(
        rf"\+€{adjusted / 100:.2f} by the correction of .* November 2026.*: seats exchanged", rows["cyd"][1]
    )
    assert rows["cyd"][2] == "+€3.60"
    assert f"pays cyd €{adjusted / 100:.2f}" in text_of(visitor.show(path))


def test_a_payment_of_a_round_that_may_be_a_mistake_needs_a_confirmation(
    visitor: Visitor, api: Api, round_: Document
) -> None:
    path = f"/rounds/{round_['id']}"
    [proposed] = forms_of(visitor.show(path), f"{path}/payments")
    assert api.post("/v1/payments", {**PAID, "reference": "cash"}).status == 201
    asked = visitor.send(f"{path}/payments", proposed)
    assert asked.status_code == 422
    [again] = forms_of(parse(asked), f"{path}/payments")
    assert again["reference"] == proposed["reference"]
    assert visitor.send(f"{path}/payments", {**again, "anyway": "yes"}).status_code == 303
    assert len(ledger(api, "?kind=payment")) == 2


def test_a_round_that_is_open_owes_nothing(visitor: Visitor, api: Api) -> None:
    open_round = posted(api, table="attic", hands=COMPLETE[:1])["round"]["id"]
    assert "Owed and paid" not in text_of(visitor.show(f"/rounds/{open_round}"))
