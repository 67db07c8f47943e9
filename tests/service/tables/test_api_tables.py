"""Tables over HTTP."""

from typing import Any
from urllib.parse import quote

import pytest

from tests.support.api_client import Api
from tests.support.application import House
from tests.support.sample_rounds import add_table, open_round, start_round, walk, without

KITCHEN = {"name": "kitchen", "ruleset": "pineapple", "point_value": 100, "unit": "EUR", "minimum_stack": 20}
WINDOW = "correction_window_minutes"


@pytest.mark.smoke
def test_a_table_is_created_and_found(api: Api) -> None:
    added = api.post("/v1/tables", KITCHEN)
    assert added.status == 201
    assert added.document == {
        **KITCHEN,
        "unit_digits": 2,
        "ruleset": "pineapple@1",
        WINDOW: 30,
        "charge_per": None,
        "charge_amount": None,
        "id": added["id"],
        "created_at": added["created_at"],
        "archived_at": None,
        "reference": None,
        "metadata": {},
    }
    assert added["created_at"].endswith("Z")
    assert added.headers["Location"] == f"/v1/tables/{added['id']}"
    assert api.get(added.headers["Location"]).document == added.document
    assert api.get("/v1/tables")["tables"] == [without(added.document, "metadata")]


def test_a_table_needs_only_a_name_and_a_ruleset(api: Api) -> None:
    added = api.post("/v1/tables", {"name": "Küche ♣", "ruleset": "progressive@1"})
    assert added.status == 201
    assert (added["name"], added["ruleset"]) == ("Küche ♣", "progressive@1")
    assert (added["point_value"], added["unit"], added["minimum_stack"]) == (None, None, None)
    assert api.post("/v1/tables", {"name": "a", "ruleset": "turbo", "unit": "JPY"}).status == 422
    assert api.post("/v1/tables", {**KITCHEN, "name": "free", "point_value": 0})["point_value"] == 0


@pytest.mark.parametrize("minutes", [0, 1, 525_600])
def test_a_table_has_a_correction_window(api: Api, minutes: int) -> None:
    added = api.post("/v1/tables", {**KITCHEN, WINDOW: minutes})
    assert (added.status, added[WINDOW]) == (201, minutes)
    assert api.get(added.headers["Location"])[WINDOW] == minutes


def test_a_table_name_in_use_is_a_conflict(api: Api, other_api: Api, house: House) -> None:
    add_table(api)
    before = house.count_records()
    response = api.post("/v1/tables", {**KITCHEN, "ruleset": "turbo"})
    assert response.status == 409
    assert response["code"] == "table-conflict"
    assert "'kitchen'" in response["detail"]
    assert house.count_records() == before
    assert other_api.post("/v1/tables", KITCHEN).status == 201
    assert api.post("/v1/tables", {**KITCHEN, "name": "Kitchen"}).status == 201


@pytest.mark.parametrize(
    ("change", "pointer", "code", "words"),
    [
        ({"name": ""}, "#/name", "text-length", "is empty; expected 1 to 100 characters"),
        ({"name": "k" * 101}, "#/name", "text-length", "is 101 characters long"),
        ({"name": 7}, "#/name", "not-a-text", "is 7; expected a string"),
        ({"ruleset": "omaha"}, "#/ruleset", "ruleset-unknown", "there is no ruleset 'omaha'"),
        ({"point_value": -1}, "#/point_value", "out-of-range", "is -1; expected 0 to"),
        ({"point_value": 0.5}, "#/point_value", "not-an-integer", "is 0.5; expected an integer"),
        ({WINDOW: -1}, f"#/{WINDOW}", "out-of-range", "is -1; expected 0 to 525600"),
        ({WINDOW: 525_601}, f"#/{WINDOW}", "out-of-range", "is 525601; expected 0 to 525600"),
        ({"unit": "eur"}, "#/unit", "unit-unknown", "is 'eur'; expected a currency of ISO 4217"),
        ({"unit": "2000"}, "#/unit", "text-pattern", "expected a currency, for example EUR, or the code of a unit"),
        ({"unit": "E" * 13}, "#/unit", "text-length", "is 13 characters long"),
        (
            {"unit": "EU\n"},
            "#/unit",
            "text-characters",
            "expected text without control, format and private characters",
        ),
        ({"unit": None}, "#/unit", "unit-missing", "is required beside a point value"),
        ({"minimum_stack": 0}, "#/minimum_stack", "out-of-range", "is 0; expected 1 to"),
        (
            {"id": "1"},
            "#/id",
            "field-unknown",
            "expected one of name, ruleset, point_value, unit, minimum_stack",
        ),
    ],
)
def test_an_invalid_table_is_rejected(
    api: Api, house: House, change: dict[str, Any], pointer: str, code: str, words: str
) -> None:
    before = house.count_records()
    response = api.post("/v1/tables", {**KITCHEN, **change})
    assert response.status == 422
    assert response.mistakes == {pointer: code}
    assert words in response["errors"][0]["detail"]
    assert house.count_records() == before


