"""Tables that are changed over HTTP: later rounds have the changes, earlier ones keep what they were opened with."""

import json
from typing import Any
from uuid import UUID

import pytest
import uuid_utils

from service.replays.findings import Finding
from service.verification.verify_database import verify_database
from tests.service.feed.test_api_feed import feed, list_events
from tests.service.links.linked_table import link_to
from tests.support.api_client import Api, Document, replayed
from tests.support.application import House
from tests.support.import_lines import club_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    THREE,
    add_table,
    correct_round,
    document_of,
    hand,
    open_round,
    play,
    play_to_the_end,
    post_document,
    without,
)

TEN_MINUTES = 10 * 60 * 1000
WINDOW = "correction_window_minutes"
MONEY = {"point_value": 100, "unit": "EUR"}
CHANGES: Document = {
    "name": "attic",
    "ruleset": "turbo@1",
    "point_value": 25,
    "unit": "USD",
    "minimum_stack": 40,
    WINDOW: 5,
}


@pytest.fixture
def table(api: Api) -> str:
    """A table with money and a minimum stack."""
    return add_table(api, **MONEY, minimum_stack=20)


def address_of(table: str) -> str:
    return f"/v1/tables/{table}"


def change(api: Api, table: str, **changes: Any) -> Document:
    """Change a table, and return it."""
    changed = api.patch(address_of(table), changes)
    assert changed.status == 200, changed
    return dict(changed.document)


def changes_of(house: House, table: str) -> list[Document]:
    """Return the contents of the events of changes of a table, in order."""
    content = "convert_from(content, 'UTF8')::jsonb"
    query = f"SELECT {content} FROM events WHERE kind = 'table.changed' AND {content} ->> 'id' = %s ORDER BY id"
    return [content for (content,) in house.query(query, table)]


def verify(house: House, api: Api) -> list[Finding]:
    return [finding for page in verify_database(house.owner, [club_of(house, api)]) for finding in page.findings]


# --- what is changed ---


@pytest.mark.smoke
def test_every_field_of_a_table_is_changed(api: Api, table: str) -> None:
    before = api.get(address_of(table)).document
    changed = change(api, table, **CHANGES)
    assert changed == {**before, **CHANGES}
    assert api.get(address_of(table)).document == changed
    assert api.get("/v1/tables")["tables"] == [without(changed, "metadata")]


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "Küche ♣"},
        {"ruleset": "turbo@1"},
        {"point_value": 0},
        {"unit": "USD"},
        {"point_value": None, "unit": None, "unit_digits": None},
        {"minimum_stack": 1},
        {"minimum_stack": None},
        {WINDOW: 0},
        {WINDOW: 525_600},
        {"reference": "room-1/3"},
        {"metadata": {"floor": "second"}},
    ],
)
def test_any_field_is_changed_and_the_others_stay(api: Api, table: str, changes: Document) -> None:
    before = api.get(address_of(table)).document
    sent = {name: value for name, value in changes.items() if name != "unit_digits"}
    assert change(api, table, **sent) == {**before, **changes}


def test_a_ruleset_without_a_version_is_the_newest(api: Api, table: str) -> None:
    assert change(api, table, ruleset="progressive")["ruleset"] == "progressive@1"


def test_a_table_without_money_gets_it(api: Api) -> None:
    table = add_table(api)
    assert change(api, table, **MONEY)["unit_digits"] == 2
    assert open_round(api, table)["point_value"] == 100


def test_rounds_keep_what_they_were_opened_with(api: Api, house: House, table: str) -> None:
    first = open_round(api, table)["id"]
    play(api, first, hand(1, 1, THREE))
    parts = ("", "/settlement", "/hands")
    before = [api.get(f"/v1/rounds/{first}{part}").document for part in parts]
    change(api, table, **CHANGES)
    assert [api.get(f"/v1/rounds/{first}{part}").document for part in parts] == before
    play(api, first, *COMPLETE[1:])
    assert api.get(f"/v1/rounds/{first}/settlement")["money"]["unit"] == "EUR"
    refused = open_round(api, table, {1: "dan 39", 2: "eve 40"})
    assert refused.mistakes == {"#/seats/0/stack": "stack-below-minimum"}
    second = open_round(api, table, {1: "dan 40", 2: "eve 40"})
    assert [second[name] for name in ("ruleset", "point_value", "unit")] == ["turbo@1", 25, "USD"]
    windows = house.query(f"SELECT id, {WINDOW} FROM rounds WHERE table_id = %s ORDER BY table_sequence", table)
    assert windows == [(UUID(first), 30), (UUID(second["id"]), 5)]
    assert api.get(f"/v1/tables/{table}/statement")["rounds"] == 2
    assert verify(house, api) == []


