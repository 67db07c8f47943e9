"""The walk of a player on a phone: a dispute, a correction after finality, what is still to pay, and paying it once."""

from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.support.api_disputes import body_of
from tests.support.browser.check_page import check_targets, check_width, check_with_axe
from tests.support.browser.linked_table import LinkedTable
from tests.support.server_process import Running
from tests.web.pages.conftest import IN_BOTH_SCHEMES

pytestmark = pytest.mark.thorough
Document = dict[str, Any]


def settle_up(api: httpx2.Client) -> list[Document]:
    """Return the payments that settle up the club."""
    [unit] = api.get("/v1/balances").json()["units"]
    payments: list[Document] = unit["settle_up"]
    return payments


def post(api: httpx2.Client, path: str, body: Document) -> Document:
    response = api.post(path, json=body)
    assert response.status_code == 201, response.text
    document: Document = response.json()
    return document


def show(amount: int) -> str:
    return f"€{amount / 100:.2f}"


def open_link(context: BrowserContext, table: LinkedTable, player: str) -> Page:
    page = context.new_page()
    page.goto(table.link("player", player=player)["url"])
    return page


def pay_everything(api: httpx2.Client, table: LinkedTable) -> None:
    for number, each in enumerate(settle_up(api)):
        post(api, "/v1/payments", {**each, "unit": "EUR", "reference": f"evening {table.name} {number}"})
    assert settle_up(api) == []


def correct_by_dispute(api: httpx2.Client, table: LinkedTable) -> None:
    """Uphold the dispute of the round with a correction: ann and ben had each other's boards in hand 2."""
    [dispute] = api.get(f"/v1/disputes?round={table.round}").json()["disputes"]
    path = f"/v1/disputes/{dispute['id']}"
    by = api.get("/v1/keys").json()["keys"][0]["name"]
    post(api, f"{path}/review", body_of("review", dispute["version"], by=by))
    players = api.get(f"/v1/rounds/{table.round}/document").json()["hands"][1]["players"]
    first, second, *others = players
    exchanged = [{**second, "seat": first["seat"]}, {**first, "seat": second["seat"]}, *others]
    patch = [{"op": "replace", "path": "/hands/1/players", "value": exchanged}]
    round_ = api.get(f"/v1/rounds/{table.round}").json()
    correction = {"reason": "the boards were exchanged", "patch": patch, "dispute": dispute["id"]}
    post(api, f"/v1/rounds/{table.round}/corrections", {**correction, "version": round_["version"]})
    version = api.get(path).json()["version"]
    post(api, f"{path}/resolve", body_of("resolve", version, by=by, state="upheld", reason="as the camera shows"))


def test_a_player_sees_what_a_correction_leaves_to_pay_and_pays_it_once(
    table: LinkedTable, api: httpx2.Client, plain: BrowserContext
) -> None:
    pay_everything(api, table)
    disputing = open_link(plain, table, "ben")
    expect(disputing.get_by_text("You owe nothing, and nobody owes you anything.")).to_be_visible()
    disputing.locator(".rounds a").click()
    disputing.get_by_text("Something is wrong").click()
    disputing.get_by_label("What is wrong").fill("ann and I had each other's cards")
    disputing.get_by_role("button", name="Dispute").click()
    expect(disputing.get_by_text("You dispute the round")).to_be_visible()
    for seat in (1, 2, 3):
        api.post(f"/v1/rounds/{table.round}/confirmations", json={"seat": seat})
    correct_by_dispute(api, table)
    [owed] = settle_up(api)
    amount = show(owed["amount"])

    payer = open_link(plain, table, owed["payer"])
    expect(payer.locator("#money")).to_contain_text(f"You owe {owed['payee']} {amount}")
    expect(payer.locator("#money")).to_contain_text("the boards were exchanged")
    payer.get_by_role("button", name=f"I have paid {amount}").dblclick()
    expect(payer.get_by_text(f"You have paid {owed['payee']} {amount}")).to_be_visible()
    payer.reload()
    payer.go_back()
    payer.go_forward()
    expect(payer.get_by_role("button", name="I have paid €")).to_have_count(0)
    assert len(api.get("/v1/payment-claims").json()["claims"]) == 1

    payee = open_link(plain, table, owed["payee"])
    expect(payee.locator("#money")).to_contain_text(f"{owed['payer']} has paid you {amount}, they say")
    payee.get_by_role("button", name="I have received it").dblclick()
    expect(payee.get_by_text("You owe nothing, and nobody owes you anything.")).to_be_visible()
    payer.reload()
    expect(payer.get_by_text("You owe nothing, and nobody owes you anything.")).to_be_visible()
    expect(payer.locator("#money .payments li").first).to_contain_text(f"You paid {owed['payee']}")
    assert settle_up(api) == []
    [line] = api.get(f"/v1/ledger?kind=payment&player={owed['payer']}&limit=1000").json()["lines"][-1:]
    assert (line["payer"], line["payee"], line["amount"]) == (owed["payer"], owed["payee"], owed["amount"])


@IN_BOTH_SCHEMES
def test_the_pages_of_money_pass_axe_and_are_used_with_a_thumb(
    api: httpx2.Client, service: Running, browser: Browser, scheme: Any
) -> None:
    table = LinkedTable(api)
    table.complete()
    # axe runs in the page, which allows no scripts.
    context = browser.new_context(bypass_csp=True, color_scheme=scheme, viewport={"width": 390, "height": 844})
    context.set_default_timeout(20_000)
    owed = settle_up(api)[0]
    claim = {**owed, "unit": "EUR", "amount": 1}
    for number, ends in enumerate([False, True]):
        said = post(api, "/v1/payment-claims", {**claim, "reference": f"{table.name} {scheme} {number}"})["id"]
        if ends:
            post(api, f"/v1/payment-claims/{said}/decline", {"reason": "not received"})
    for player in (owed["payer"], owed["payee"]):
        page = open_link(context, table, player)
        for summary in page.locator("summary").all():
            summary.click()
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 844})
            check_with_axe(page)
            check_width(page)
            check_targets(page)
    context.close()
