"""Balances over HTTP: what everyone is owed or owes by the journal, unit by unit, and who pays whom."""

from typing import Any

import pytest

from schemas.fields import MOST_INTEGER
from service.clubs.scopes import KeyScope
from tests.service.feed.test_api_feed import key_with
from tests.service.ledger.ledger_lines import exchange_seats, ledger, owed, posted
from tests.service.tables.test_changed_tables import verify
from tests.support.api_client import Api, ApiResponse
from tests.support.api_disputes import opened
from tests.support.application import House
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    LOW,
    MID,
    NOBODYS,
    Document,
    add_table,
    hand,
    open_round,
    play,
    undo,
)

EURO = {"point_value": 10, "unit": "EUR"}
NOTHING = {"final": 0, "provisional": 0, "disputed": 0}


def balances(api: Api, query: str = "") -> ApiResponse:
    response = api.get(f"/v1/balances{query}")
    assert response.status == 200, response
    return response


def of_unit(api: Api, unit: str = "EUR", query: str = "") -> dict[str | None, int]:
    """The balance of everyone in a unit."""
    units = [each for each in balances(api, query)["units"] if each["unit"] == unit]
    return {each["player"]: each["balance"] for unit_ in units for each in unit_["players"]}


def paid(api: Api, payer: str | None, payee: str | None, amount: int, **more: Any) -> str:
    reference = f"{payer} {payee} {amount} {len(ledger(api))}"
    body = {"payer": payer, "payee": payee, "unit": "EUR", "amount": amount, "reference": reference, **more}
    response = api.post("/v1/payments", body)
    assert response.status == 201, response
    return str(response["id"])


def charged(api: Api, player: str, amount: int, **more: Any) -> str:
    body = {"player": player, "unit": "EUR", "amount": amount, "reason": "the room", "reference": f"{player}", **more}
    response = api.post("/v1/charges", body)
    assert response.status == 201, response
    return str(response["id"])


@pytest.mark.smoke
def test_a_balance_has_its_parts_and_the_payments_that_settle_it(api: Api) -> None:
    assert balances(api).document == {"as_of": None, "open_rounds": 0, "units": []}
    posted(api, hands=COMPLETE, **EURO)
    paid(api, "cyd", "ann", 100)
    charged(api, "ann", 50)
    open_round(api, add_table(api, name="attic"))
    assert balances(api).document == {
        "as_of": None,
        "open_rounds": 1,
        "units": [
            {
                "unit": "EUR",
                "unit_digits": 2,
                "table_name": None,
                "players": [
                    {
                        "player": "ann",
                        "balance": 210,
                        "settled": {**NOTHING, "provisional": 360},
                        "payments": -100,
                        "charges": -50,
                    },
                    {"player": None, "balance": 50, "settled": NOTHING, "payments": 0, "charges": 50},
                    {"player": "bob", "balance": 0, "settled": NOTHING, "payments": 0, "charges": 0},
                    {
                        "player": "cyd",
                        "balance": -260,
                        "settled": {**NOTHING, "provisional": -360},
                        "payments": 100,
                        "charges": 0,
                    },
                ],
                "settle_up": [
                    {"payer": "cyd", "payee": None, "amount": 50},
                    {"payer": "cyd", "payee": "ann", "amount": 210},
                ],
                "payments_are": "fewest",
            }
        ],
    }


def test_paying_what_is_proposed_settles_everything(api: Api) -> None:
    posted(api, hands=COMPLETE, **EURO)
    charged(api, "ann", 50)
    [unit] = balances(api)["units"]
    for proposed in unit["settle_up"]:
        paid(api, proposed["payer"], proposed["payee"], proposed["amount"])
    [unit] = balances(api)["units"]
    assert unit["settle_up"] == []
    assert {each["balance"] for each in unit["players"]} == {0}


