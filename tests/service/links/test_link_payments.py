"""Payments that scorekeepers record with their links: of players of the table, in its units, and once in the club."""

from functools import partial
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from tests.service.ledger.ledger_lines import ledger, posted
from tests.service.links.linked_table import link_to
from tests.support.api_client import Api, ApiResponse, replayed
from tests.support.application import House
from tests.support.check_club import check_everywhere
from tests.support.import_lines import club_of, database_of
from tests.support.race import at_once
from tests.support.sample_rounds import COMPLETE, Document, add_table

PAID: Document = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 250, "reference": "tick-1"}
EUROS: Document = {"hands": COMPLETE, "point_value": 10, "unit": "EUR"}


@pytest.fixture
def friday(api: Api) -> Document:
    """A round at the table of the link, by which cyd owes ann 3.60 euros."""
    played: Document = posted(api, table="friday", **EUROS)["round"]
    return played


@pytest.fixture
def monday(api: Api) -> Document:
    """The same round at another table."""
    played: Document = posted(api, table="monday", **EUROS)["round"]
    return played


@pytest.fixture
def link(house: House, api: Api, friday: Document) -> Api:
    return link_to(house, api, friday["table"])


def pay(api: Api, **changes: Any) -> ApiResponse:
    return api.post("/v1/payments", {name: each for name, each in {**PAID, **changes}.items() if each is not ...})


def recorded(api: Api, **changes: Any) -> ApiResponse:
    response = pay(api, **changes)
    assert response.status == 201, response
    return response


def codes_of(response: ApiResponse) -> set[str]:
    return {each["code"] for each in response.document.get("warnings", ())}


def total_of(api: Api, query: str = "") -> dict[str, int]:
    [unit] = api.get(f"/v1/balances{query}")["units"]
    return {each["player"]: each["balance"] for each in unit["players"]}


@pytest.mark.smoke
def test_a_scorekeeper_records_a_payment_at_the_table_and_takes_it_back(
    house: House, api: Api, link: Api, friday: Document, monday: Document
) -> None:
    owed = {"ann": 360, "bob": 0, "cyd": -360}
    assert total_of(link) == total_of(api, f"?table={friday['table']}") == owed
    paid = recorded(link)
    assert (paid["table"], paid["round"], codes_of(paid)) == (friday["table"], None, set())
    assert total_of(link) == {"ann": 110, "bob": 0, "cyd": -110}
    assert total_of(api, f"?table={monday['table']}") == owed
    assert [line["id"] for line in ledger(api, f"?table={friday['table']}&kind=payment")] == [paid["id"]]
    taken_back = link.post(f"/v1/payments/{paid['id']}/reversal", {"reason": "paid to bob"})
    assert taken_back.status == 201, taken_back
    assert total_of(link) == owed
    check_everywhere(house, api)


def test_a_payment_for_a_round_belongs_to_the_table_of_the_round(
    api: Api, link: Api, friday: Document, monday: Document
) -> None:
    paid = recorded(api, round=friday["id"])
    assert (paid["table"], paid["round"]) == (friday["table"], friday["id"])
    assert [line["id"] for line in ledger(api, f"?round={friday['id']}&kind=payment")] == [paid["id"]]
    assert total_of(link)["ann"] == 110
    assert recorded(link, round=friday["id"], reference="tick-2")["round"] == friday["id"]
    assert pay(link, round=monday["id"], reference="tick-3").mistakes == {"#/round": "round-unknown"}


def test_a_round_is_paid_in_its_own_unit(api: Api, friday: Document) -> None:
    [mistake] = pay(api, round=friday["id"], unit="USD")["errors"]
    assert (mistake["pointer"], mistake["code"], mistake["expected"]) == ("#/unit", "unit-unknown", "EUR")
    recorded(api, round=friday["id"])
    for changes in ({"round": ...}, {"round": posted(api, table="attic", **EUROS)["round"]["id"]}):
        refused = pay(api, **{"round": friday["id"], **changes})
        assert (refused.status, set(refused.mistakes)) == (409, {"#/reference", "#/round"})


