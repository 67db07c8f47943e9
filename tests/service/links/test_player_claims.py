"""What players' links know of what is owed in the club, and what they claim, confirm, decline and withdraw."""

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from schemas.money import Unit
from service.db import Transaction
from service.ledger.queries.balances import list_net_balances
from tests.service.ledger.ledger_lines import posted
from tests.service.links.linked_table import issue_to_round, link_to, secret_of
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.check_club import check_everywhere
from tests.support.import_lines import club_of, database_of
from tests.support.race import at_once
from tests.support.sample_rounds import COMPLETE, Document

EUROS: Document = {"hands": COMPLETE, "point_value": 10, "unit": "EUR"}
CLAIMED: Document = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 250, "reference": "tap-1"}
PATH = "/v1/payment-claims"

LinkOf = Callable[..., Api]


@pytest.fixture
def friday(api: Api) -> Document:
    """A round by which cyd owes ann 3.60 euros."""
    played: Document = posted(api, table="friday", **EUROS)["round"]
    return played


@pytest.fixture
def monday(api: Api) -> Document:
    """A round at another table, by which bob owes dan, who never sat with cyd, 3.60 euros."""
    seats = [{"seat": seat, "player": player, "stack": 200} for seat, player in ((1, "dan"), (2, "ann"), (3, "bob"))]
    played: Document = posted(api, table="monday", **EUROS, seats=seats)["round"]
    return played


@pytest.fixture
def link_of(house: House, api: Api, friday: Document) -> LinkOf:
    """Issue a link of a player to the table friday."""
    return lambda player: link_to(house, api, friday["table"], "player", player=player)


def claim(api: Api, **changes: Any) -> ApiResponse:
    return api.post(PATH, {name: each for name, each in {**CLAIMED, **changes}.items() if each is not ...})


def claimed(api: Api, **changes: Any) -> str:
    response = claim(api, **changes)
    assert response.status == 201, response
    return str(response["id"])


def listed(api: Api) -> list[str]:
    return [each["id"] for each in api.get(PATH)["claims"]]


@pytest.mark.smoke
def test_the_payer_claims_and_the_payee_confirms(house: House, api: Api, link_of: LinkOf, friday: Document) -> None:
    payer, payee = link_of("cyd"), link_of("ann")
    said = claim(payer)
    assert (said.status, said["table"], said["state"]) == (201, friday["table"], "pending")
    assert listed(payer) == listed(payee) == [said["id"]]
    paid = payee.post(f"{PATH}/{said['id']}/confirm", None)
    assert (paid.status, paid["claim"], paid["table"]) == (201, said["id"], friday["table"])
    assert payer.get(PATH)["claims"][0]["payment"] == paid["id"]
    check_everywhere(house, api)


def test_a_player_does_only_what_this_player_can(house: House, link_of: LinkOf) -> None:
    payer, payee, other = link_of("cyd"), link_of("ann"), link_of("bob")
    said = claimed(payer)
    declining = {"reason": "not received"}
    before = house.count_records()
    for link, step, body in ((payer, "confirm", None), (payer, "decline", declining), (payee, "withdraw", None)):
        refused = link.post(f"{PATH}/{said}/{step}", body)
        assert (refused.status, refused["code"]) == (403, "scope-missing"), step
    refused = claim(payee, reference="tap-2")
    assert (refused.status, refused["code"]) == (403, "scope-missing")
    for step, body in (("confirm", None), ("decline", declining), ("withdraw", None)):
        assert other.post(f"{PATH}/{said}/{step}", body).status == 404
    assert listed(other) == []
    assert claim(other, reference="tap-1", payer="bob")["code"] == "payment-conflict"
    assert house.count_records() == before


def test_a_player_reads_why_the_payee_declined(api: Api, link_of: LinkOf) -> None:
    payer, payee = link_of("cyd"), link_of("ann")
    said = claimed(payer)
    assert payee.post(f"{PATH}/{said}/decline", {"reason": "the envelope was empty"}).status == 201
    [ended] = payer.get(PATH)["claims"]
    assert (ended["state"], ended["reason"]) == ("declined", "the envelope was empty")


@pytest.mark.parametrize("kind", ["scorekeeper", "viewer"])
def test_other_links_see_the_claims_of_their_table(
    house: House, api: Api, link_of: LinkOf, friday: Document, monday: Document, kind: str
) -> None:
    said = claimed(link_of("cyd"))
    there, elsewhere = (link_to(house, api, each["table"], kind) for each in (friday, monday))
    assert (listed(there), listed(elsewhere)) == ([said], [])
    assert elsewhere.post(f"{PATH}/{said}/confirm", None).status == (404 if kind == "scorekeeper" else 403)
    confirmed = there.post(f"{PATH}/{said}/confirm", None)
    assert confirmed.status == (201 if kind == "scorekeeper" else 403)


def test_a_payee_confirms_with_a_link_to_another_table(
    house: House, api: Api, link_of: LinkOf, monday: Document
) -> None:
    said = claimed(link_of("cyd"))
    payee = link_to(house, api, monday["table"], "player", player="ann")
    assert payee.post(f"{PATH}/{said}/confirm", None).status == 201
    check_everywhere(house, api)


