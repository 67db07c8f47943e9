"""Stacks carry over in the order of rounds at the table, independent of clocks."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from psycopg.errors import UniqueViolation
from sqlalchemy import text
from uuid_utils.compat import uuid7

from service.replays.findings import FindingKind
from service.rounds.actions import opening
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.database.corrupt_records import tampering, undone, verify
from tests.support.import_lines import club_of, import_all, lines_of
from tests.support.sample_rounds import (
    COMPLETE,
    Document,
    add_table,
    close,
    correct_round,
    document_of,
    open_round,
    play_to_the_end,
    post_document,
    undo,
)

TEN_MINUTES = 10 * 60 * 1000
MONEY = {"point_value": 100, "unit": "EUR"}


def ahead() -> UUID:
    """Return an id as a server does whose clock is 10 minutes ahead."""
    return UUID(int=uuid7().int + (TEN_MINUTES << 80))


def make_ids(monkeypatch: pytest.MonkeyPatch, make: Callable[[], UUID]) -> None:
    """Replace the function that generates ids of rounds."""
    monkeypatch.setattr(opening, "uuid7", make)


def stacks(response: ApiResponse) -> dict[str, int]:
    assert response.status == 201, response
    return {seat["player"]: seat["stack"] for seat in response["seats"]}


def sequences(house: House, table: str) -> list[tuple[int, UUID]]:
    return [
        (number, round_id)
        for number, round_id in house.query(
            "SELECT table_sequence, id FROM rounds WHERE table_id = %s ORDER BY table_sequence", table
        )
    ]


def test_stacks_carry_over_from_the_last_round_though_a_clock_was_ahead(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = add_table(api)
    make_ids(monkeypatch, ahead)
    play_to_the_end(api, open_round(api, table)["id"])
    make_ids(monkeypatch, uuid7)
    second = open_round(api, table, {1: "ann", 2: "bob", 3: "cyd"})
    assert stacks(second) == {"ann": 136, "bob": 100, "cyd": 64}
    play_to_the_end(api, second["id"])
    assert stacks(open_round(api, table, {1: "ann", 2: "bob", 3: "cyd"})) == {"ann": 172, "bob": 100, "cyd": 28}


def test_a_player_who_sat_out_a_round_has_their_earlier_stack(api: Api) -> None:
    table = add_table(api)
    play_to_the_end(api, open_round(api, table)["id"])
    close(api, open_round(api, table, {1: "ann", 2: "bob"})["id"])
    response = open_round(api, table, {1: "ann", 2: "bob", 3: "dan"})
    assert response.mistakes == {"#/seats/2/stack": "stack-missing"}
    assert "player 'dan' has played no round at the table" in response["errors"][0]["detail"]
    assert stacks(open_round(api, table, {1: "ann", 2: "bob", 3: "cyd"})) == {"ann": 136, "bob": 100, "cyd": 64}


def test_stacks_do_not_carry_over_from_imported_rounds(api: Api, house: House) -> None:
    table = add_table(api)
    play_to_the_end(api, open_round(api, table)["id"])
    history = document_of(sitting={1: "ann 7", 2: "bob 7", 3: "dan 70"}, hands=COMPLETE, reference="1999")
    [imported] = import_all(house, club_of(house, api), lines_of([history]))
    assert imported.status == "stored"
    response = open_round(api, table, {1: "ann", 2: "bob", 3: "dan"})
    assert response.mistakes == {"#/seats/2/stack": "stack-missing"}
    assert stacks(open_round(api, table, {1: "ann", 2: "bob", 3: "cyd"})) == {"ann": 136, "bob": 100, "cyd": 64}


def test_stacks_carry_over_from_documents(api: Api) -> None:
    table = add_table(api)
    play_to_the_end(api, open_round(api, table)["id"])
    assert (
        post_document(api, document_of(hands=COMPLETE, sitting={1: "ann 50", 2: "bob 50", 3: "dan 50"})).status == 201
    )
    assert stacks(open_round(api, table, {1: "ann", 2: "dan", 3: "cyd"})) == {"ann": 86, "dan": 14, "cyd": 64}


@pytest.mark.parametrize(
    "money",
    [{"point_value": 1000}, {"unit": "USD"}, {"point_value": None, "unit": None}],
    ids=["value", "unit", "none"],
)
def test_stacks_do_not_carry_over_to_points_of_another_value(api: Api, house: House, money: Document) -> None:
    table = add_table(api, **MONEY, minimum_stack=100)
    play_to_the_end(api, open_round(api, table)["id"])
    assert api.patch(f"/v1/tables/{table}", money).status == 200
    response = open_round(api, table, {1: "ann", 2: "bob 100", 3: "dan"})
    assert response.mistakes == {"#/seats/0/stack": "stack-missing", "#/seats/2/stack": "stack-missing"}
    details = [mistake["detail"] for mistake in response["errors"]]
    assert "player 'ann' played their last round at the table with another point value or unit" in details[0]
    assert "player 'dan' has played no round at the table" in details[1]
    # Cyd had 64 points left, of another value.
    response = open_round(api, table, {1: "ann 136", 2: "bob 100", 3: "cyd 64"})
    assert response.mistakes == {"#/seats/2/stack": "stack-below-minimum"}
    opened = open_round(api, table, {1: "ann 136", 2: "bob 100"})
    assert stacks(opened) == {"ann": 136, "bob": 100}
    assert house.query("SELECT DISTINCT carried_over FROM round_seats WHERE round_id = %s", opened["id"]) == [(False,)]


def test_the_last_round_decides_whether_a_stack_carries_over(api: Api) -> None:
    table = add_table(api, **MONEY)
    play_to_the_end(api, open_round(api, table)["id"])
    for value in (1000, MONEY["point_value"]):
        assert api.patch(f"/v1/tables/{table}", {"point_value": value}).status == 200
    opened = open_round(api, table, {1: "ann", 2: "bob"})
    assert stacks(opened) == {"ann": 136, "bob": 100}
    close(api, opened["id"])
    other = document_of(hands=COMPLETE, sitting={1: "ann 50", 2: "bob 50", 3: "dan 50"}, point_value=5, unit="EUR")
    assert post_document(api, other).status == 201
    response = open_round(api, table, {1: "ann", 2: "bob", 3: "cyd"})
    assert response.mistakes == {"#/seats/0/stack": "stack-missing", "#/seats/1/stack": "stack-missing"}


def test_an_imported_round_does_not_prevent_an_undo(api: Api, house: House) -> None:
    table = add_table(api)
    round_id = open_round(api, table)["id"]
    play_to_the_end(api, round_id)
    [imported] = import_all(house, club_of(house, api), lines_of([document_of(hands=COMPLETE, reference="1999")]))
    assert imported.round_id is not None
    assert undo(api, round_id, 3).status == 201
    response = undo(api, str(imported.round_id), 3)
    assert (response.status, response["code"]) == (409, "round-open")


def test_a_hand_before_a_later_round_cannot_be_undone_though_a_clock_was_ahead(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = add_table(api)
    make_ids(monkeypatch, ahead)
    first = open_round(api, table)["id"]
    play_to_the_end(api, first)
    make_ids(monkeypatch, uuid7)
    second = open_round(api, table, {1: "ann", 2: "bob", 3: "cyd"})["id"]
    play_to_the_end(api, second)
    response = undo(api, first, 3)
    assert (response.status, response.mistakes) == (409, {"#": "round-follows"})
    assert second in response["detail"]
    patch = [{"op": "remove", "path": "/hands/2"}]
    response = correct_round(api, first, {"reason": "never played", "patch": patch})
    assert (response.status, response.mistakes) == (422, {"#/patch/0": "round-follows"})
    assert undo(api, second, 3).status == 201
    close(api, second)
    patch = [{"op": "add", "path": "/closed", "value": {"after_hand": 2, "reason": "late"}}, *patch]
    corrected = correct_round(api, first, {"reason": "never played", "patch": patch})
    assert [each["player"] for each in corrected["carried_over"]] == ["ann", "bob", "cyd"]


def test_a_correction_lists_later_rounds_of_players_who_sat_out(api: Api) -> None:
    table = add_table(api)
    first = open_round(api, table)["id"]
    play_to_the_end(api, first)
    second = open_round(api, table, {1: "ann", 2: "bob"})["id"]
    close(api, second)
    third = open_round(api, table, {1: "ann", 2: "bob", 3: "cyd"})["id"]
    patch = [
        {"op": "add", "path": "/closed", "value": {"after_hand": 2, "reason": "late"}},
        {"op": "remove", "path": "/hands/2"},
    ]
    corrected = correct_round(api, first, {"reason": "never played", "patch": patch})
    assert [(each["round"], each["player"], each["left"]) for each in corrected["carried_over"]] == [
        (second, "ann", 124),
        (second, "bob", 100),
        (third, "cyd", 76),
    ]


def test_round_numbers_of_a_table_have_no_gaps_with_concurrent_clients(api: Api, house: House) -> None:
    table = add_table(api)

    def post(place: int) -> None:
        sitting = {1: "ann 100", 2: "bob 100", 3: f"p{place} 100"}
        if place % 3:
            post_document(api, document_of(sitting=sitting, hands=COMPLETE))
        else:
            opened = open_round(api, table, sitting)
            if opened.status == 201:
                close(api, opened["id"])
        lines = [document_of(sitting=sitting, hands=COMPLETE, reference=f"{place}/{each}") for each in range(3)]
        lines.insert(1, document_of(sitting=sitting, hands=COMPLETE[1:], reference=f"{place}/refused"))
        import_all(house, club_of(house, api), lines_of(lines))

    with ThreadPoolExecutor(8) as clients:
        list(clients.map(post, range(16)))
    numbers = [number for number, _ in sequences(house, table)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) >= 16 * 3 + 10


def test_the_database_refuses_a_repeated_round_number(api: Api, house: House) -> None:
    table = add_table(api)
    for _ in range(2):
        close(api, open_round(api, table)["id"])
    assert [number for number, _ in sequences(house, table)] == [1, 2]
    again = """
        INSERT INTO rounds SELECT (jsonb_populate_record(round, jsonb_build_object('id', gen_random_uuid()))).*
        FROM rounds AS round WHERE table_id = %s AND table_sequence = 1
    """
    with pytest.raises(UniqueViolation, match="rounds_table_sequence_key"):
        house.change(again, table)


def test_a_number_that_was_changed_is_found(api: Api, house: House) -> None:
    table = add_table(api)
    for _ in range(2):
        close(api, open_round(api, table)["id"])
    import_all(house, club_of(house, api), lines_of([document_of(hands=COMPLETE)]))
    numbered = sequences(house, table)
    assert [number for number, _ in numbered] == [1, 2, 3]
    with tampering(house.owner, club_of(house, api)) as transaction:
        assert verify(transaction) == []
        for _, round_id in numbered:
            for change in ("table_sequence = table_sequence + 7", "imported = NOT imported"):
                with undone(transaction):
                    transaction.execute(text(f"UPDATE rounds SET {change} WHERE id = :id"), {"id": round_id})
                    [finding] = verify(transaction)
                    assert (finding.kind, finding.table) == (FindingKind.RECORD_DIFFERS, "rounds")
                    assert finding.column == change.split()[0]