def test_several_mistakes_are_reported_together(api: Api) -> None:
    response = api.post("/v1/tables", {"name": "", "point_value": "ten", "chairs": 4})
    assert response.mistakes == {
        "#/name": "text-length",
        "#/ruleset": "field-missing",
        "#/point_value": "not-an-integer",
        "#/chairs": "field-unknown",
    }
    response = api.post("/v1/tables", {"name": "", "ruleset": "pineapple", "point_value": 5})
    assert response.mistakes == {"#/name": "text-length", "#/unit": "unit-missing"}
    response = api.post("/v1/tables", {"name": "", "ruleset": "pineapple", "point_value": 5, "unit": "€"})
    assert response.mistakes == {"#/name": "text-length", "#/unit": "text-pattern"}


def test_a_round_has_the_point_value_and_unit_of_its_table(api: Api) -> None:
    table = add_table(api, point_value=25, unit="USD")
    opened = open_round(api, table)
    assert (opened["point_value"], opened["unit"], opened["table"]) == (25, "USD", table)
    assert opened["unit_digits"] == 2
    assert api.get(f"/v1/rounds/{opened['id']}/settlement")["money"] == {
        "point_value": 25,
        "unit": "USD",
        "unit_digits": 2,
        "net": {"1": 0, "2": 0, "3": 0},
    }


@pytest.mark.parametrize(("unit", "digits"), [("JPY", 0), ("EUR", 2), ("KWD", 3), ("CLF", 4)])
def test_tables_rounds_and_settlements_have_the_digits_of_their_unit(api: Api, unit: str, digits: int) -> None:
    table = add_table(api, point_value=25, unit=unit)
    round_ = open_round(api, table)["id"]
    tables, rounds = api.get("/v1/tables")["tables"], api.get("/v1/rounds")["rounds"]
    assert [listed["unit_digits"] for listed in (api.get(f"/v1/tables/{table}"), *tables)] == [digits, digits]
    assert [listed["unit_digits"] for listed in (api.get(f"/v1/rounds/{round_}"), *rounds)] == [digits, digits]
    assert api.get(f"/v1/rounds/{round_}/settlement")["money"]["unit_digits"] == digits
    assert set(api.get(f"/v1/tables/{table}/statement")["unit_digits"].values()) <= {digits}


def test_without_a_unit_there_are_no_digits(api: Api) -> None:
    table = add_table(api)
    assert api.get(f"/v1/tables/{table}")["unit_digits"] is None
    assert open_round(api, table)["unit_digits"] is None


def test_without_a_point_value_there_is_no_money(api: Api) -> None:
    assert api.get(f"/v1/rounds/{start_round(api)}/settlement")["money"] is None
    worthless = start_round(api, name="free", point_value=0, unit="EUR")
    assert api.get(f"/v1/rounds/{worthless}/settlement")["money"]["net"] == {"1": 0, "2": 0, "3": 0}


def test_tables_are_listed_in_pages_the_newest_first(api: Api, other_api: Api) -> None:
    ids = [add_table(api, name=f"table {number}") for number in range(5)]
    add_table(other_api, name="theirs")
    pages = [[table["id"] for table in page["tables"]] for page in walk(api, "/v1/tables?limit=2")]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [table for page in pages for table in page] == ids[::-1]
    assert len(list(walk(api, "/v1/tables?limit=5"))) == 1


def test_a_table_is_found_by_its_exact_name(api: Api) -> None:
    for name in ("kitchen", "Kitchen", "kitchen 2", "küche & co"):
        add_table(api, name=name)
    for name in ("kitchen", "kitchen 2", "küche & co"):
        page = api.get(f"/v1/tables?name={quote(name)}&limit=1")
        assert [table["name"] for table in page["tables"]] == [name]
        assert "Link" not in page.headers
    assert api.get("/v1/tables?name=kit")["tables"] == api.get("/v1/tables?name=attic")["tables"] == []


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("name=", "text-length"),
        ("name=" + "x" * 101, "text-length"),
        ("name=%00", "text-characters"),
        ("name=%ff", "text-characters"),
        ("limit=2&name=k%C3che", "text-characters"),
        ("archived=yes", "not-a-boolean"),
    ],
)
def test_an_invalid_filter_is_rejected(api: Api, query: str, code: str) -> None:
    name = "archived" if query.startswith("archived") else "name"
    assert api.get(f"/v1/tables?{query}").mistakes == {f"#/query/{name}": code}