def test_a_player_settles_up_with_whom_the_club_proposes(
    house: House, api: Api, friday: Document, monday: Document
) -> None:
    """By both rounds, bob owes dan, whom he knows from the other table only."""
    link = link_to(house, api, friday["table"], "player", player="bob")
    assert claim(link, payer="bob", payee="dan", amount=300).status == 201
    outsider = link_to(house, api, posted(api, table="attic", hands=COMPLETE)["round"]["table"], "player", player="eve")
    assert claim(outsider, payer="eve", payee="dan", reference="tap-2").mistakes.keys() == {
        "#/payer",
        "#/payee",
        "#/unit",
    }
    assert claim(link, payer="bob", unit="USD", reference="tap-2").mistakes == {"#/unit": "unit-unknown"}


def test_a_warning_has_the_balance_of_the_players_own_link_only(link_of: LinkOf) -> None:
    payer, payee = link_of("cyd"), link_of("ann")
    [warning] = claim(payer, amount=400)["warnings"]
    assert warning["detail"] == "`amount` is 4.00 EUR, and 'cyd' owed 3.60 EUR"
    [warning] = payee.post(f"{PATH}/{listed(payee)[0]}/confirm", None)["warnings"]
    assert (warning["code"], "3.60" in warning["detail"]) == ("more-than-owed", False)


def test_a_link_to_a_round_claims_and_confirms_too(house: House, api: Api, friday: Document) -> None:
    payer, payee = (
        Api(house.app, secret_of(issue_to_round(api, friday["id"], kind="player", player=player)))
        for player in ("cyd", "ann")
    )
    said = claimed(payer, round=friday["id"])
    assert payee.post(f"{PATH}/{said}/confirm", None)["round"] == friday["id"]
    viewer = Api(house.app, secret_of(issue_to_round(api, friday["id"])))
    assert (viewer.get(PATH).status, claim(viewer).status) == (403, 403)


def test_a_claim_that_its_payer_taps_often_is_one(link_of: LinkOf) -> None:
    links = [link_of("cyd") for _ in range(4)]
    responses = at_once(*[partial(claim, each) for each in links * 5])
    assert {response.status for response in responses} == {201}
    assert len({response["id"] for response in responses}) == 1


# --- row-level security ---


def test_a_transaction_of_a_player_sees_own_payments_and_claims_of_the_whole_club(
    house: House, api: Api, friday: Document, monday: Document
) -> None:
    def pay(payer: str, payee: str, reference: str) -> str:
        paying = {"payer": payer, "payee": payee, "unit": "EUR", "amount": 1, "reference": reference, "note": reference}
        return str(api.post("/v1/payments", paying)["id"])

    own, others = pay("bob", "dan", "own"), pay("dan", "ann", "others")
    claims = [claimed(api, payer="dan", payee=payee, reference=payee) for payee in ("bob", "ann")]
    api.post(f"{PATH}/{claims[1]}/decline", {"reason": "not received"})

    def seen(transaction: Transaction) -> list[set[str]]:
        queries = (
            "SELECT id FROM entries WHERE kind = 'payment'",
            "SELECT record_id FROM texts",
            "SELECT id FROM payment_claims",
            "SELECT claim_id FROM payment_claim_outcomes",
        )
        return [set(map(str, transaction.execute(text(query)).scalars())) for query in queries]

    club, table = club_of(house, api), UUID(friday["table"])
    expected = {"bob": [{own}, {own}, {claims[0]}, set()], None: [set()] * 4}
    for player, records in expected.items():
        with database_of(house).session() as session:
            transaction = session.reading(club, table, None, player)
            assert seen(transaction) == records, player
            rounds = transaction.execute(text("SELECT DISTINCT table_id FROM entries WHERE revision IS NOT NULL"))
            assert [str(each) for each in rounds.scalars()] == [friday["table"]]
            units = {Unit("EUR", 2)} if player else set()
            assert list_net_balances(transaction).keys() == units
    with database_of(house).session() as session:
        assert {own, others} == seen(session.reading(club))[0]


def test_the_player_of_a_link_does_not_leak_to_the_next_transaction(house: House, api: Api, link_of: LinkOf) -> None:
    link = link_of("cyd")
    for _ in range(5):
        assert link.get(PATH).status == 200
        with database_of(house).session() as session:
            transaction = session.reading(club_of(house, api))
            assert transaction.execute(text("SELECT current_player()")).scalar_one() is None


def test_pending_claims_under_every_id_of_the_payer_are_taken_off_what_is_owed(api: Api, friday: Document) -> None:
    seats = [{"seat": seat, "player": player, "stack": 200} for seat, player in ((1, "ann"), (2, "bob"), (3, "cydney"))]
    posted(api, table="attic", hands=COMPLETE, seats=seats)
    claimed(api, amount=360)
    joined = api.post("/v1/players/cyd/aliases", {"alias": "cydney"})
    assert joined.status in (200, 201), joined
    more = claim(api, payer="cydney", amount=1, reference="tap-2")
    assert [each["code"] for each in more["warnings"]] == ["more-than-owed"]


def test_a_player_without_entries_learns_no_balances(house: House, api: Api, friday: Document) -> None:
    with database_of(house).session() as session:
        transaction = session.reading(club_of(house, api), UUID(friday["table"]), None, "eve")
        assert list_net_balances(transaction) == {}
