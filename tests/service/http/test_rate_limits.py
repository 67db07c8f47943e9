"""How many requests a key may send, and how many invalid keys an address may try."""

import random
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest
from flask import Flask

from service.app import create_app
from service.config import Config
from service.http import rate_limits
from service.http.rate_limits import MOST_FAILURES
from service.http.services import services_of
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House
from tests.support.brokers import OwnRedis
from tests.support.database.postgres import Logins
from tests.support.log_capture import Log
from tests.support.sample_rounds import complete_round
from tests.support.server_process import running

MOST = 5


@pytest.fixture
def limit(house: House) -> Iterator[Callable[..., Flask]]:
    """The service, with a limit of five requests a minute for each key."""
    with ExitStack() as stack:

        def make(**settings: Any) -> Flask:
            app = create_app(Config(house.logins.service, rate_limit=MOST, **settings))
            stack.callback(services_of(app).database.close)
            return app

        yield make


@pytest.fixture
def limited(limit: Callable[..., Flask]) -> Flask:
    return limit()


@pytest.fixture
def redis(monkeypatch: pytest.MonkeyPatch) -> Iterator[OwnRedis]:
    if shutil.which("redis-server") is None:
        pytest.skip("there is no redis-server to start")
    # A response that is late on a busy machine would not be counted.
    monkeypatch.setattr(rate_limits, "_REDIS_SECONDS", 10)
    server = OwnRedis()
    yield server
    server.kill()


def new_key(house: House) -> str:
    return str(house.new_client().key)


def an_address() -> str:
    return f"198.51.{random.randrange(256)}.{random.randrange(256)}"


def send_from(address: str, app: Flask, key: str | None) -> ApiResponse:
    return Api(app, key).request("GET", "/v1/tables", environ_overrides={"REMOTE_ADDR": address})


def test_each_of_several_workers_announces_the_share_that_it_counts(house: House, limited: Flask) -> None:
    services_of(limited).rate_limits.workers = 2
    api = Api(limited, new_key(house))
    responses = [api.get("/v1/tables") for _ in range(4)]
    assert [response.status for response in responses] == [200, 200, 200, 429]
    assert {response.headers["RateLimit-Policy"] for response in responses} == {'"key";q=3;w=60'}
    assert responses[0].headers["RateLimit"].startswith('"key";r=2;')
    assert responses[3]["detail"].startswith("the limit of 3 requests a minute for this key is exceeded")


def test_a_key_has_a_rate_limit_and_responses_show_the_remainder(house: House, limited: Flask) -> None:
    hasty, other = Api(limited, new_key(house)), Api(limited, new_key(house))
    responses = [hasty.get("/v1/tables") for _ in range(MOST + 2)]
    assert [response.status for response in responses] == [200] * MOST + [429] * 2
    assert {response.headers["RateLimit-Policy"] for response in responses} == {f'"key";q={MOST};w=60'}
    left = [response.headers["RateLimit"].split(";t=") for response in responses]
    assert [begins for begins, _ in left] == [f'"key";r={number}' for number in (4, 3, 2, 1, 0, 0, 0)]
    assert all(1 <= int(seconds) <= 60 for _, seconds in left)
    refused = responses[-1]
    assert (refused["code"], refused["title"]) == ("rate-limited", "Too many requests")
    assert refused["detail"].startswith(f"the limit of {MOST} requests a minute")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert other.get("/v1/tables").status == 200, "one key's haste is no other's"


def test_a_request_that_has_to_wait_stores_nothing(house: House, limited: Flask) -> None:
    api = Api(limited, new_key(house))
    sent = {"name": "kitchen", "ruleset": "pineapple"}
    assert [api.post("/v1/tables", {**sent, "name": str(n)}).status for n in range(MOST)] == [201] * MOST
    before = house.count_records()
    assert api.post("/v1/tables", sent).status == 429
    assert house.count_records() == before


def test_a_service_without_a_limit_sends_no_rate_limit_headers(api: Api) -> None:
    responses = [api.get("/v1/tables") for _ in range(MOST + 1)]
    assert {response.status for response in responses} == {200}
    assert all("RateLimit" not in response.headers for response in responses)


def test_requests_without_a_key_are_not_limited(limited: Flask) -> None:
    assert {Api(limited, None).get("/v1/rulesets").status for _ in range(MOST + 1)} == {200}


