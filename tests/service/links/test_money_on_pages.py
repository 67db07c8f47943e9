"""What a player's pages say about money: what is owed, why, what was paid, and what the player says about that."""

import re
from functools import partial

import pytest
from werkzeug.test import TestResponse

from tests.service.ledger.ledger_lines import exchange_seats, ledger, posted
from tests.service.links.linked_table import issue, issue_to_round
from tests.service.links.test_link_pages import Visitor, forms_of, parse, text_of
from tests.support.api_client import Api
from tests.support.api_settlements import make_final
from tests.support.application import House
from tests.support.check_club import check_everywhere
from tests.support.race import at_once
from tests.support.sample_rounds import COMPLETE, Document

EUROS: Document = {"hands": COMPLETE, "point_value": 10, "unit": "EUR"}
TAPS = 20


@pytest.fixture
def friday(api: Api) -> Document:
    """A round at the table of the links, by which cyd owes ann 3.60 euros."""
    played: Document = posted(api, table="friday", **EUROS)["round"]
    return played


@pytest.fixture
def cyd(house: House, api: Api, friday: Document) -> Visitor:
    return Visitor(house, issue(api, friday["table"], kind="player", player="cyd"))


@pytest.fixture
def ann(house: House, api: Api, friday: Document) -> Visitor:
    return Visitor(house, issue(api, friday["table"], kind="player", player="ann"))


def money_of(visitor: Visitor, path: str = "") -> str:
    return money_in(visitor.get(path))


def money_in(page: TestResponse) -> str:
    [section] = [each for each in parse(page).iter("section") if each.get("id") == "money"]
    return " ".join("".join(section.itertext()).split())


def form_of(visitor: Visitor, action: str, path: str = "", place: int = 0) -> dict[str, str]:
    """Return the fields of a form of the page, with its button."""
    forms = [
        form
        for form in parse(visitor.get(path)).iter("form")
        if any(button.get("value") == action for button in form.iter("button"))
    ]
    fields = {str(field.get("name")): str(field.get("value") or "") for field in forms[place].iter("input")}
    return {**fields, "action": action}


def send(visitor: Visitor, form: dict[str, str]) -> TestResponse:
    return visitor.post("/money", form)


def tap(visitor: Visitor, action: str, path: str = "", **fields: str) -> TestResponse:
    response = send(visitor, {**form_of(visitor, action, path), **fields})
    assert response.status_code == 303, response.text
    return response


@pytest.mark.smoke
def test_a_player_claims_what_is_owed_as_paid_and_the_payee_confirms(
    house: House, api: Api, cyd: Visitor, ann: Visitor
) -> None:
    assert "You owe ann €3.60 I have paid €3.60" in money_of(cyd)
    assert "cyd owes you €3.60" in money_of(ann)
    assert tap(cyd, "paid").headers["Location"] == f"{cyd.address}#money"
    said = money_of(cyd)
    assert "You owe ann €3.60" in said
    assert "I have paid €" not in said, "nothing is left to claim"
    assert "You have paid ann €3.60" in said
    assert "It counts when ann or the club confirms it." in said
    assert "cyd has paid you €3.60, they say" in money_of(ann)
    tap(ann, "received")
    for visitor, paid in ((cyd, "You paid ann"), (ann, "cyd paid you")):
        shown = money_of(visitor)
        assert "You owe nothing, and nobody owes you anything." in shown
        assert f"Payments and charges {paid}" in shown
        assert "not confirmed yet" not in shown
    [line] = ledger(api, "?kind=payment")
    assert (line["payer"], line["payee"], line["amount"]) == ("cyd", "ann", 360)
    check_everywhere(house, api)


def test_a_payee_declines_and_the_payer_reads_why(cyd: Visitor, ann: Visitor) -> None:
    tap(cyd, "paid")
    tap(ann, "not-received", reason="the envelope was empty")
    said = money_of(cyd)
    assert re.search(r"€3.60 to ann \(.*\) was not received: the envelope was empty", said)
    assert "I have paid €3.60" in said, "it is still to be paid"


def test_a_payer_withdraws(api: Api, cyd: Visitor) -> None:
    tap(cyd, "paid")
    tap(cyd, "withdraw")
    assert "I have paid €3.60" in money_of(cyd)
    assert [each["state"] for each in api.get("/v1/payment-claims")["claims"]] == ["withdrawn"]