def test_a_link_reads_the_changed_table_and_the_rulesets_of_its_rounds(api: Api, house: House, table: str) -> None:
    round_id = open_round(api, table)["id"]
    link = link_to(house, api, table)
    change(api, table, **CHANGES)
    assert link.get(address_of(table)).document == api.get(address_of(table)).document
    assert link.get("/v1/link")["table_name"] == "attic"
    assert link.get(f"/v1/rounds/{round_id}")["ruleset"] == "pineapple@1"
    refused = link.patch(address_of(table), {"name": "loft"})
    assert (refused.status, refused["code"]) == (403, "scope-missing")


# --- what is refused ---


@pytest.mark.parametrize(
    ("changes", "mistakes"),
    [
        ({}, {"#": "field-missing"}),
        ({"name": ""}, {"#/name": "text-length"}),
        ({"name": None}, {"#/name": "field-null"}),
        ({"ruleset": "omaha"}, {"#/ruleset": "ruleset-unknown"}),
        ({"ruleset": None}, {"#/ruleset": "field-null"}),
        ({"point_value": -1}, {"#/point_value": "out-of-range"}),
        ({"point_value": None}, {"#/point_value": "point-value-missing"}),
        ({"unit": None}, {"#/unit": "unit-missing"}),
        ({"unit": "ZZZ"}, {"#/unit": "unit-unknown"}),
        ({"point_value": 5, "unit": None}, {"#/unit": "unit-missing"}),
        ({"minimum_stack": 0}, {"#/minimum_stack": "out-of-range"}),
        ({WINDOW: None}, {f"#/{WINDOW}": "field-null"}),
        ({WINDOW: 525_601}, {f"#/{WINDOW}": "out-of-range"}),
        ({"is_archived": "yes"}, {"#/is_archived": "not-a-boolean"}),
        ({"is_archived": None}, {"#/is_archived": "field-null"}),
        ({"id": "1"}, {"#/id": "field-unknown"}),
        ({"name": "", "id": "1"}, {"#/name": "text-length", "#/id": "field-unknown"}),
    ],
)
def test_an_invalid_change_changes_nothing(
    api: Api, house: House, table: str, changes: Document, mistakes: dict[str, str]
) -> None:
    before, records = api.get(address_of(table)).document, house.count_records()
    refused = api.patch(address_of(table), changes)
    assert (refused.status, refused.mistakes) == (422, mistakes)
    assert api.get(address_of(table)).document == before
    assert house.count_records() == records


@pytest.mark.parametrize(
    ("changes", "mistakes"),
    [
        ({"point_value": 5}, {"#/unit": "unit-missing"}),
        ({"unit": "EUR"}, {"#/point_value": "point-value-missing"}),
    ],
)
def test_money_has_both_parts_after_a_change(api: Api, changes: Document, mistakes: dict[str, str]) -> None:
    refused = api.patch(address_of(add_table(api)), changes)
    assert (refused.status, refused.mistakes) == (422, mistakes)


def test_a_name_in_use_is_a_conflict(api: Api, other_api: Api, house: House, table: str) -> None:
    attic = add_table(api, name="attic")
    before = house.count_records()
    refused = api.patch(address_of(table), {"name": "attic", "minimum_stack": 5})
    assert (refused.status, refused["code"], refused.mistakes) == (409, "table-conflict", {"#/name": "table-conflict"})
    assert attic in refused["detail"]
    assert house.count_records() == before
    assert api.get(address_of(table))["minimum_stack"] == 20
    add_table(other_api, name="cellar")
    assert change(api, table, name="cellar")["name"] == "cellar"
    assert change(api, attic, name="kitchen")["name"] == "kitchen"


# --- names ---


@pytest.mark.parametrize("reference", [{"reference": "friday/1"}, {}])
def test_a_recorded_document_is_recognized_under_the_new_name(api: Api, house: House, reference: Document) -> None:
    document = document_of(hands=COMPLETE, **reference)
    round_ = post_document(api, document)["round"]
    change(api, round_["table"], name="attic")
    renamed = {**document, "table": "attic"}
    again = post_document(api, renamed)
    assert replayed(again)
    assert again["round"]["id"] == round_["id"]
    [line] = import_all(house, club_of(house, api), lines_of([renamed]))
    assert (line.status, str(line.round_id)) == ("replayed", round_["id"])
    assert api.get(f"/v1/rounds/{round_['id']}/document")["table"] == "attic"


def test_a_name_always_means_the_table_that_has_it(api: Api, house: House, table: str) -> None:
    first = open_round(api, table, reference="1")["id"]
    play_to_the_end(api, first)
    change(api, table, name="attic")
    assert [each["id"] for each in api.get("/v1/tables?name=attic")["tables"]] == [table]
    assert api.get("/v1/tables?name=kitchen")["tables"] == []
    posted = post_document(api, document_of(hands=COMPLETE, table="attic", reference="2"))
    assert posted["round"]["table"] == table
    other = post_document(api, document_of(hands=COMPLETE, reference="1"))["round"]
    assert other["table"] != table
    assert [each["id"] for each in api.get("/v1/rounds?table_name=kitchen")["rounds"]] == [other["id"]]
    rounds = {each["id"] for each in api.get("/v1/rounds?table_name=attic")["rounds"]}
    assert rounds == {first, posted["round"]["id"]}
    [line] = import_all(house, club_of(house, api), lines_of([document_of(hands=COMPLETE, table="attic")]))
    assert api.get(f"/v1/rounds/{line.round_id}")["table"] == table