def guess(app: Flask, address: str, times: int = MOST_FAILURES) -> list[int]:
    """Send keys that nobody has, and return the statuses."""
    return [send_from(address, app, f"ofc_guess_{number}").status for number in range(times)]


def test_clients_that_guess_keys_are_limited_and_valid_keys_are_not(house: House, limited: Flask) -> None:
    address, used, unused = an_address(), new_key(house), new_key(house)
    assert send_from(address, limited, used).status == 200
    assert guess(limited, address, MOST_FAILURES + 3) == [401] * MOST_FAILURES + [429] * 3
    refused = send_from(address, limited, "ofc_guess")
    assert "unknown keys a minute from this address" in refused["detail"]
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert {send_from(address, limited, key).status for key in (used, unused)} == {200}
    assert send_from(an_address(), limited, "ofc_guess").status == 401


def test_a_process_that_has_just_started_refuses_no_valid_key(house: House, limit: Callable[..., Flask]) -> None:
    address, key = an_address(), new_key(house)
    assert send_from(address, limit(), key).status == 200
    restarted = limit()
    assert guess(restarted, address, MOST_FAILURES + 1)[-1] == 429
    assert send_from(address, restarted, key).status == 200


def test_new_links_and_sessions_are_accepted_while_other_clients_guess_keys(
    house: House, limit: Callable[..., Flask]
) -> None:
    app, address = limit(), an_address()
    api = Api(house.app, new_key(house))
    round_id = complete_round(api)
    table = api.get(f"/v1/rounds/{round_id}")["table"]
    scorekeeper, viewer = (
        api.post("/v1/links", {"table": table, "kind": kind})["url"] for kind in ("scorekeeper", "viewer")
    )
    shown = api.post("/v1/links", {"round": round_id})["url"]
    code = api.post("/v1/console-links", {})["url"].rpartition("/")[2]
    assert guess(app, address, MOST_FAILURES + 1)[-1] == 429

    def send(path: str, **options: Any) -> int:
        method = "POST" if "data" in options else "GET"
        sent = browser.open(urlsplit(path).path, method=method, environ_overrides={"REMOTE_ADDR": address}, **options)
        return sent.status_code

    browser = app.test_client()
    assert send_from(address, app, urlsplit(scorekeeper).fragment).status == 200
    assert [send(viewer), send(shown)] == [200, 200]
    assert send("/console/sign-in", data={"code": code}) == 303
    assert send("/console/") == 200
    assert send("/console/sign-in", data={"code": code}) == 429, "used up, and therefore unknown"


def test_an_address_of_the_sixth_version_is_its_network(house: House, limited: Flask) -> None:
    network = f"2001:db8:{random.randrange(65536):x}:1"
    for number in range(MOST_FAILURES):
        assert send_from(f"{network}::{number:x}", limited, f"ofc_guess_{number}").status == 401
    assert send_from(f"{network}::ffff", limited, "ofc_guess").status == 429
    assert send_from(network.removesuffix("1") + "2::1", limited, "ofc_guess").status == 401


@pytest.mark.parametrize(
    ("proxies", "before", "after"),
    [(1, "", ""), (1, "{forged}, ", ""), (2, "{forged}, ", ", 10.0.0.2")],
    ids=["plain", "forged", "two proxies"],
)
def test_behind_trusted_proxies_the_client_address_is_from_the_first_proxy(
    house: House, limit: Callable[..., Flask], proxies: int, before: str, after: str
) -> None:
    guesser, other, key = an_address(), an_address(), new_key(house)
    app = limit(trusted_proxies=proxies)

    def get_status(address: str, key: str) -> int:
        route = f"{before.format(forged=an_address())}{address}{after}"
        return Api(app, key).request("GET", "/v1/tables", headers={"X-Forwarded-For": route}).status

    assert {get_status(guesser, f"{key}{number}") for number in range(MOST_FAILURES)} == {401}
    assert get_status(guesser, f"{key}x") == 429
    assert get_status(guesser, key) == 200
    assert get_status(other, f"{key}x") == 401