def test_another_amount_can_be_paid_and_the_rest_remains(cyd: Visitor) -> None:
    form = {**form_of(cyd, "paid", place=1), "amount": "2.5"}
    assert send(cyd, form).status_code == 303
    said = money_of(cyd)
    assert "You owe ann €3.60 I have paid €1.10" in said
    assert "You have paid ann €2.50" in said


def test_a_form_that_is_sent_often_is_one_claim(api: Api, cyd: Visitor) -> None:
    form = form_of(cyd, "paid")
    responses = at_once(*[partial(send, cyd, form)] * TAPS)
    assert {response.status_code for response in responses} == {303}
    assert len(api.get("/v1/payment-claims")["claims"]) == 1
    claim = form_of(cyd, "withdraw")
    assert {send(cyd, claim).status_code for _ in range(3)} == {303}
    assert len(api.get("/v1/payment-claims")["claims"]) == 1


def test_what_may_be_a_mistake_needs_a_confirmation(api: Api, cyd: Visitor) -> None:
    stale = form_of(cyd, "paid")
    tap(cyd, "paid")
    asked = send(cyd, stale)
    assert asked.status_code == 422
    assert "The payer has said already that this is paid" in money_in(asked)
    assert len(api.get("/v1/payment-claims")["claims"]) == 1
    [question] = [form for form in parse(asked).iter("form") if "It is no mistake" in text_of(form)]
    again = {str(field.get("name")): str(field.get("value")) for field in question.iter("input")}
    assert again == {**stale, "anyway": "yes"}
    assert send(cyd, again).status_code == 303
    assert len(api.get("/v1/payment-claims")["claims"]) == 2


def test_a_payment_that_the_manager_recorded_meanwhile_needs_a_confirmation(
    api: Api, cyd: Visitor, ann: Visitor
) -> None:
    tap(cyd, "paid")
    form = form_of(ann, "received")
    paying = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 360, "reference": "console"}
    assert api.post("/v1/payments", paying).status == 201
    asked = send(ann, form)
    assert asked.status_code == 422
    assert "The same payment or charge was recorded before." in money_in(asked)
    assert len(ledger(api, "?kind=payment")) == 1
    tap(ann, "not-received", reason="the manager has it")


@pytest.mark.parametrize(
    "changes", [{"amount": "x"}, {"amount": "0"}, {"payee": "eve"}, {"unit": "USD"}, {"reference": ""}]
)
def test_an_invalid_form_is_explained(api: Api, cyd: Visitor, changes: dict[str, str]) -> None:
    refused = send(cyd, {**form_of(cyd, "paid"), **changes})
    assert refused.status_code == 422
    [alert] = [each for each in parse(refused).iter("div") if each.get("role") == "alert"]
    assert text_of(alert)
    assert not list(alert.iter("form")), "it cannot be sent again as it is"
    assert api.get("/v1/payment-claims")["claims"] == []


def test_forms_of_others_are_refused(house: House, api: Api, friday: Document, cyd: Visitor, ann: Visitor) -> None:
    tap(cyd, "paid")
    claim = api.get("/v1/payment-claims")["claims"][0]["id"]
    bob = Visitor(house, issue(api, friday["table"], kind="player", player="bob"))
    viewer = Visitor(house, issue(api, friday["table"]))
    assert send(cyd, {"action": "received", "claim": claim}).status_code == 403
    assert send(ann, {"action": "withdraw", "claim": claim}).status_code == 403
    for visitor, form in (
        (bob, {"action": "received", "claim": claim}),
        (viewer, {"action": "received", "claim": claim}),
        (ann, {"action": "received", "claim": "x"}),
        (ann, {"action": "pay"}),
        (ann, {"action": "received", "claim": claim, "round": "x"}),
    ):
        assert send(visitor, form).status_code == 404, form
    assert "money" not in {each.get("id") for each in parse(viewer.get()).iter("section")}
    assert forms_of(viewer.get()) == [f"{viewer.address}/language"]
    assert len(forms_of(cyd.get())) > 1
    assert ledger(api, "?kind=payment") == []


# --- corrections, and other tables ---


