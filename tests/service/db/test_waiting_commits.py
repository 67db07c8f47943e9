"""Commits that wait for a standby: they succeed only when it confirms, and stop neither reads nor the service."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic

import pytest

from schemas.base import Dumped
from service.audit_trail.actions import join_events
from service.http.services import services_of
from tests.support.api_client import Api, ApiResponse
from tests.support.api_settlements import confirm
from tests.support.application import SIGNING_KEY, House, open_house
from tests.support.database.waiting_commits import WaitingServer, waiting_server
from tests.support.sample_rounds import THREE, complete_round, hand, record, start_round
from tests.support.server_process import wait_until

TABLE: Dumped = {"name": "kitchen", "ruleset": "pineapple"}
KEY = {"Idempotency-Key": "kitchen"}
WAITING = (503, "commits-waiting")
UNKNOWN = (504, "outcome-unknown")


@pytest.fixture(scope="module")
def server() -> Iterator[WaitingServer]:
    with waiting_server() as server:
        yield server


@pytest.fixture
def house(server: WaitingServer) -> Iterator[House]:
    with open_house(server.server) as house:
        yield house
        server.confirm()


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(16) as threads:
        yield threads


def give_up_after(house: House, seconds: float) -> None:
    services_of(house.app).database.commits.limit_seconds = seconds


def outcome(response: ApiResponse) -> tuple[int, str]:
    return response.status, response["code"]


def timed(work: Callable[[], ApiResponse]) -> tuple[float, ApiResponse]:
    begun = monotonic()
    response = work()
    return monotonic() - begun, response


def add_table(api: Api) -> ApiResponse:
    return api.request("POST", "/v1/tables", json=TABLE, headers=KEY)


def wait_until_confirmed(house: House, api: Api) -> None:
    assert wait_until(lambda: api.get("/readyz").status == 200)


def test_a_commit_that_waits_is_given_up_and_nothing_else_hangs(
    server: WaitingServer, house: House, threads: ThreadPoolExecutor
) -> None:
    api = house.new_client()
    server.stop_confirming()
    first = threads.submit(timed, lambda: add_table(api))
    [pid] = server.wait_for_commits()
    assert wait_until(lambda: api.get("/readyz").status == 503, 10)
    assert not first.done()
    assert outcome(api.get("/readyz")) == WAITING
    seconds, refused = timed(lambda: api.post("/v1/tables", {**TABLE, "name": "cellar"}))
    assert outcome(refused) == WAITING
    assert refused["detail"].startswith("Nothing was stored")
    assert seconds < 2
    seconds, read = timed(lambda: api.get("/v1/tables"))
    assert (read.status, read["tables"]) == (200, [])
    assert seconds < 2
    seconds, unknown = first.result()
    assert outcome(unknown) == UNKNOWN
    assert 15 <= seconds < 25
    assert pid in server.list_waiting(), "it was not cancelled"
    assert outcome(api.post("/v1/tables", {**TABLE, "name": "cellar"})) == WAITING, "still nothing is confirmed"
    assert len(server.wait_for_commits(2)) == 2, "one probe waits, however many changes were refused"
    server.confirm()
    wait_until_confirmed(house, api)
    assert [table["name"] for table in api.get("/v1/tables")["tables"]] == ["kitchen"]
    assert add_table(api).headers["Idempotent-Replayed"] == "true"


def test_writers_that_wait_leave_threads_and_connections_to_readers(
    server: WaitingServer, house: House, threads: ThreadPoolExecutor
) -> None:
    apis = [house.new_client() for _ in range(10)]
    give_up_after(house, 12)
    server.stop_confirming()
    writers: list[Future[ApiResponse]] = [threads.submit(api.post, "/v1/tables", TABLE) for api in apis]
    assert wait_until(lambda: sum(writer.done() for writer in writers) == 4, 10), "half of the connections commit"
    assert outcome(apis[0].post("/v1/tables", TABLE)) == WAITING
    assert all(api.get("/v1/tables").status == 200 for api in apis)
    assert sum(writer.done() for writer in writers) == 4
    outcomes = {outcome(writer.result()) for writer in writers}
    assert outcomes == {WAITING, UNKNOWN}


def test_a_hand_is_refused_at_once_while_another_of_its_round_waits(
    server: WaitingServer, house: House, threads: ThreadPoolExecutor
) -> None:
    api = house.new_client()
    round_id = start_round(api)
    server.stop_confirming()
    first = threads.submit(record, api, round_id, hand(1, 1, THREE))
    server.wait_for_commits()
    assert wait_until(lambda: api.get("/readyz").status == 503, 10)
    seconds, refused = timed(lambda: record(api, round_id, hand(1, 1, THREE)))
    assert outcome(refused) == WAITING
    assert seconds < 2, "it does not wait for the lock of the round"
    server.confirm()
    assert first.result().status == 201


ACKNOWLEDGEMENTS: dict[str, Callable[[Api], Callable[[], ApiResponse]]] = {}


def acknowledgement(
    prepare: Callable[[Api], Callable[[], ApiResponse]],
) -> Callable[[Api], Callable[[], ApiResponse]]:
    ACKNOWLEDGEMENTS[prepare.__name__] = prepare
    return prepare


@acknowledgement
def a_request_with_its_key(api: Api) -> Callable[[], ApiResponse]:
    return lambda: add_table(api)


@acknowledgement
def a_hand_again(api: Api) -> Callable[[], ApiResponse]:
    round_id = start_round(api)
    return lambda: record(api, round_id, hand(1, 1, THREE))


@acknowledgement
def a_ruleset_again(api: Api) -> Callable[[], ApiResponse]:
    rules = {**api.get("/v1/rulesets/pineapple").document, "name": "ours"}
    del rules["version"]
    return lambda: api.post("/v1/rulesets", rules)


@acknowledgement
def a_confirmation_again(api: Api) -> Callable[[], ApiResponse]:
    round_id = complete_round(api)
    return lambda: confirm(api, round_id, 1)


@acknowledgement
def a_checkpoint_without_new_events(api: Api) -> Callable[[], ApiResponse]:
    return lambda: api.post("/v1/checkpoints", {})


@pytest.mark.parametrize("name", ACKNOWLEDGEMENTS)
def test_what_is_stored_already_is_acknowledged_only_when_a_standby_has_it(
    server: WaitingServer, house: House, name: str
) -> None:
    send = ACKNOWLEDGEMENTS[name](house.new_client())
    assert send().status in (200, 201)
    give_up_after(house, 1)
    server.stop_confirming()
    assert outcome(send()) == UNKNOWN
    server.confirm()
    wait_until_confirmed(house, house.new_client())
    assert send().status in (200, 201)


def test_a_replay_after_a_crash_waits_for_a_standby(
    server: WaitingServer, house: House, threads: ThreadPoolExecutor
) -> None:
    api = house.new_client()
    server.stop_confirming()
    first = threads.submit(add_table, api)
    [pid] = server.wait_for_commits()
    server.crash(pid)
    assert outcome(first.result()) == UNKNOWN
    assert len(house.query("SELECT FROM tables")) == 1, "the restart made it visible, and no standby has it"
    give_up_after(house, 2)
    assert outcome(add_table(api)) == UNKNOWN
    server.confirm()
    wait_until_confirmed(house, api)
    again = add_table(api)
    assert (again.status, again.headers["Idempotent-Replayed"]) == (201, "true")


@pytest.mark.parametrize("end", ["cancel", "terminate"])
def test_a_commit_that_an_administrator_ends_has_an_unknown_outcome(
    server: WaitingServer, house: House, threads: ThreadPoolExecutor, end: str
) -> None:
    api = house.new_client()
    server.stop_confirming()
    sent = threads.submit(add_table, api)
    [pid] = server.wait_for_commits()
    getattr(server, end)(pid)
    assert outcome(sent.result()) == UNKNOWN
    assert house.query("SELECT name FROM tables") == [("kitchen",)], "PostgreSQL has committed it"


def test_the_first_use_of_a_key_does_not_wait(server: WaitingServer, house: House) -> None:
    api = house.new_client()
    server.stop_confirming()
    assert api.get("/v1/tables").status == 200
    assert server.list_waiting() == []
    [(used,)] = house.query("SELECT last_used_at IS NOT NULL FROM api_keys")
    assert used


def test_a_checkpoint_is_served_only_when_a_standby_has_it(
    server: WaitingServer, house: House, threads: ThreadPoolExecutor
) -> None:
    api = house.new_client()
    first = api.post("/v1/checkpoints", {}).document
    round_id = start_round(api)
    server.stop_confirming()
    sent = threads.submit(api.post, "/v1/checkpoints", {})
    [pid] = server.wait_for_commits()
    server.crash(pid)
    assert outcome(sent.result()) == UNKNOWN
    [(second,)] = house.query("SELECT id FROM checkpoints ORDER BY size DESC LIMIT 1")
    assert str(second) != first["id"], "it was signed, and the restart made it visible"
    assert api.get("/v1/checkpoints")["checkpoints"] == [first]
    assert api.get(f"/v1/checkpoints/{second}").status == 404
    evidence = api.get(f"/v1/rounds/{round_id}/evidence")
    assert evidence["checkpoint"] == api.get(f"/v1/checkpoints/{first['id']}").text
    assert evidence["newest"] is None, "the map of rounds is that of the first checkpoint"
    server.confirm()
    [(club,)] = house.query("SELECT id FROM clubs")
    join_events(services_of(house.app).database, club, SIGNING_KEY)
    assert [each["id"] for each in api.get("/v1/checkpoints")["checkpoints"]] == [str(second), first["id"]]
    served = api.get(f"/v1/checkpoints/{second}")
    evidence = api.get(f"/v1/rounds/{round_id}/evidence")
    assert evidence["checkpoint"] == served.text
    assert evidence["newest"]["sequence"] == 1
