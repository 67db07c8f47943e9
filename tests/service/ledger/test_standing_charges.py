"""The standing charge of a table: what the house charges the players of its rounds, apart from what they win."""

import psycopg
import pytest

from scoring.presets import PRESETS
from service.rulesets.actions import store_ruleset
from tests.service.ledger.ledger_lines import exchange_seats, ledger, posted
from tests.service.links.linked_table import issue_to_round
from tests.service.links.test_links_to_rounds import HTML, page_of
from tests.service.tables.test_changed_tables import verify
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.browser.console_visitor import Visitor
from tests.support.database.recomputed_rounds import recompute, tamper
from tests.support.import_lines import club_of, database_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    HIGH,
    MID,
    THREE,
    TWO,
    Document,
    add_table,
    close,
    complete_round,
    correct_round,
    document_of,
    hand,
    open_round,
    play,
    play_to_the_end,
    settlement_of,
    start_round,
    undo,
)

EURO = {"point_value": 10, "unit": "EUR"}
BY_HAND = {"charge_per": "hand", "charge_amount": 25}
BY_ROUND = {"charge_per": "round", "charge_amount": 100}
STANDING = [*EURO, *BY_HAND]


def part(document: Document, *names: str) -> Document:
    return {name: document[name] for name in names}


def house_lines(api: Api) -> list[tuple[str, str, int]]:
    """The lines between a player and the house: the kind of the entry, and what the player owes."""
    lines = [line for line in ledger(api) if None in (line["payer"], line["payee"])]
    return [
        (line["kind"], line["payer"], line["amount"])
        if line["payee"] is None
        else (line["kind"], line["payee"], -line["amount"])
        for line in lines
    ]


def charge_of(api: Api, round_id: str, revision: int | None = None) -> dict[str, int]:
    """The standing charge of a settlement, by player."""
    settlement = settlement_of(api, round_id, revision)
    return {settlement["players"][seat]: owed for seat, owed in settlement["standing_charge"]["charged"].items()}


def parts(api: Api, unit: str = "EUR") -> dict[str | None, tuple[int, int]]:
    """The balances in a unit: what rounds have added, and what was charged."""
    [balances] = [each for each in api.get("/v1/balances")["units"] if each["unit"] == unit]
    assert sum(each["balance"] for each in balances["players"]) == 0
    return {each["player"]: (sum(each["settled"].values()), each["charges"]) for each in balances["players"]}


def test_a_round_keeps_the_standing_charge_of_its_table(api: Api) -> None:
    table = add_table(api, **EURO, **BY_HAND)
    assert part(api.get(f"/v1/tables/{table}").document, *STANDING) == {**EURO, **BY_HAND}
    first = str(open_round(api, table)["id"])
    play_to_the_end(api, first)
    assert api.patch(f"/v1/tables/{table}", BY_ROUND).status == 200
    second = str(open_round(api, table)["id"])
    shown = [part(api.get(f"/v1/rounds/{round_id}").document, *BY_HAND) for round_id in (first, second)]
    assert shown == [BY_HAND, BY_ROUND]


def test_the_end_of_a_round_charges_everyone_for_the_hands_in_which_they_were_dealt_in(api: Api, house: House) -> None:
    round_id = start_round(api, sitting={1: "ann 100", 2: "bob 100", 3: "cyd 10"}, **EURO, **BY_HAND)
    play(api, round_id, hand(1, 1, THREE))
    assert ledger(api) == []
    assert charge_of(api, round_id) == {"ann": 25, "bob": 25, "cyd": 25}
    play(api, round_id, hand(2, 2, TWO))
    assert charge_of(api, round_id) == {"ann": 50, "bob": 50, "cyd": 25}
    assert house_lines(api) == [("settlement", "ann", 50), ("settlement", "bob", 50), ("settlement", "cyd", 25)]
    nets = settlement_of(api, round_id)["money"]["net"]
    assert settlement_of(api, round_id)["stacks"] == {"1": 116, "2": 94, "3": 0}
    assert parts(api) == {
        "ann": (nets["1"], -50),
        "bob": (nets["2"], -50),
        "cyd": (nets["3"], -25),
        None: (0, 125),
    }
    assert verify(house, api) == []


def test_a_charge_by_round_is_due_once_and_only_if_a_hand_was_played(api: Api, house: House) -> None:
    table = add_table(api, **BY_ROUND)
    first = str(open_round(api, table)["id"])
    close(api, first)
    assert ledger(api) == []
    second = str(open_round(api, table, {1: "ann 100", 2: "bob 100"})["id"])
    play(api, second, hand(1, 1, TWO), hand(2, 2, {1: MID, 2: HIGH}))
    assert house_lines(api) == [("settlement", "ann", 100), ("settlement", "bob", 100)]
    assert parts(api, table) == {"ann": (0, -100), "bob": (0, -100), "cyd": (0, 0), None: (0, 200)}
    assert verify(house, api) == []