def test_a_correction_after_finality_shows_what_is_still_to_pay(
    house: House, api: Api, friday: Document, cyd: Visitor
) -> None:
    paying = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 360, "reference": "cash"}
    assert api.post("/v1/payments", {**paying, "round": friday["id"]}).status == 201
    make_final(api, friday["id"])
    exchange_seats(api, friday["id"])
    shown = money_of(cyd)
    adjusted = {
        player: amount
        for line in ledger(api, "?kind=adjustment")
        for player, amount in ((line["payer"], -line["amount"]), (line["payee"], line["amount"]))
    }
    assert adjusted["cyd"] > 0
    amount = f"€{adjusted['cyd'] / 100:.2f}"
    assert re.search(rf"\+{amount} by the correction of \w+ \d+ November 2026: seats exchanged", shown)
    assert f"owes you {amount}" in shown
    page = cyd.show(f"/rounds/{friday['id']}")
    assert "Total of revision 2, and what was paid" in page
    assert re.search(rf"cyd You of which \+{amount} by the correction of .*: seats exchanged; paid €3.60 so far", page)
    viewer = Visitor(house, issue_to_round(api, friday["id"]))
    assert "paid €3.60 so far" in viewer.show()


def test_a_round_without_corrections_and_payments_has_no_totals(cyd: Visitor, friday: Document) -> None:
    assert "Total of revision" not in cyd.show(f"/rounds/{friday['id']}")


def test_a_page_of_a_round_leads_back_to_itself(house: House, api: Api, friday: Document, cyd: Visitor) -> None:
    path = f"/rounds/{friday['id']}"
    assert tap(cyd, "paid", path).headers["Location"] == f"{cyd.address}{path}#money"
    assert "You have paid ann €3.60" in money_of(cyd, path)
    to_round = Visitor(house, issue_to_round(api, friday["id"], kind="player", player="cyd"))
    assert "You have paid ann €3.60" in money_of(to_round)
    tap(to_round, "withdraw")
    refused = send(cyd, {**form_of(cyd, "paid", path), "amount": "x"})
    assert "Standings" in text_of(parse(refused))


def test_other_tables_count_but_are_not_shown(house: House, api: Api, friday: Document, cyd: Visitor) -> None:
    other = posted(api, table="monday", **EUROS)["round"]
    posted(api, table="attic", hands=COMPLETE)
    charging = {"player": "cyd", "unit": "EUR", "amount": 200, "reason": "the room", "reference": "room-1"}
    assert api.post("/v1/charges", charging).status == 201
    make_final(api, other["id"])
    exchange_seats(api, other["id"])
    shown = money_of(cyd)
    [unit] = [each for each in api.get("/v1/balances?player=cyd")["units"] if each["unit"] == "EUR"]
    assert unit["settle_up"], "there is something to settle"
    for paid in unit["settle_up"]:
        amount = f"€{paid['amount'] / 100:.2f}"
        expected = (
            f"You owe {paid['payee'] or 'the house'} {amount}" if paid["payer"] == "cyd" else f"owes you {amount}"
        )
        assert expected in shown
    assert "You owe ann 36 points at another table" in shown
    assert "The house charged you" in shown
    assert "the room" in shown
    for hidden in ("monday", "attic", "seats exchanged", other["id"]):
        assert hidden not in cyd.get().text
    assert other["id"] not in cyd.get(f"/rounds/{friday['id']}").text


def test_points_of_the_table_are_paid(house: House, api: Api) -> None:
    played = posted(api, table="attic", hands=COMPLETE)["round"]
    cyd = Visitor(house, issue(api, played["table"], kind="player", player="cyd"))
    assert "You owe ann 36 points at attic I have paid 36 points at attic" in money_of(cyd)
    tap(cyd, "paid")
    assert api.get("/v1/payment-claims")["claims"][0]["table"] == played["table"]


def test_texts_of_people_are_escaped(api: Api, cyd: Visitor, ann: Visitor) -> None:
    tap(cyd, "paid")
    tap(ann, "not-received", reason="<b>no</b>")
    paying = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 1, "reference": "cash", "note": "<i>cash</i>"}
    assert api.post("/v1/payments", paying).status == 201
    page = cyd.get()
    assert {each.tag for each in parse(page).iter()} & {"b", "i"} == set()
    assert "<b>no</b>" in text_of(parse(page))
    assert "<i>cash</i>" in text_of(parse(page))
