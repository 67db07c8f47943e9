"""New records need a known currency with a point value; stored ones stay readable."""

import json
from typing import Any

import pytest

from tests.support.api_client import Api
from tests.support.application import House
from tests.support.import_lines import club_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    changed,
    correct_round,
    document_of,
    open_round,
    play_to_the_end,
    post_document,
)

WRONG = [
    ({"point_value": 5, "currency": "ZZZ"}, {"#/currency": "currency-unknown"}),
    ({"point_value": 5, "currency": "XXX"}, {"#/currency": "currency-unknown"}),
    ({"currency": "EUR"}, {"#/point_value": "point-value-missing"}),
    ({"currency": "EUR", "point_value": None}, {"#/point_value": "point-value-missing"}),
    ({"currency": "ZZZ"}, {"#/currency": "currency-unknown", "#/point_value": "point-value-missing"}),
    ({"point_value": 5}, {"#/currency": "currency-missing"}),
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
        if "#/currency" in mistakes and "currency" in money:
            detail = (
                f"`currency` is '{money['currency']}', not a currency of ISO 4217; expected a code such as EUR or USD"
            )
            assert details["#/currency"] == detail
        if "#/point_value" in mistakes:
            assert f"is required beside the currency '{money['currency']}'" in details["#/point_value"]
    good = document_of(hands=COMPLETE, sitting={1: "dan 50", 2: "eve 50", 3: "fay 50"}, point_value=1, currency="DEM")
    [refused] = import_all(house, club_of(house, api), lines_of([document]))
    assert refused.problem is not None
    assert {each["pointer"]: each["code"] for each in refused.problem["errors"]} == mistakes
    assert house.count_records() == before
    [line] = import_all(house, club_of(house, api), lines_of([good]))
    assert line.status == "stored"


@pytest.mark.parametrize("currency", ["EUR", "JPY", "ZWG", "DEM", None])
def test_known_currencies_are_accepted(api: Api, currency: str | None) -> None:
    point_value = None if currency is None else 0
    response = api.post(
        "/v1/tables", {"name": "kitchen", "ruleset": "pineapple", "point_value": point_value, "currency": currency}
    )
    assert (response.status, response["currency"]) == (201, currency)


def test_tables_with_unknown_currencies_stay_readable_and_playable(api: Api, house: House) -> None:
    club = club_of(house, api)
    for name, point_value, currency in (("unknown", 5, "ZZZ"), ("unvalued", None, "EUR")):
        table = api.post("/v1/tables", {"name": name, "ruleset": "pineapple", "point_value": 5, "currency": "EUR"})
        with house.owner.transaction(club) as transaction:
            transaction.connection.exec_driver_sql("SET LOCAL session_replication_role = replica")
            change = "UPDATE tables SET point_value = %s, currency = %s WHERE name = %s"
            transaction.connection.exec_driver_sql(change, (point_value, currency, name))
        shown = api.get(f"/v1/tables/{table['id']}")
        assert (shown["point_value"], shown["currency"]) == (point_value, currency)
        opened = open_round(api, table["id"])
        assert (opened.status, opened["currency"]) == (201, currency)
        play_to_the_end(api, opened["id"])
        path = f"/v1/rounds/{opened['id']}"
        document = api.get(f"{path}/document").document
        assert (document["point_value"], document["currency"]) == (point_value, currency)
        correction = {"reason": "it was dan", "document": changed(document, ("seats/0/player", "dan"))}
        corrected = correct_round(api, opened["id"], correction)
        assert corrected.status == 201, corrected
        correction = {"reason": "it was yen", "document": changed(document, ("currency", "JPY"))}
        response = correct_round(api, opened["id"], correction)
        assert (response.status, response.mistakes) == (422, {"#/document/currency": "correction-fixed"})
        assert api.get(f"{path}/evidence").status == 200
        assert json.loads(api.get(f"/v1/export?table={table['id']}").text)["currency"] == currency
        assert api.get(f"/v1/tables/{table['id']}/statement").status == 200