def test_settled_rounds_are_shown_by_the_state_that_they_have_now(api: Api) -> None:
    final, disputed = (posted(api, hands=COMPLETE, reference=f"{each}", **EURO)["round"]["id"] for each in range(2))
    posted(api, hands=COMPLETE, reference="2", **EURO)
    for seat in (1, 2, 3):
        api.post(f"/v1/rounds/{final}/confirmations", {"seat": seat})
    opened(api, disputed)
    [unit] = balances(api)["units"]
    [ann] = [each for each in unit["players"] if each["player"] == "ann"]
    assert ann["settled"] == {"final": 360, "provisional": 360, "disputed": 360}
    assert ann["balance"] == 3 * 360
    exchange_seats(api, final)
    [unit] = balances(api)["units"]
    [ann] = [each for each in unit["players"] if each["player"] == "ann"]
    assert ann["settled"] == {"final": 0, "provisional": 360 + 120, "disputed": 360}


def test_open_rounds_add_nothing(api: Api) -> None:
    round_id = open_round(api, add_table(api, **EURO))["id"]
    play(api, round_id, *COMPLETE)
    assert of_unit(api) == {"ann": 360, "bob": 0, "cyd": -360}
    settled = ledger(api)[0]["posted_at"]
    assert undo(api, round_id, 3).status == 201
    [unit] = balances(api, f"?as_of={settled}")["units"]
    assert unit["players"][0]["settled"] == {**NOTHING, "provisional": 360}, "it was provisional then"
    assert of_unit(api) == {"ann": 0, "bob": 0, "cyd": 0}
    assert balances(api)["open_rounds"] == 1
    play(api, round_id, hand(3, 3, {1: LOW, 2: MID, 3: HIGH}))
    assert of_unit(api) == {"ann": 120, "bob": 0, "cyd": -120}


def test_each_unit_is_settled_by_itself(api: Api) -> None:
    posted(api, hands=COMPLETE, reference="0", **EURO)
    posted(api, table="loft", hands=COMPLETE, reference="1", point_value=1, unit="USD")
    attic = posted(api, table="attic", hands=COMPLETE, reference="2")["round"]["table"]
    cellar = posted(api, table="cellar", hands=COMPLETE, reference="3")["round"]["table"]
    units = balances(api)["units"]
    in_order = ["EUR", "USD", *sorted([attic, cellar])]
    assert [each["unit"] for each in units] == in_order
    assert {each["unit"]: (each["unit_digits"], each["table_name"]) for each in units} == {
        "EUR": (2, None),
        "USD": (2, None),
        attic: (0, "attic"),
        cellar: (0, "cellar"),
    }
    assert [of_unit(api, unit)["ann"] for unit in ("EUR", "USD", attic, cellar)] == [360, 36, 36, 36]
    paid(api, "cyd", "ann", 30, unit=attic)
    assert [of_unit(api, unit)["ann"] for unit in ("EUR", "USD", attic, cellar)] == [360, 36, 6, 36]


def test_rounds_with_other_point_values_add_up_in_one_unit(api: Api) -> None:
    posted(api, hands=COMPLETE, reference="0", **EURO)
    posted(api, hands=COMPLETE, reference="1", point_value=25, unit="EUR")
    assert of_unit(api)["ann"] == 360 + 900


def test_balances_are_of_one_player(api: Api) -> None:
    posted(api, hands=COMPLETE, reference="0", **EURO)
    posted(
        api, table="attic", sitting={1: "dan 100", 2: "eve 100", 3: "fay 100"}, hands=COMPLETE, reference="1", **EURO
    )
    open_round(api, add_table(api, name="loft"))
    shown = balances(api, "?player=cyd")
    [unit] = shown["units"]
    assert [(each["player"], each["balance"]) for each in unit["players"]] == [("cyd", -360)]
    assert unit["settle_up"] == [{"payer": "cyd", "payee": "ann", "amount": 360}]
    assert shown["open_rounds"] == 1
    assert balances(api, "?player=nobody").document == {"as_of": None, "open_rounds": 0, "units": []}


