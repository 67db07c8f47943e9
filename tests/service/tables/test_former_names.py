"""Documents that are sent again after their table was renamed or archived: no round is recorded twice."""

from typing import Any
from uuid import UUID

import pytest

from service.tables import queries as tables
from tests.service.tables.test_changed_tables import MONEY, change, verify
from tests.support.api_client import Api, Document, replayed
from tests.support.application import House
from tests.support.database.recorded_statements import recorded_statements
from tests.support.import_lines import club_of, database_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    SIXES,
    add_table,
    cards,
    changed,
    document_of,
    open_round,
    play_to_the_end,
    post_document,
)

REFERENCES: list[Document] = [{"reference": "friday/1"}, {}]
FREEING: list[Document] = [{"name": "attic"}, {"is_archived": True}]
"""Changes after which the name of a table is free."""


@pytest.fixture(params=["document", "import"])
def way(request: pytest.FixtureRequest) -> Any:
    """How documents are sent."""
    return request.param


def send(api: Api, house: House, way: str, document: Document) -> tuple[str, str]:
    """Send a document, and return what became of it: a status of imports, and the ID of the round or a code."""
    if way == "import":
        [line] = import_all(house, club_of(house, api), lines_of([document]))
        return line.status, str(line.round_id) if line.problem is None else line.problem["code"]
    posted = post_document(api, document)
    if posted.status != 201:
        return "refused", posted["code"]
    return "replayed" if replayed(posted) else "stored", posted["round"]["id"]


def table_of(api: Api, round_id: str) -> str:
    return str(api.get(f"/v1/rounds/{round_id}")["table"])


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("freeing", FREEING)
def test_the_same_document_is_recorded_once_after_its_table_changed(
    api: Api, house: House, way: str, reference: Document, freeing: Document
) -> None:
    document = document_of(hands=COMPLETE, **reference)
    status, round_id = send(api, house, way, document)
    assert status == "stored"
    change(api, table_of(api, round_id), **freeing)
    before = house.count_records()
    assert send(api, house, way, document) == ("replayed", round_id)
    assert house.count_records() == before
    assert verify(house, api) == []


@pytest.mark.parametrize("reference", REFERENCES)
@pytest.mark.parametrize("freeing", FREEING)
def test_the_same_document_is_recorded_once_after_another_table_got_the_name(
    api: Api, house: House, way: str, reference: Document, freeing: Document
) -> None:
    document = document_of(hands=COMPLETE, **reference)
    _, round_id = send(api, house, way, document)
    change(api, table_of(api, round_id), **freeing)
    other = add_table(api)
    before = house.count_records()
    assert send(api, house, way, document) == ("replayed", round_id)
    assert house.count_records() == before
    new = changed(document, ("seats/0/player", "dan"), ("reference", "friday/2"))
    status, second = send(api, house, way, new)
    assert (status, table_of(api, second)) == ("stored", other)
    assert send(api, house, way, new) == ("replayed", second)


def test_a_reference_can_be_used_again_at_another_table_with_the_name(api: Api, house: House, way: str) -> None:
    first, second, third = (
        document_of(sitting={**SIXES, 1: f"{player} 100"}, hands=COMPLETE, reference="1")
        for player in ("ann", "dan", "eve")
    )
    _, round_id = send(api, house, way, first)
    change(api, table_of(api, round_id), is_archived=True)
    status, other = send(api, house, way, second)
    assert status == "stored"
    assert table_of(api, other) != table_of(api, round_id)
    assert send(api, house, way, first) == ("replayed", round_id)
    assert send(api, house, way, second) == ("replayed", other)
    assert send(api, house, way, third) == ("refused", "round-conflict")


def test_lines_of_one_import_repeat_rounds_of_several_tables(api: Api, house: House) -> None:
    first, second = (
        document_of(sitting={**SIXES, 1: f"{player} 100"}, hands=COMPLETE, reference="1") for player in ("ann", "dan")
    )
    _, round_id = send(api, house, "import", first)
    change(api, table_of(api, round_id), name="attic")
    lines = import_all(house, club_of(house, api), lines_of([first, second, first, second]))
    assert [line.status for line in lines] == ["replayed", "stored", "replayed", "replayed"]
    assert [str(line.round_id) for line in lines[::2]] == [round_id] * 2
    assert lines[1].round_id == lines[3].round_id


def test_a_round_that_was_recorded_by_hand_is_recognized_under_the_old_name(api: Api, house: House, way: str) -> None:
    table = add_table(api, **MONEY)
    round_id = open_round(api, table, reference="friday/1")["id"]
    play_to_the_end(api, round_id)
    document = api.get(f"/v1/rounds/{round_id}/document").document
    change(api, table, name="attic")
    assert send(api, house, way, document) == ("replayed", round_id)


def test_other_discards_are_a_conflict_at_the_former_table_too(api: Api, house: House, way: str) -> None:
    document = document_of(hands=COMPLETE)
    place = "hands/0/players/0/discards"
    first, other = (changed(document, (place, cards(discards))) for discards in ("2hJh6hTs", "2hJh6hTd"))
    status, round_id = send(api, house, way, first)
    assert status == "stored"
    change(api, table_of(api, round_id), name="attic")
    before = house.count_records()
    assert send(api, house, way, other) == ("refused", "round-conflict")
    assert house.count_records() == before


def test_former_names_are_those_that_a_table_has_no_longer(api: Api, house: House) -> None:
    def former() -> dict[str, list[UUID]]:
        with database_of(house).transaction(club_of(house, api)) as transaction:
            return tables.list_formerly_named(transaction, ["kitchen", "attic", "loft", "cellar"])

    table = add_table(api)
    assert former() == {}
    change(api, table, minimum_stack=5)
    assert former() == {}
    change(api, table, name="attic")
    change(api, table, name="loft")
    assert former() == {"kitchen": [UUID(table)], "attic": [UUID(table)]}
    second = add_table(api)
    change(api, second, is_archived=True)
    assert former() == {"kitchen": [UUID(table), UUID(second)], "attic": [UUID(table)]}
    change(api, table, name="kitchen")
    assert former() == {"kitchen": [UUID(second)], "attic": [UUID(table)], "loft": [UUID(table)]}


def test_the_number_of_statements_of_an_import_does_not_depend_on_the_number_of_names(api: Api, house: House) -> None:
    documents = [document_of(hands=COMPLETE, table=f"table {number}", reference="1") for number in range(5)]
    for document in documents:
        _, round_id = send(api, house, "import", document)
        change(api, table_of(api, round_id), is_archived=True)

    def count(number: int) -> int:
        with recorded_statements() as statements:
            lines = import_all(house, club_of(house, api), lines_of(documents[:number]))
        assert {line.status for line in lines} == {"replayed"}
        return len(statements)

    assert count(1) == count(5)
