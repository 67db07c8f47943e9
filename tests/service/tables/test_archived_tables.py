"""Archived tables over HTTP: readable with their rounds, without a name and without new rounds, until they are back."""

import json

import pytest

from tests.service.links.linked_table import NDJSON, link_to
from tests.service.tables.test_changed_tables import address_of, change, changes_of, verify
from tests.support.api_client import Api, Document, replayed
from tests.support.application import House
from tests.support.import_lines import club_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    add_table,
    close,
    complete_round,
    correct_round,
    document_of,
    open_round,
    post_document,
    undo,
    without,
)

OPEN_AGAIN = {"reason": "never played", "patch": [{"op": "remove", "path": "/hands/2"}]}


@pytest.fixture
def played(api: Api) -> str:
    """A complete round at the table `kitchen`."""
    return complete_round(api, name="kitchen")


@pytest.fixture
def table(api: Api, played: str) -> str:
    """The table of the round, archived."""
    table = str(api.get(f"/v1/rounds/{played}")["table"])
    change(api, table, is_archived=True)
    return table


def names(api: Api, query: str = "") -> list[str]:
    return [table["name"] for table in api.get(f"/v1/tables{query}")["tables"]]


@pytest.mark.smoke
def test_an_archived_table_is_listed_on_request_only_and_stays_readable(api: Api, played: str, table: str) -> None:
    add_table(api, name="attic")
    assert names(api) == names(api, "?archived=false") == ["attic"]
    assert names(api, "?name=kitchen") == []
    [listed] = api.get("/v1/tables?archived=true")["tables"]
    assert listed == without(api.get(address_of(table)).document, "metadata")
    assert listed["archived_at"] is not None
    assert api.get("/v1/tables?archived=true&name=kitchen")["tables"] == [listed]
    assert [each["id"] for each in api.get(f"/v1/rounds?table={table}")["rounds"]] == [played]
    assert api.get(f"/v1/rounds/{played}/document")["table"] == "kitchen"
    assert api.get(f"{address_of(table)}/statement")["rounds"] == 1
    assert json.loads(api.get(f"/v1/export?table={table}").text)["table"] == "kitchen"


def test_a_table_that_is_archived_again_keeps_its_time(api: Api, house: House, table: str) -> None:
    before = api.get(address_of(table)).document
    assert change(api, table, is_archived=True) == before
    assert change(api, table, minimum_stack=5) == {**before, "minimum_stack": 5}
    times = [content["archived_at"] for content in changes_of(house, table)]
    assert times == [before["archived_at"]] * 2


# --- no new rounds ---


def test_no_round_is_opened_at_an_archived_table(api: Api, house: House, table: str) -> None:
    link = link_to(house, api, table)
    before = house.count_records()
    for client in (api, link):
        refused = open_round(client, table)
        assert (refused.status, refused["code"]) == (409, "table-archived")
        assert "bring it back" in refused["detail"]
    assert house.count_records() == before


def test_a_round_that_was_opened_before_is_recognized_by_its_reference(api: Api) -> None:
    table = add_table(api)
    opened = open_round(api, table, reference="friday/1")
    assert close(api, opened["id"]).status == 200
    change(api, table, is_archived=True)
    again = open_round(api, table, reference="friday/1")
    assert replayed(again)
    assert again["id"] == opened["id"]


def test_a_table_with_an_open_round_is_not_archived(api: Api, house: House) -> None:
    table = add_table(api)
    round_id = open_round(api, table)["id"]
    before = house.count_records()
    refused = api.patch(address_of(table), {"is_archived": True, "name": "attic"})
    assert (refused.status, refused["code"]) == (409, "round-open")
    assert round_id in refused["detail"]
    assert house.count_records() == before
    assert api.get(address_of(table))["name"] == "kitchen"
    assert close(api, round_id).status == 200
    assert change(api, table, is_archived=True)["archived_at"] is not None


