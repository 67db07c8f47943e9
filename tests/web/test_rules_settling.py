"""The rules in WebAssembly add what waits on a device to balances, as the service does afterwards."""

from typing import Any

import pytest

from tests.support.api_client import Api
from tests.support.sample_rounds import COMPLETE, add_table, close, dealt_again, open_round, play, undo, without
from tests.web.browser_rules import BrowserRules

Document = dict[str, Any]
MONEY: Document = {"point_value": 10, "unit": "EUR"}
MILLIBITCOIN: Document = {"code": "mBTC", "name": "Millibitcoin", "digits": 5}


def balances_of(api: Api) -> list[Document]:
    units: list[Document] = api.get("/v1/balances")["units"]
    return units


def round_of(api: Api, round_id: str) -> Document:
    return dict(api.get(f"/v1/rounds/{round_id}").document)


def paid(api: Api, payer: str, payee: str, amount: int, *, unit: str = "EUR", is_taken_back: bool = False) -> Document:
    """Record a payment, and return it as a device has it before it is recorded."""
    payment: Document = {"payer": payer, "payee": payee, "unit": unit, "amount": amount}
    recorded = api.post("/v1/payments", {**payment, "reference": f"{payer} {payee} {amount}"})
    assert recorded.status == 201, recorded
    if is_taken_back:
        assert api.post(f"/v1/payments/{recorded['id']}/reversal", {"reason": "a mistake"}).status == 201
    return {**payment, "is_taken_back": False}


def test_balances_with_rounds_and_payments_that_wait_are_those_of_the_service_afterwards(
    api: Api, browser: BrowserRules
) -> None:
    table = add_table(api, **MONEY)
    reopened = str(open_round(api, table)["id"])
    play(api, reopened, *COMPLETE)
    taken_back = paid(api, "cyd", "ann", 40)
    before, counted = balances_of(api), {reopened: round_of(api, reopened)}

    assert undo(api, reopened, 3).status == 201
    close(api, reopened)
    other = str(open_round(api, table)["id"])
    play(api, other, dealt_again(COMPLETE[0]))
    close(api, other)
    payments = [paid(api, "cyd", "bob", 25), paid(api, "bob", "ann", 7, is_taken_back=True)]
    payments.append({**payments[-1], "is_taken_back": True})
    entry = next(line["id"] for line in api.get("/v1/ledger?kind=payment")["lines"] if line["amount"] == 40)
    assert api.post(f"/v1/payments/{entry}/reversal", {"reason": "a mistake"}).status == 201
    payments.append({**taken_back, "is_taken_back": True})

    rounds = [{"before": counted.get(each), "after": round_of(api, each)} for each in (reopened, other)]
    settled = browser.settle({"units": before, "rounds": rounds, "payments": payments})
    [unit], [after] = settled["units"], balances_of(api)
    expected = {each["player"]: each["balance"] for each in after["players"] if each["balance"]}
    assert settled["kind"] == "settled"
    assert {each["player"]: each["balance"] for each in unit["players"]} == expected
    assert (unit["unit"], unit["settle_up"]) == ("EUR", after["settle_up"])


@pytest.mark.parametrize("per", ["hand", "round"])
def test_a_round_that_waits_has_the_standing_charge_of_its_table(api: Api, browser: BrowserRules, per: str) -> None:
    table = add_table(api, **MONEY, charge_per=per, charge_amount=50)
    round_id = str(open_round(api, table)["id"])
    play(api, round_id, *COMPLETE[:2])
    close(api, round_id)
    document = api.get(f"/v1/rounds/{round_id}/document").document
    ruleset = api.get("/v1/rulesets/pineapple").document
    charged = browser.replay({"document": document, "ruleset": ruleset})["charged"]
    after = {**round_of(api, round_id), "charged": charged}
    [unit] = browser.settle({"units": [], "rounds": [{"before": None, "after": after}], "payments": []})["units"]
    [expected] = balances_of(api)
    owed = {each["player"]: each["balance"] for each in expected["players"] if each["balance"]}
    assert {each["player"]: each["balance"] for each in unit["players"]} == owed
    assert owed[None] == 3 * (100 if per == "hand" else 50)


def test_what_waits_is_added_up_in_a_unit_of_the_club(api: Api, browser: BrowserRules) -> None:
    assert api.post("/v1/units", MILLIBITCOIN).status == 201
    euros = str(open_round(api, add_table(api, name="attic", **MONEY))["id"])
    points = str(open_round(api, add_table(api, name="loft"))["id"])
    for each in (euros, points):
        play(api, each, *COMPLETE)
    before = balances_of(api)
    table = add_table(api, point_value=12_500, unit="mBTC", charge_per="hand", charge_amount=2_500)
    round_id = str(open_round(api, table)["id"])
    play(api, round_id, *COMPLETE)
    payments = [paid(api, "cyd", "ann", 125_000, unit="mBTC")]
    document = without(api.get(f"/v1/rounds/{round_id}/document").document, "unit_digits")
    ruleset = api.get("/v1/rulesets/pineapple").document
    charged = browser.replay({"document": document, "ruleset": ruleset})["charged"]
    # A round that was opened on the device has the unit of its table, without the digits.
    after = {**without(round_of(api, round_id), "unit_digits"), "charged": charged}
    rounds = [{"before": None, "after": after}]
    settled = browser.settle({"units": before, "rounds": rounds, "payments": payments})["units"]
    expected = balances_of(api)
    assert [each["unit"] for each in settled] == [each["unit"] for each in expected]
    assert [each["unit"] for each in settled][:2] == ["EUR", "mBTC"]
    assert [each["settle_up"] for each in settled] == [each["settle_up"] for each in expected]


def test_a_round_that_is_open_again_counts_nothing(api: Api, browser: BrowserRules) -> None:
    reopened = str(open_round(api, add_table(api))["id"])
    play(api, reopened, *COMPLETE)
    before, counted = balances_of(api), round_of(api, reopened)
    assert undo(api, reopened, 3).status == 201
    rounds = [{"before": counted, "after": round_of(api, reopened)}]
    [unit] = browser.settle({"units": before, "rounds": rounds, "payments": []})["units"]
    assert (unit["players"], unit["settle_up"], unit["is_fewest"]) == ([], [], True)


def test_the_house_is_owed_and_pays(browser: BrowserRules) -> None:
    players = [{"player": None, "balance": 200}, {"player": "ann", "balance": -200}]
    held = {"units": [{"unit": "EUR", "players": players}], "rounds": [], "payments": []}
    [unit] = browser.settle(held)["units"]
    assert unit["settle_up"] == [{"payer": "ann", "payee": None, "amount": 200}]