def test_a_link_names_players_and_units_of_its_table_only(house: House, api: Api, link: Api, monday: Document) -> None:
    posted(api, table="attic", hands=COMPLETE, seats=[{"seat": 1, "player": "dan", "stack": 200}, *seats_2_and_3()])
    attic = next(table["id"] for table in api.get("/v1/tables")["tables"] if table["name"] == "attic")
    before = house.count_records()
    assert pay(link, payer="dan").mistakes == {"#/payer": "player-unknown"}
    for unit in ("USD", attic):
        [mistake] = pay(link, unit=unit)["errors"]
        assert (mistake["pointer"], mistake["code"], mistake["expected"]) == ("#/unit", "unit-unknown", "EUR")
    assert house.count_records() == before
    assert recorded(api, payer="dan")["table"] is None


def seats_2_and_3() -> list[Document]:
    return [{"seat": seat, "player": player, "stack": 200} for seat, player in ((2, "bob"), (3, "cyd"))]


def test_a_viewers_link_records_nothing(house: House, api: Api, friday: Document) -> None:
    viewer = link_to(house, api, friday["table"], "viewer")
    paid = recorded(api, round=friday["id"])
    assert total_of(viewer)["ann"] == 110
    for refused in (pay(viewer), viewer.post(f"/v1/payments/{paid['id']}/reversal", {"reason": "no"})):
        assert (refused.status, refused["code"]) == (403, "scope-missing")


def test_what_is_recorded_elsewhere_in_the_club_is_warned_of_without_its_content(
    api: Api, link: Api, monday: Document
) -> None:
    """The manager records the payment in the console first, where the link cannot see it."""
    elsewhere = recorded(api, amount=720, reference="console")
    ticked = recorded(link, amount=720)
    assert codes_of(ticked) == {"equal-payment", "more-than-owed"}
    assert "720" not in str(ticked["warnings"]), "the balance of the club is not shown to a link"
    assert elsewhere["id"] not in ticked.text
    assert codes_of(recorded(api, amount=720, reference="console-2")) == {"equal-payment", "more-than-owed"}


def test_a_reference_of_another_table_is_a_conflict_without_its_content(
    house: House, api: Api, link: Api, monday: Document
) -> None:
    recorded(link_to(house, api, monday["table"]), amount=111)
    refused = pay(link)
    assert (refused.status, refused["code"], set(refused.mistakes)) == (409, "payment-conflict", {"#/reference"})
    assert "111" not in refused.text


def test_a_tick_that_is_sent_many_times_at_once_is_one_payment(house: House, api: Api, friday: Document) -> None:
    links = [link_to(house, api, friday["table"], label=f"phone {number}") for number in range(4)]
    responses = at_once(*[partial(pay, each) for each in links * 5])
    assert {response.status for response in responses} == {201}
    assert len({response["id"] for response in responses}) == 1
    assert [replayed(response) for response in responses].count(False) == 1
    assert len(ledger(api, "?kind=payment")) == 1


def test_a_transaction_of_a_link_sees_no_payments_of_other_tables(
    house: House, api: Api, friday: Document, monday: Document
) -> None:
    paid = [recorded(api, reference=str(each["id"]), round=each["id"])["id"] for each in (friday, monday)]
    recorded(api, note="cash")
    table = add_table(api, name="attic")
    with database_of(house).session() as session:
        transaction = session.reading(club_of(house, api), UUID(friday["table"]))
        seen = transaction.execute(text("SELECT id FROM entries WHERE kind = 'payment'")).scalars().all()
        assert list(map(str, seen)) == paid[:1]
        assert transaction.execute(text("SELECT count(*) FROM texts")).scalar_one() == 0
    with database_of(house).session() as session:
        transaction = session.reading(club_of(house, api), UUID(table))
        assert transaction.execute(text("SELECT count(*) FROM entries")).scalar_one() == 0
        assert transaction.execute(text("SELECT is_reference_used('tick-1')")).scalar_one()
        assert str(transaction.execute(text("SELECT current_table()")).scalar_one()) == table