def test_whatever_takes_a_hand_back_takes_its_charge_back(api: Api, house: House) -> None:
    round_id = complete_round(api, **EURO, **BY_HAND)
    charged = [("settlement", player, 75) for player in ("ann", "bob", "cyd")]
    assert house_lines(api) == charged
    undo(api, round_id, 3)
    reversed_ = [("reversal", player, -75) for player in ("ann", "bob", "cyd")]
    assert house_lines(api) == [*charged, *reversed_]
    assert set(parts(api).values()) == {(0, 0)}
    close(api, round_id)
    again = [("settlement", player, 50) for player in ("ann", "bob", "cyd")]
    assert house_lines(api) == [*charged, *reversed_, *again]
    assert verify(house, api) == []


def test_a_correction_of_who_was_dealt_in_adjusts_the_charge_alone(api: Api, house: House) -> None:
    round_id = complete_round(api, **EURO, **BY_HAND)
    patch = [
        {"op": "remove", "path": "/hands/2"},
        {"op": "add", "path": "/closed", "value": {"after_hand": 2, "reason": "late"}},
    ]
    corrected = correct_round(api, round_id, {"reason": "not played", "patch": patch})
    assert corrected.status == 201, corrected
    assert house_lines(api)[3:] == [("adjustment", player, -25) for player in ("ann", "bob", "cyd")]
    assert parts(api) == {"ann": (240, -50), "bob": (0, -50), "cyd": (-240, -50), None: (0, 150)}
    exchange_seats(api, round_id)
    assert len(house_lines(api)) == 6
    assert charge_of(api, round_id, revision=1) == dict.fromkeys(("ann", "bob", "cyd"), 75)
    assert verify(house, api) == []


@pytest.mark.parametrize("is_imported", [False, True])
def test_a_document_has_its_own_standing_charge(api: Api, house: House, is_imported: bool) -> None:
    document = document_of(hands=COMPLETE, reference="1", **EURO, **BY_HAND)
    if is_imported:
        many = [{**document, "reference": f"{number}", "table": f"{number}"} for number in range(9)]
        lines = import_all(house, club_of(house, api), lines_of([*many, document]), is_final=True)
        assert {line.status for line in lines} == {"stored"}
        round_id = str(lines[-1].round_id)
    else:
        round_id = posted(api, **document)["round"]["id"]
    assert charge_of(api, round_id) == dict.fromkeys(("ann", "bob", "cyd"), 75)
    assert api.get(f"/v1/rounds/{round_id}/document")["charge_amount"] == 25
    table = api.get("/v1/tables?name=kitchen")["tables"][0]
    assert part(table, *BY_HAND) == BY_HAND
    assert len(house_lines(api)) == (30 if is_imported else 3)
    assert verify(house, api) == []
    plain = document_of(hands=COMPLETE, reference="2", **EURO)
    second = posted(api, **plain)["round"]["id"]
    assert settlement_of(api, second)["standing_charge"] is None
    assert "charge_amount" not in api.get(f"/v1/rounds/{second}/document").document


def test_a_correction_cannot_change_the_standing_charge(api: Api) -> None:
    round_id = complete_round(api, **EURO, **BY_HAND)
    patch = [{"op": "replace", "path": "/charge_amount", "value": 1}]
    refused = correct_round(api, round_id, {"reason": "cheaper", "patch": patch})
    assert refused["code"] == "correction-invalid"
    assert refused.codes == {"correction-fixed"}


@pytest.mark.parametrize(
    ("fields", "pointer", "code"),
    [
        ({"charge_per": "hand"}, "#/charge_amount", "field-missing"),
        ({"charge_amount": 5}, "#/charge_per", "field-missing"),
        ({"charge_per": "hour", "charge_amount": 5}, "#/charge_per", "not-a-choice"),
        ({"charge_per": "hand", "charge_amount": 0}, "#/charge_amount", "out-of-range"),
    ],
)
def test_half_a_standing_charge_is_refused(api: Api, fields: Document, pointer: str, code: str) -> None:
    refused = api.post("/v1/tables", {"name": "kitchen", "ruleset": "pineapple", **fields})
    assert refused.mistakes == {pointer: code}


def test_a_table_that_changes_its_unit_needs_the_amount_in_the_new_one(api: Api) -> None:
    table = add_table(api, **EURO, **BY_HAND)
    refused = api.patch(f"/v1/tables/{table}", {"unit": "USD"})
    assert [*refused.mistakes] == ["#/charge_amount"]
    assert api.patch(f"/v1/tables/{table}", {"unit": "USD", "charge_amount": 30}).status == 200
    half = api.patch(f"/v1/tables/{table}", {"charge_per": None})
    assert [*half.mistakes] == ["#/charge_per"]
    assert api.patch(f"/v1/tables/{table}", {"charge_per": None, "charge_amount": None}).status == 200


