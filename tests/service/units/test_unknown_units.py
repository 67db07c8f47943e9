"""New records need a known unit with a point value; stored ones stay readable."""

import json
from typing import Any

import pytest

from tests.service.ledger.ledger_lines import posted
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.import_lines import club_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    add_table,
    changed,
    correct_round,
    document_of,
    open_round,
    play_to_the_end,
    post_document,
)

WRONG = [
    ({"point_value": 5, "unit": "ZZZ"}, {"#/unit": "unit-unknown"}),
    ({"point_value": 5, "unit": "XXX"}, {"#/unit": "unit-unknown"}),
    ({"unit": "EUR"}, {"#/point_value": "point-value-missing"}),
    ({"unit": "EUR", "point_value": None}, {"#/point_value": "point-value-missing"}),
    ({"unit": "ZZZ"}, {"#/point_value": "point-value-missing"}),
    ({"point_value": 5}, {"#/unit": "unit-missing"}),
]


@pytest.mark.parametrize(("money", "mistakes"), WRONG)
def test_invalid_money_is_refused_in_new_records(
    api: Api, house: House, money: dict[str, Any], mistakes: dict[str, str]
) -> None:
    before = house.count_records()
    document = document_of(hands=COMPLETE, **money)
    table_response = api.post("/v1/tables", {"name": "kitchen", "ruleset": "pineapple", **money})
    for response in (table_response, post_document(api, document)):
        assert (response.status, response.mistakes) == (422, mistakes)
        details = {mistake["pointer"]: mistake["detail"] for mistake in response["errors"]}
        if "#/unit" in mistakes and "unit" in money:
            assert details["#/unit"] == (
                f"`unit` is '{money['unit']}'; expected a currency of ISO 4217, such as EUR, or a unit of the club,"
                " which has defined none; POST /v1/units defines one"
            )
        if "#/point_value" in mistakes:
            assert f"is required beside the unit '{money['unit']}'" in details["#/point_value"]
    good = document_of(hands=COMPLETE, sitting={1: "dan 50", 2: "eve 50", 3: "fay 50"}, point_value=1, unit="DEM")
    [refused] = import_all(house, club_of(house, api), lines_of([document]))
    assert refused.problem is not None
    assert {each["pointer"]: each["code"] for each in refused.problem["errors"]} == mistakes
    assert house.count_records() == before
    [line] = import_all(house, club_of(house, api), lines_of([good]))
    assert line.status == "stored"


def test_an_unknown_unit_is_refused_with_the_units_of_the_club(api: Api, house: House) -> None:
    posted(api, hands=COMPLETE, point_value=10, unit="EUR")
    table = add_table(api, name="attic")
    for number in range(7):
        assert api.post("/v1/units", {"code": f"chips{number}", "name": "Chips", "digits": 0}).status == 201
    paid = {"payer": "cyd", "payee": "ann", "amount": 5, "reference": "1"}
    charged = {"player": "ann", "amount": 5, "reason": "the room", "reference": "1"}
    before = house.count_records()
    for response in (
        api.post("/v1/tables", {"name": "loft", "ruleset": "pineapple", "point_value": 5, "unit": "Chips1"}),
        api.patch(f"/v1/tables/{table}", {"point_value": 5, "unit": "Chips1"}),
        post_document(api, document_of(hands=COMPLETE, reference="2", point_value=5, unit="Chips1")),
        api.post("/v1/payments", {**paid, "unit": "Chips1"}),
        api.post("/v1/charges", {**charged, "unit": "Chips1"}),
    ):
        assert (response.status, response.mistakes) == (422, {"#/unit": "unit-unknown"})
        assert response["detail"] == (
            "`unit` is 'Chips1'; expected a currency of ISO 4217, such as EUR, or a unit of the club (chips0, chips1,"
            " chips2, chips3, chips4, …); POST /v1/units defines one"
        )
    assert house.count_records() == before


@pytest.mark.parametrize("unit", ["EUR", "JPY", "ZWG", "DEM", None])
def test_known_currencies_are_accepted(api: Api, unit: str | None) -> None:
    point_value = None if unit is None else 0
    response = api.post(
        "/v1/tables", {"name": "kitchen", "ruleset": "pineapple", "point_value": point_value, "unit": unit}
    )
    assert (response.status, response["unit"]) == (201, unit)


def test_tables_with_unknown_currencies_stay_readable_and_playable(api: Api, house: House) -> None:
    club = club_of(house, api)
    for name, point_value, unit in (("unknown", 5, "ZZZ"), ("unvalued", None, "EUR")):
        table = api.post("/v1/tables", {"name": name, "ruleset": "pineapple", "point_value": 5, "unit": "EUR"})
        with house.owner.transaction(club) as transaction:
            transaction.connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
            change = "UPDATE tables SET point_value = %s, unit = %s WHERE name = %s"
            transaction.connection.exec_driver_sql(change, (point_value, unit, name))
        shown = api.get(f"/v1/tables/{table['id']}")
        assert (shown["point_value"], shown["unit"]) == (point_value, unit)
        opened = open_round(api, table["id"])
        assert (opened.status, opened["unit"]) == (201, unit)
        play_to_the_end(api, opened["id"])
        path = f"/v1/rounds/{opened['id']}"
        document = api.get(f"{path}/document").document
        assert (document["point_value"], document["unit"]) == (point_value, unit)
        correction = {"reason": "it was dan", "document": changed(document, ("seats/0/player", "dan"))}
        corrected = correct_round(api, opened["id"], correction)
        assert corrected.status == 201, corrected
        correction = {"reason": "it was yen", "document": changed(document, ("unit", "JPY"))}
        response = correct_round(api, opened["id"], correction)
        assert (response.status, response.mistakes) == (422, {"#/document/unit": "correction-fixed"})
        assert api.get(f"{path}/evidence").status == 200
        assert json.loads(api.get(f"/v1/export?table={table['id']}").text)["unit"] == unit
        assert api.get(f"/v1/tables/{table['id']}/statement").status == 200