def test_no_round_of_an_archived_table_is_opened_again(api: Api, house: House, played: str, table: str) -> None:
    before = house.count_records()
    for refused in (undo(api, played, 3), correct_round(api, played, OPEN_AGAIN)):
        assert (refused.status, refused["code"]) == (409, "table-archived")
    assert house.count_records() == before
    patch = [{"op": "replace", "path": "/seats/0/player", "value": "dan"}]
    assert correct_round(api, played, {"reason": "it was dan", "patch": patch}).status == 201
    change(api, table, is_archived=False)
    assert correct_round(api, played, OPEN_AGAIN).status == 201
    assert api.get(f"/v1/rounds/{played}")["status"] == "open"
    assert verify(house, api) == []


# --- the name ---


def test_the_name_of_an_archived_table_is_free(api: Api, house: House, played: str, table: str) -> None:
    other = add_table(api)
    assert [each["id"] for each in api.get("/v1/tables?name=kitchen")["tables"]] == [other]
    posted = post_document(api, document_of(hands=COMPLETE, reference="1"))
    assert posted["round"]["table"] == other
    [line] = import_all(house, club_of(house, api), lines_of([document_of(hands=COMPLETE, reference="2")]))
    assert api.get(f"/v1/rounds/{line.round_id}")["table"] == other
    rounds = {each["id"] for each in api.get("/v1/rounds?table_name=kitchen")["rounds"]}
    assert rounds == {posted["round"]["id"], str(line.round_id)}
    assert {each["id"] for each in api.get(f"/v1/rounds?table={table}")["rounds"]} == {played}
    assert verify(house, api) == []


def test_a_document_for_the_name_of_an_archived_table_creates_another(api: Api, house: House, table: str) -> None:
    posted = post_document(api, document_of(hands=COMPLETE))
    assert posted.status == 201
    assert posted["round"]["table"] != table
    assert names(api) == names(api, "?archived=true") == ["kitchen"]
    change(api, posted["round"]["table"], is_archived=True)
    [line] = import_all(house, club_of(house, api), lines_of([document_of(hands=COMPLETE, reference="2")]))
    assert (line.status, len(names(api, "?archived=true&name=kitchen"))) == ("stored", 2)


def test_a_hand_for_a_round_by_names_is_of_the_table_that_is_not_archived(api: Api) -> None:
    def batch(number: int) -> Document:
        line = {"round": {"table": "kitchen", "reference": "1"}, "dealt_again": True, **COMPLETE[number - 1]}
        response = api.request("POST", "/v1/hands", data=json.dumps(line).encode(), headers=NDJSON)
        return dict(json.loads(response.text))

    first = add_table(api)
    assert close(api, open_round(api, first, reference="1")["id"]).status == 200
    change(api, first, is_archived=True)
    assert (batch(1)["status"], batch(1)["problem"]["code"]) == ("refused", "not-found")
    opened = open_round(api, add_table(api), reference="1")["id"]
    assert batch(1)["status"] == "recorded"
    assert api.get(f"/v1/rounds/{opened}")["hands"] == 1


# --- back ---


def test_a_table_is_brought_back(api: Api, house: House, table: str) -> None:
    restored = change(api, table, is_archived=False)
    assert restored["archived_at"] is None
    assert names(api) == ["kitchen"]
    assert names(api, "?archived=true") == []
    assert open_round(api, table).status == 201
    assert [each["archived_at"] is None for each in changes_of(house, table)] == [False, True]
    assert verify(house, api) == []


def test_a_table_whose_name_was_taken_comes_back_under_another(api: Api, house: House, table: str) -> None:
    other = add_table(api)
    before = house.count_records()
    refused = api.patch(address_of(table), {"is_archived": False})
    assert (refused.status, refused["code"]) == (409, "table-conflict")
    assert refused.mistakes == {"#/is_archived": "table-conflict"}
    assert other in refused["detail"]
    assert house.count_records() == before
    assert change(api, table, is_archived=False, name="attic")["archived_at"] is None
    assert sorted(names(api)) == ["attic", "kitchen"]


def test_an_archived_table_can_have_a_name_that_is_in_use(api: Api, table: str) -> None:
    add_table(api, name="attic")
    assert change(api, table, name="attic")["name"] == "attic"
    refused = api.patch(address_of(table), {"is_archived": False})
    assert (refused.status, refused["code"]) == (409, "table-conflict")