def test_balances_are_in_one_unit(api: Api) -> None:
    posted(api, hands=COMPLETE, reference="0", **EURO)
    attic = posted(api, table="attic", hands=COMPLETE, reference="1")["round"]["table"]
    paid(api, "cyd", "ann", 6, unit=attic)
    whole = {each["unit"]: each for each in balances(api)["units"]}
    assert [*whole] == ["EUR", attic]
    for unit in ("EUR", attic):
        assert balances(api, f"?unit={unit}")["units"] == [whole[unit]]
    [mine] = balances(api, f"?unit={attic}&player=cyd")["units"]
    assert ([each["player"] for each in mine["players"]], mine["settle_up"]) == (["cyd"], whole[attic]["settle_up"])
    assert balances(api, "?unit=USD")["units"] == []


def test_balances_are_of_one_table(api: Api) -> None:
    kitchen = posted(api, hands=COMPLETE, reference="0", **EURO)["round"]["table"]
    attic = posted(api, table="attic", hands=COMPLETE, reference="1")["round"]["table"]
    paid(api, "cyd", "ann", 100)
    paid(api, "cyd", "ann", 6, unit=attic)
    assert of_unit(api, query=f"?table={kitchen}") == {"ann": 360, "bob": 0, "cyd": -360}
    assert of_unit(api, attic, query=f"?table={attic}") == {"ann": 30, "bob": 0, "cyd": -30}
    assert [unit["settle_up"] for unit in balances(api, f"?table={kitchen}")["units"]] == [[]]
    [unit] = balances(api, f"?table={attic}")["units"]
    assert unit["settle_up"] == [{"payer": "cyd", "payee": "ann", "amount": 30}]
    assert balances(api, f"?table={NOBODYS}")["units"] == []


def test_balances_are_as_of_a_time(api: Api) -> None:
    round_id = posted(api, hands=COMPLETE, **EURO)["round"]["id"]
    settled = ledger(api)[0]["posted_at"]
    payment = paid(api, "cyd", "ann", 100)
    exchange_seats(api, round_id)
    [line] = ledger(api, "?kind=payment")
    assert (line["id"], of_unit(api)["ann"]) == (payment, 20)
    assert of_unit(api, query=f"?as_of={line['posted_at']}")["ann"] == 260
    shown = balances(api, f"?as_of={settled}")
    assert shown["as_of"] == settled
    assert of_unit(api, query=f"?as_of={settled}")["ann"] == 360
    assert balances(api, "?as_of=2026-01-01T00:00:00Z")["units"] == []


def test_a_reversal_leaves_the_part_that_it_takes_back(api: Api) -> None:
    posted(api, hands=COMPLETE, **EURO)
    for entry in (f"payments/{paid(api, 'cyd', 'ann', 100)}", f"charges/{charged(api, 'ann', 50)}"):
        assert api.post(f"/v1/{entry}/reversal", {"reason": "a mistake"}).status == 201
    payment = paid(api, "ann", None, 20)
    [unit] = balances(api)["units"]
    parts = {each["player"]: (each["payments"], each["charges"]) for each in unit["players"]}
    assert parts == {"ann": (20, 0), "bob": (0, 0), "cyd": (0, 0), None: (-20, 0)}
    assert api.post(f"/v1/payments/{payment}/reversal", {"reason": "a mistake"}).status == 201
    [unit] = balances(api)["units"]
    assert {(each["payments"], each["charges"]) for each in unit["players"]} == {(0, 0)}


def test_balances_are_the_sum_of_the_lines(api: Api, house: House) -> None:
    round_id = posted(api, hands=COMPLETE, **EURO)["round"]["id"]
    paid(api, "cyd", "ann", 1000)
    charged(api, "bob", 50)
    exchange_seats(api, round_id)
    assert of_unit(api) == owed(ledger(api)) == {"ann": -880, "bob": -50, "cyd": 880, None: 50}
    assert verify(house, api) == []


