"""Who is entering a hand: seen by everybody at the table, for a few seconds, and by nobody else."""

from uuid import uuid4

import pytest

from schemas.tables import SCOREKEEPER_LIFETIME
from tests.service.links.linked_table import issue, link_to, secret_of, table_of
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.import_lines import club_of


@pytest.fixture
def table(api: Api) -> str:
    return table_of(api)


def shown(api: Api, table: str) -> list[tuple[str, int]]:
    listed = api.get(f"/v1/tables/{table}/scorekeepers")["scorekeepers"]
    return [(each["label"], each["hand"]) for each in listed]


def enter(api: Api, table: str, hand: int, device: str | None = None) -> str:
    device = device or str(uuid4())
    assert api.put(f"/v1/tables/{table}/scorekeepers/{device}", {"hand": hand}).status == 204
    return device


def test_a_device_is_shown_with_the_label_of_its_link_until_it_ends(house: House, api: Api, table: str) -> None:
    phone = Api(house.app, secret_of(issue(api, table, kind="scorekeeper", label="Anna's phone")))
    device = enter(phone, table, 4)
    viewer = link_to(house, api, table, "viewer")
    assert shown(viewer, table) == [("Anna's phone", 4)]
    enter(phone, table, 5, device)
    assert shown(api, table) == [("Anna's phone", 5)]
    for _ in range(2):
        assert phone.delete(f"/v1/tables/{table}/scorekeepers/{device}").status == 204
    assert shown(viewer, table) == []


def test_an_entry_expires_by_itself(house: House, api: Api, table: str) -> None:
    old = enter(api, table, 4)
    house.query("UPDATE scorekeepers SET expires_at = now() WHERE device_id = %s RETURNING hand", old)
    assert shown(api, table) == []
    enter(api, table, 5)
    [(count,)] = house.query("SELECT count(*) FROM scorekeepers WHERE club_id = %s", club_of(house, api))
    assert count == 1
    [(seconds,)] = house.query("SELECT extract(epoch FROM expires_at - now()) FROM scorekeepers WHERE hand = 5")
    assert seconds <= SCOREKEEPER_LIFETIME.total_seconds()


def test_a_link_changes_no_entry_of_another_one(house: House, api: Api, table: str) -> None:
    anna, ben = (
        Api(house.app, secret_of(issue(api, table, kind="scorekeeper", label=label))) for label in ("Anna", "Ben")
    )
    device = enter(anna, table, 4)
    enter(ben, table, 9, device)
    assert shown(api, table) == [("Ben", 9), ("Anna", 4)]
    assert ben.delete(f"/v1/tables/{table}/scorekeepers/{device}").status == 204
    assert shown(api, table) == [("Anna", 4)]


def test_the_ten_newest_devices_are_shown_in_an_order_that_stays(api: Api, table: str) -> None:
    devices = [enter(api, table, number) for number in range(1, 13)]
    newest = list(range(12, 2, -1))
    assert [hand for _, hand in shown(api, table)] == newest
    enter(api, table, 5, devices[4])
    assert [hand for _, hand in shown(api, table)] == newest, "it was shown before"


def test_the_list_has_a_tag(api: Api, table: str) -> None:
    path = f"/v1/tables/{table}/scorekeepers"
    device = enter(api, table, 4)
    tag = api.get(path).headers["ETag"]
    enter(api, table, 4, device)
    assert api.request("GET", path, headers={"If-None-Match": tag}).status == 304
    enter(api, table, 5, device)
    assert api.request("GET", path, headers={"If-None-Match": tag}).status == 200


def test_an_entry_is_no_event(api: Api, table: str) -> None:
    before = api.get("/v1/events").text
    enter(api, table, 4)
    assert api.get("/v1/events").text == before


def test_viewers_and_links_to_other_tables_show_nothing(house: House, api: Api, table: str) -> None:
    other = table_of(api, "attic")
    path = f"/v1/tables/{table}/scorekeepers/{uuid4()}"
    assert link_to(house, api, table, "viewer").put(path, {"hand": 4}).status == 403
    assert link_to(house, api, other).put(path, {"hand": 4}).status == 404
    assert link_to(house, api, other).get(f"/v1/tables/{table}/scorekeepers").status == 404
    assert shown(api, table) == []


@pytest.mark.parametrize("body", [{}, {"hand": 0}, {"hand": "4"}, {"hand": 10_001}, {"hand": 4, "label": "Ben"}])
def test_invalid_entries_are_refused(api: Api, table: str, body: dict[str, object]) -> None:
    assert api.put(f"/v1/tables/{table}/scorekeepers/{uuid4()}", body).status == 422


def test_the_list_of_rounds_has_a_tag(api: Api, table: str) -> None:
    path = f"/v1/rounds?table={table}&limit=1"
    tag = api.get(path).headers["ETag"]
    assert api.request("GET", path, headers={"If-None-Match": tag}).status == 304
    opened = api.post(
        f"/v1/tables/{table}/rounds", {"seats": [{"seat": n, "player": p, "stack": 9} for n, p in ((1, "a"), (2, "b"))]}
    )
    assert opened.status == 201
    changed = api.request("GET", path, headers={"If-None-Match": tag})
    assert (changed.status, len(changed["rounds"])) == (200, 1)
