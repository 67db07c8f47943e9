"""Tables that are changed from several connections at once, or while a round is opened: one waits for the other."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from uuid import UUID

from service.tables.actions import update_table
from tests.service.tables.test_changed_tables import MONEY, address_of, change, changes_of, verify
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.import_lines import club_of, database_of
from tests.support.race import at_once
from tests.support.sample_rounds import COMPLETE, SIXES, add_table, document_of, open_round, post_document, seats
from tests.support.server_process import wait_until

RACES = 8
WAITING = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event IN ('transactionid', 'tuple')"


def test_of_an_archiving_and_an_opening_at_once_one_succeeds(api: Api, house: House) -> None:
    for number in range(RACES):
        table = add_table(api, name=f"table {number}")
        archived, opened = at_once(
            partial(api.patch, address_of(table), {"is_archived": True}),
            partial(api.post, f"{address_of(table)}/rounds", {"seats": seats(SIXES)}),
        )
        assert (archived.status, opened.status) in ((200, 409), (409, 201))
        assert archived.status == 200 or archived["code"] == "round-open"
        assert opened.status == 201 or opened["code"] == "table-archived"
        is_archived = api.get(address_of(table))["archived_at"] is not None
        assert is_archived == (archived.status == 200)
        assert len(api.get(f"/v1/rounds?table={table}&status=open")["rounds"]) == (0 if is_archived else 1)
    assert verify(house, api) == []


def test_a_round_that_is_opened_beside_a_change_has_all_of_it_or_nothing(api: Api, house: House) -> None:
    for number in range(RACES):
        table = add_table(api, name=f"table {number}", **MONEY)
        changed, opened = at_once(
            partial(api.patch, address_of(table), {"ruleset": "turbo", "point_value": 25, "unit": "USD"}),
            partial(api.post, f"{address_of(table)}/rounds", {"seats": seats(SIXES)}),
        )
        assert (changed.status, opened.status) == (200, 201)
        kept = opened["ruleset"], opened["point_value"], opened["unit"]
        assert kept in (("pineapple@1", 100, "EUR"), ("turbo@1", 25, "USD"))
    assert verify(house, api) == []


def test_two_changes_at_once_are_both_made(api: Api, house: House) -> None:
    table = add_table(api)
    for number in range(RACES):
        name, window = f"table {number}", number + 1
        responses = at_once(
            partial(api.patch, address_of(table), {"name": name}),
            partial(api.patch, address_of(table), {"correction_window_minutes": window}),
        )
        assert [response.status for response in responses] == [200, 200]
        read = api.get(address_of(table))
        assert (read["name"], read["correction_window_minutes"]) == (name, window)
    assert len(changes_of(house, table)) == 2 * RACES
    assert verify(house, api) == []


def test_of_two_tables_that_are_renamed_alike_at_once_one_is(api: Api, house: House) -> None:
    for number in range(RACES):
        first, second = (add_table(api, name=f"{name} {number}") for name in ("kitchen", "cellar"))
        responses = at_once(
            *[partial(api.patch, address_of(each), {"name": f"attic {number}"}) for each in (first, second)]
        )
        assert sorted(response.status for response in responses) == [200, 409]
        assert {response.document.get("code") for response in responses} == {None, "table-conflict"}
    assert verify(house, api) == []


def test_a_document_beside_a_change_of_the_name_is_recorded_once(api: Api, house: House) -> None:
    for number in range(RACES):
        table = add_table(api, name=f"old-{number}")
        document = document_of(hands=COMPLETE, table=f"old-{number}", reference="1")
        renamed, posted = at_once(
            partial(api.patch, address_of(table), {"name": f"new-{number}"}), partial(post_document, api, document)
        )
        assert (renamed.status, posted.status) == (200, 201)
        is_new = posted["round"]["table"] != table
        assert [each["id"] for each in api.get(f"/v1/tables?name=old-{number}")["tables"]] == (
            [posted["round"]["table"]] if is_new else []
        )
    assert verify(house, api) == []


def test_an_opening_waits_for_a_change_and_sees_it(api: Api, house: House) -> None:
    table = add_table(api)
    with ThreadPoolExecutor(1) as threads:
        with database_of(house).transaction(club_of(house, api)) as transaction:
            update_table(transaction, UUID(table), {"is_archived": True})
            opening = threads.submit(open_round, api, table)
            assert wait_until(lambda: house.query(WAITING) == [()], 10)
        assert opening.result()["code"] == "table-archived"


def test_a_table_is_not_brought_back_under_a_name_that_it_got_meanwhile(api: Api, house: House) -> None:
    table = add_table(api)
    change(api, table, is_archived=True)
    with ThreadPoolExecutor(1) as threads:
        with database_of(house).transaction(club_of(house, api)) as transaction:
            update_table(transaction, UUID(table), {"name": "attic"})
            restoring = threads.submit(api.patch, address_of(table), {"is_archived": False})
            assert wait_until(lambda: house.query(WAITING) == [()], 10)
        refused = restoring.result()
    assert (refused.status, refused["code"]) == (409, "busy")
    assert "retry the request" in refused["detail"]
    restored = change(api, table, is_archived=False)
    assert (restored["name"], restored["archived_at"]) == ("attic", None)


def test_what_references_a_table_does_not_wait_for_its_change(api: Api, house: House) -> None:
    table = add_table(api)
    with database_of(house).transaction(club_of(house, api)) as transaction:
        update_table(transaction, UUID(table), {"name": "attic"})
        assert api.post("/v1/links", {"table": table}).status == 201
    assert change(api, table, minimum_stack=5)["name"] == "attic"