def test_a_sum_beyond_the_largest_exact_integer_is_refused(api: Api) -> None:
    posted(api, hands=COMPLETE, **EURO)
    for _ in range(2):
        paid(api, "ann", "bob", MOST_INTEGER)
    refused = api.get("/v1/balances")
    assert (refused.status, refused.mistakes) == (422, {"#/query/table": "points-overflow"})
    assert of_unit(api, query=f"?table={NOBODYS}") == {}


def test_the_balances_of_another_club_are_not_shown(api: Api, other_api: Api) -> None:
    table = posted(api, hands=COMPLETE, **EURO)["round"]["table"]
    for query in ("", "?player=ann", f"?table={table}"):
        assert balances(other_api, query)["units"] == []


@pytest.mark.parametrize(
    ("query", "pointer", "code"),
    [
        ("table=kitchen", "table", "not-an-id"),
        ("player=", "player", "text-length"),
        ("as_of=yesterday", "as_of", "not-a-time"),
        ("unit=1EUR", "unit", "text-pattern"),
        ("currency=EUR", "currency", "field-unknown"),
    ],
)
def test_an_invalid_query_is_rejected(api: Api, query: str, pointer: str, code: str) -> None:
    response = api.get(f"/v1/balances?{query}")
    assert (response.status, response.mistakes) == (422, {f"#/query/{pointer}": code})


# --- notes ---


def test_erasing_a_player_erases_the_notes_about_them(api: Api, house: House) -> None:
    """The amounts and the events stay, and are still verified."""
    posted(api, hands=COMPLETE, **EURO)
    payment = paid(api, "cyd", "ann", 100, note="for Annabel Erasable")
    other = paid(api, "cyd", "bob", 100, note="for Bob Erasable")
    charge = charged(api, "ann", 50, reason="Erasable drinks")
    assert api.post(f"/v1/charges/{charge}/reversal", {"reason": "Erasable error"}).status == 201
    before = of_unit(api)
    assert api.put("/v1/players/ann", {"display_name": "Ann Erasable"}).status == 201
    assert api.delete("/v1/players/ann").status == 204

    notes = {line["id"]: line["note"] for line in ledger(api) if line["kind"] != "settlement"}
    assert notes[payment] is notes[charge] is None
    assert notes[other] == "for Bob Erasable"
    assert [note for note in notes.values() if note] == ["for Bob Erasable"]
    assert of_unit(api) == before
    assert verify(house, api) == []
    [(erased,)] = house.query(
        "SELECT convert_from(content, 'UTF8')::jsonb FROM events WHERE kind = 'player.erased' ORDER BY id DESC LIMIT 1"
    )
    assert (erased["player"], len(erased["texts"])) == ("ann", 3)
    [(digest,)] = house.query(
        "SELECT convert_from(content, 'UTF8')::jsonb ->> 'note' FROM events WHERE id = %s", payment
    )
    assert digest in erased["texts"]

    # Without a name and without notes there is nothing to erase.
    events = house.query("SELECT count(*) FROM events")
    assert api.delete("/v1/players/ann").status == 204
    assert house.query("SELECT count(*) FROM events") == events
    assert api.delete("/v1/players/cyd").status == 204
    assert {line["note"] for line in ledger(api)} == {None}
    assert verify(house, api) == []


def test_an_erased_note_is_not_compared(api: Api) -> None:
    posted(api, hands=COMPLETE, **EURO)
    body: Document = {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 1, "reference": "cash", "note": "a loan"}
    first = api.post("/v1/payments", body)
    assert api.delete("/v1/players/ann").status == 204
    for note in ("a loan", "another"):
        assert api.post("/v1/payments", {**body, "note": note})["id"] == first["id"]
    assert api.post("/v1/payments", {**body, "note": None})["code"] == "payment-conflict"


def test_who_may_read_may_not_record(house: House, api: Api) -> None:
    posted(api, hands=COMPLETE, **EURO)
    reader = key_with(house, api, KeyScope.READ)
    assert balances(reader).document == balances(api).document
    refused = reader.post("/v1/payments", {"payer": "cyd", "payee": "ann", "unit": "EUR", "amount": 1})
    assert refused["code"] == "scope-missing"
