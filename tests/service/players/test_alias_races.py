"""Joins from several connections at once, and beside openings: of two that exclude each other, one succeeds."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from schemas.base import load
from schemas.rounds import RoundRequestSchema
from service.players.actions import join_player, part_player
from service.rounds.actions.opening import open_round as open_a_round
from tests.service.players.test_aliases import join, part
from tests.service.tables.test_changed_tables import verify
from tests.support.api_client import Api
from tests.support.application import House
from tests.support.import_lines import club_of, database_of, import_all, lines_of
from tests.support.race import at_once
from tests.support.sample_rounds import COMPLETE, add_table, document_of, open_round, post_document, seats
from tests.support.server_process import wait_until

RACES = 8
WAITING = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'"
BOTH = {1: "bob 100", 2: "bobby 100"}


@pytest.fixture(autouse=True)
def known(api: Api) -> None:
    """Both IDs have sat in rounds of their own."""
    for player in ("bob", "bobby"):
        table = add_table(api, name=f"table of {player}")
        assert open_round(api, table, {1: "ann 100", 2: f"{player} 100"}).status == 201


def sits_twice(api: Api) -> bool:
    rounds = api.get("/v1/rounds?status=open")["rounds"]
    return any({"bob", "bobby"} <= {seat["player"] for seat in each["seats"]} for each in rounds)


@pytest.mark.parametrize("sends", ["opening", "document"])
def test_of_a_join_and_a_round_of_both_at_once_one_succeeds(api: Api, house: House, sends: str) -> None:
    for number in range(RACES):
        table = add_table(api, name=f"table {number}")
        document = document_of(sitting=BOTH, table=f"table {number}")
        seating = {
            "opening": partial(open_round, api, table, BOTH),
            "document": partial(post_document, api, document),
        }[sends]
        joined, opened = at_once(partial(join, api, "bob", "bobby"), seating)
        assert (joined.status, opened.status) in ((201, 422), (409, 201))
        assert sits_twice(api) == (opened.status == 201)
        if joined.status == 201:
            assert part(api, "bob", "bobby").status == 200
        else:
            patch = [{"op": "replace", "path": "/seats/1/player", "value": "cyd"}]
            opened_id = api.get(f"/v1/rounds?table={table}")["rounds"][0]["id"]
            correction = {"reason": "it was cyd", "patch": patch, "version": 1}
            assert api.post(f"/v1/rounds/{opened_id}/corrections", correction).status == 201
    assert verify(house, api) == []


def test_a_join_waits_for_a_round_that_is_being_opened(api: Api, house: House) -> None:
    table = add_table(api)
    with ThreadPoolExecutor(1) as threads:
        with database_of(house).transaction(club_of(house, api)) as transaction:
            request = load(RoundRequestSchema(), {"seats": seats(BOTH)})
            open_a_round(transaction, table, request)
            joining = threads.submit(join, api, "bob", "bobby")
            assert wait_until(lambda: house.query(WAITING) == [()], 10)
        assert joining.result().codes == {"players-together"}


def test_an_import_waits_for_a_join_and_sees_it(api: Api, house: House) -> None:
    club = club_of(house, api)
    lines = lines_of([document_of(sitting={**BOTH, 3: "cyd 100"}, hands=COMPLETE, table="imported")])
    with ThreadPoolExecutor(1) as threads:
        with database_of(house).transaction(club) as transaction:
            join_player(transaction, "bob", "bobby")
            importing = threads.submit(import_all, house, club, lines)
            assert wait_until(lambda: house.query(WAITING) == [()], 10)
        assert [line.status for line in importing.result()] == ["refused"]


def test_an_opening_waits_for_a_parting_and_sees_it(api: Api, house: House) -> None:
    assert join(api, "bob", "bobby").status == 201
    with ThreadPoolExecutor(1) as threads:
        with database_of(house).transaction(club_of(house, api)) as transaction:
            part_player(transaction, "bob", "bobby")
            opening = threads.submit(open_round, api, add_table(api), BOTH)
            assert wait_until(lambda: house.query(WAITING) == [()], 10)
        assert opening.result().status == 201


def test_joins_at_once_never_form_a_chain(api: Api, house: House) -> None:
    for _ in range(RACES):
        one, other = at_once(partial(join, api, "bob", "bobby"), partial(join, api, "cyd", "bob"))
        joined = {
            alias["alias"]: each["player"] for each in api.get("/v1/players")["players"] for alias in each["aliases"]
        }
        if other.status == 201:
            assert (one.status, joined) == (201, {"bob": "cyd", "bobby": "cyd"})
        else:
            assert (one.status, other.codes, joined) == (201, {"alias-has-aliases"}, {"bobby": "bob"})
        for alias, player in joined.items():
            assert part(api, player, alias).status == 200
    assert verify(house, api) == []


def test_the_same_join_at_once_is_one(api: Api, house: House) -> None:
    responses = at_once(*[partial(join, api, "bob", "bobby")] * RACES)
    assert {response.status for response in responses} == {201}
    assert len({response["aliases"][0]["joined_at"] for response in responses}) == 1
    assert len(api.get("/v1/players/bob")["aliases"]) == 1
    assert verify(house, api) == []


def test_openings_do_not_wait_for_each_other(api: Api, house: House) -> None:
    with database_of(house).transaction(club_of(house, api)) as transaction:
        open_a_round(transaction, add_table(api), load(RoundRequestSchema(), {"seats": seats(BOTH)}))
        assert open_round(api, add_table(api, name="another")).status == 201