def test_statements_have_charges_apart_from_what_was_won(api: Api) -> None:
    round_id = complete_round(api, **EURO, **BY_HAND)
    drink = {"player": "ann", "unit": "EUR", "amount": 300, "reason": "a drink", "round": round_id, "reference": "1"}
    assert api.post("/v1/charges", drink).status == 201
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    for statement in (api.get("/v1/statement"), api.get(f"/v1/tables/{table}/statement")):
        assert {each["player"]: (each["money"], each["charges"]) for each in statement["players"]} == {
            "ann": ({"EUR": 360}, {"EUR": 375}),
            "bob": ({"EUR": 0}, {"EUR": 75}),
            "cyd": ({"EUR": -360}, {"EUR": 75}),
        }
        assert [each["amount"] for each in statement["payments"]["money"]] == [360]
    rows = api.request("GET", "/v1/statement", headers={"Accept": "text/csv"}).text.splitlines()
    assert rows[:2] == ["player,table,rounds,top_ups,net,amount,charge,unit", "ann,kitchen,1,0,36,3.60,3.75,EUR"]


def test_the_pages_of_a_round_and_its_table_have_the_charge(api: Api, house: House) -> None:
    round_id = complete_round(api, **EURO, **BY_HAND)
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    visitor = Visitor.signed_in(house, api)
    round_page, table_page = (visitor.get(path).text for path in (f"/rounds/{round_id}", f"/tables/{table}"))
    for page in (round_page, table_page):
        assert "€0.25 a hand and player to the house" in page
        assert page.count(">€0.75</td>") == 3
    players_page = house.app.test_client().get(page_of(issue_to_round(api, round_id)), headers=HTML)
    assert players_page.text.count("€0.75") == 3


def test_the_form_of_a_table_has_the_standing_charge(api: Api, house: House) -> None:
    table = add_table(api, **EURO)
    visitor = Visitor.signed_in(house, api)
    form = {"charge_per": "hand", "charge_amount": "25"}
    assert visitor.submit(f"/tables/{table}", "/edit", form).status_code == 303
    assert part(api.get(f"/v1/tables/{table}").document, *BY_HAND) == BY_HAND


@pytest.mark.parametrize(
    ("change", "table", "column"),
    [
        ("UPDATE entries SET charges = ARRAY[60, -20, -20, -20] WHERE club_id = %s", "entries", "charges"),
        ("UPDATE entries SET charges = NULL WHERE club_id = %s", "entries", "charges"),
        ("UPDATE rounds SET charge_amount = 20 WHERE club_id = %s", "rounds", "charge_amount"),
        ("UPDATE tables SET charge_per = 'round' WHERE club_id = %s", "tables", "charge_per"),
    ],
)
def test_a_changed_charge_is_found(api: Api, house: House, change: str, table: str, column: str) -> None:
    complete_round(api, **EURO, **BY_HAND)
    tamper(house.owner_url, change, club_of(house, api))
    assert (table, column) in {(finding.table, finding.column) for finding in verify(house, api)}


@pytest.mark.parametrize("charges", ["ARRAY[74, -25, -25, -25]", "ARRAY[75, -25, -25]", "ARRAY[0, 0, 0, NULL]"])
def test_the_database_refuses_charges_that_do_not_add_up(api: Api, house: House, charges: str) -> None:
    round_id = complete_round(api, **EURO, **BY_HAND)
    with psycopg.connect(house.owner_url) as owner:
        owner.execute("SET session_replication_role = replica")
        with pytest.raises(psycopg.errors.CheckViolation, match="entries_charges_check"):
            owner.execute(f"UPDATE entries SET charges = {charges} WHERE round_id = %s", [round_id])


def test_a_recomputation_adjusts_only_what_was_won(api: Api, house: House) -> None:
    round_id = complete_round(api, **EURO, **BY_HAND)
    other = PRESETS["pineapple-2-4-us-none"]
    with database_of(house).transaction(club_of(house, api)) as transaction:
        store_ruleset(transaction, other)
        assert recompute(transaction, ruleset=other, applies=True).differing == 1
    assert [line["kind"] for line in ledger(api)][-1] == "adjustment"
    assert house_lines(api) == [("settlement", player, 75) for player in ("ann", "bob", "cyd")]
    nets = settlement_of(api, round_id)["money"]["net"]
    assert parts(api)["ann"] == (nets["1"], -75)
    assert verify(house, api) == []