def test_a_round_of_a_renamed_table_is_corrected_by_its_document(api: Api, house: House, table: str) -> None:
    round_id = open_round(api, table)["id"]
    play_to_the_end(api, round_id)
    before = api.get(f"/v1/rounds/{round_id}/document").document
    change(api, table, name="attic")
    old_name = correct_round(api, round_id, {"reason": "misread", "document": before})
    assert (old_name.status, old_name.mistakes) == (422, {"#/document/table": "correction-fixed"})
    document = api.get(f"/v1/rounds/{round_id}/document").document
    document["seats"][0]["player"] = "dan"
    assert correct_round(api, round_id, {"reason": "it was dan", "document": document}).status == 201
    assert verify(house, api) == []


# --- repeated requests and events ---


def test_what_changes_nothing_is_accepted_and_leaves_no_event(api: Api, house: House, table: str) -> None:
    before, records = api.get(address_of(table)).document, house.count_records()
    for sent in (
        {"name": "kitchen", "ruleset": "pineapple", **MONEY, "minimum_stack": 20, WINDOW: 30, "is_archived": False},
        {"ruleset": "pineapple@1"},
    ):
        assert change(api, table, **sent) == before
    assert house.count_records() == records


def test_each_change_is_an_event_with_the_table_after_it(api: Api, house: House, table: str) -> None:
    change(api, table, name="attic")
    change(api, table, point_value=None, unit=None, ruleset="turbo")
    money = {**MONEY, "unit_digits": 2}
    first = {"id": table, "name": "attic", "ruleset": "pineapple@1", **money, "minimum_stack": 20, WINDOW: 30}
    second = {**first, "ruleset": "turbo@1", **dict.fromkeys(money)}
    assert changes_of(house, table) == [{**each, "archived_at": None} for each in (first, second)]
    events = feed(house, api, table=table)
    assert [event["kind"] for event in events] == ["table.created", "table.changed", "table.changed"]
    assert {event["table"] for event in events} == {table}
    seen = list_events(link_to(house, api, table), kind="table.changed").text.splitlines()
    assert [json.loads(line) for line in seen] == [
        {**event, "bytes": None, "actor": None, "request_id": None} for event in events[1:]
    ]


def test_a_repeated_request_with_the_same_key_changes_the_table_once(api: Api, house: House, table: str) -> None:
    key = {"Idempotency-Key": "rename-1"}
    first = api.patch(address_of(table), {"name": "attic"}, headers=key)
    change(api, table, name="loft")
    again = api.patch(address_of(table), {"name": "attic"}, headers=key)
    assert (again.status, again.document) == (200, first.document)
    assert replayed(again)
    assert not replayed(first)
    assert api.get(address_of(table))["name"] == "loft"
    assert [each["name"] for each in changes_of(house, table)] == ["attic", "loft"]
    reused = api.patch(address_of(table), {"name": "cellar"}, headers=key)
    assert (reused.status, reused["code"]) == (422, "idempotency-key-reused")


def test_a_dry_run_returns_the_changed_table_and_stores_nothing(api: Api, house: House, table: str) -> None:
    before, records = api.get(address_of(table)).document, house.count_records()
    tried = api.patch(f"{address_of(table)}?dry_run=true", CHANGES)
    assert (tried.status, tried.document) == (200, {**before, **CHANGES})
    assert api.get(address_of(table)).document == before
    assert house.count_records() == records


def test_changes_are_in_order_though_a_clock_was_ahead(api: Api, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    make_id = uuid_utils.uuid7
    monkeypatch.setattr(uuid_utils, "uuid7", lambda: uuid_utils.UUID(int=make_id().int + (TEN_MINUTES << 80)))
    table = add_table(api)
    change(api, table, name="attic")
    monkeypatch.setattr(uuid_utils, "uuid7", make_id)
    for name in ("loft", "cellar"):
        change(api, table, name=name)
    assert [each["name"] for each in changes_of(house, table)] == ["attic", "loft", "cellar"]
    assert verify(house, api) == []


def test_verification_derives_a_table_from_its_events(api: Api, house: House, table: str) -> None:
    change(api, table, **CHANGES)
    change(api, table, name="loft", is_archived=True)
    assert verify(house, api) == []
    house.change("UPDATE tables SET minimum_stack = 7, archived_at = NULL WHERE id = %s", table)
    findings = {(each.table, each.column): each for each in verify(house, api)}
    assert set(findings) == {("tables", "minimum_stack"), ("tables", "archived_at")}
    stack = findings["tables", "minimum_stack"]
    assert (stack.stored, stack.expected) == (7, 40)