@pytest.mark.parametrize(("proxies", "is_named"), [(0, True), (2, True), (1, False)])
def test_a_header_of_an_untrusted_proxy_is_ignored(
    house: House, limit: Callable[..., Flask], proxies: int, is_named: bool
) -> None:
    came_from, new = {"REMOTE_ADDR": an_address()}, new_key(house)
    app = limit(trusted_proxies=proxies)

    def get_status(key: str) -> int:
        headers = {"X-Forwarded-For": an_address()} if is_named else {}
        return Api(app, key).request("GET", "/v1/tables", headers=headers, environ_overrides=came_from).status

    assert {get_status(f"{new}{number}") for number in range(MOST_FAILURES)} == {401}
    assert get_status(f"{new}x") == 429


def get_statuses(url: str, data: Path, times: int, *, reuses_connection: bool) -> list[int]:
    """Send requests with the first key, and return the status of each."""
    headers = {"Authorization": f"Bearer {(data / 'api-key').read_text().strip()}"}
    if reuses_connection:
        with httpx2.Client(headers=headers, trust_env=False, verify=False, timeout=60) as client:
            return [client.get(f"{url}/v1/tables").status_code for _ in range(times)]

    def get_status(_: int) -> int:
        return httpx2.get(f"{url}/v1/tables", headers=headers, trust_env=False, verify=False, timeout=60).status_code

    with ThreadPoolExecutor(4) as threads:
        return list(threads.map(get_status, range(times)))


def test_each_worker_allows_its_share_of_the_limit(tmp_path: Path, logins: Logins) -> None:
    settings = {"OFC_DATABASE_URL": logins.service, "OFC_OWNER_URL": logins.owner}
    with running(tmp_path, **settings, OFC_WORKERS="2", OFC_RATE_LIMIT="40") as service:
        statuses = get_statuses(service.url, tmp_path, 30, reuses_connection=True)
        # `up` itself has sent three requests with the key, to either worker.
        allowed = statuses.count(200)
        assert allowed in (17, 18, 19, 20)
        assert statuses == [200] * allowed + [429] * (30 - allowed)
        others = get_statuses(service.url, tmp_path, 60, reuses_connection=False)
        assert allowed + others.count(200) <= 40
        assert set(others) <= {200, 429}


def test_all_workers_count_together_in_redis(tmp_path: Path, logins: Logins, redis: OwnRedis) -> None:
    settings = {"OFC_DATABASE_URL": logins.service, "OFC_OWNER_URL": logins.owner, "OFC_RATE_LIMIT_URL": redis.url}
    with running(tmp_path, **settings, OFC_WORKERS="2", OFC_RATE_LIMIT="40") as service:
        statuses = get_statuses(service.url, tmp_path, 60, reuses_connection=False)
    # `up` itself has sent three requests with the key.
    assert (statuses.count(200), statuses.count(429)) == (37, 23)


def test_requests_and_failures_are_counted_in_redis(house: House, limit: Callable[..., Flask], redis: OwnRedis) -> None:
    one, other = limit(rate_limit_url=redis.url), limit(rate_limit_url=redis.url)
    address, key, new = an_address(), new_key(house), new_key(house)
    responses = [send_from(address, app, key) for app in (one, other) * 3]
    assert [response.status for response in responses] == [200] * MOST + [429]
    left = [response.headers["RateLimit"].split(";t=")[0] for response in responses]
    assert left == [f'"key";r={number}' for number in (4, 3, 2, 1, 0, 0)]
    for number in range(MOST_FAILURES):
        assert send_from(address, (one, other)[number % 2], f"ofc_guess_{number}").status == 401
    assert {send_from(address, app, "ofc_guess").status for app in (one, other)} == {429}
    assert {send_from(address, app, new).status for app in (one, other)} == {200}
    assert send_from(an_address(), other, "ofc_guess").status == 401


def test_without_its_redis_the_service_responds_and_counts_nothing(
    house: House, limit: Callable[..., Flask], redis: OwnRedis, log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = Api(limit(rate_limit_url=redis.url), new_key(house))
    assert [api.get("/v1/tables").status for _ in range(MOST + 1)] == [200] * MOST + [429]
    redis.kill()
    responses = [api.get("/v1/tables") for _ in range(MOST + 1)]
    assert {response.status for response in responses} == {200}
    assert all("RateLimit" not in response.headers for response in responses)
    assert [event["event"] for event in log.events if event["level"] == "warning"] == ["rate_limits_off"]
    redis.restart()
    monkeypatch.setattr(rate_limits, "time", SimpleNamespace(time=time.time, monotonic=lambda: time.monotonic() + 6))
    assert [api.get("/v1/tables").status for _ in range(MOST + 1)] == [200] * MOST + [429]
