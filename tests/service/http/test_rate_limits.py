"""How often a key may ask, and how often an address may try keys that open nothing."""

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest
from flask import Flask

from service.app import create_app
from service.config import Config
from service.http import rate_limits
from service.http.rate_limits import MOST_FAILURES, REQUESTS, Counts
from tests.support.api_client import Answer, Api
from tests.support.application import House
from tests.support.postgres import Logins
from tests.support.server_process import running, wait_until

MOST = 5


@pytest.fixture
def limit(house: House, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Flask]]:
    """The service, letting each key ask five times a minute, in a minute that does not end."""
    began = time.time()
    monkeypatch.setattr(rate_limits, "time", SimpleNamespace(time=lambda: began))
    with ExitStack() as stack:

        def make(**settings: int) -> Flask:
            app = create_app(Config(house.logins.service, rate_limit=MOST, **settings))
            stack.callback(app.extensions["ofc_database"].close)
            return app

        yield make


@pytest.fixture
def limited(limit: Callable[..., Flask]) -> Flask:
    return limit()


def new_key(house: House) -> str:
    return str(house.new_client().key)


def an_address() -> str:
    return f"198.51.{random.randrange(256)}.{random.randrange(256)}"


def ask_from(address: str, app: Flask, key: str | None) -> Answer:
    return Api(app, key).ask("GET", "/v1/tables", environ_overrides={"REMOTE_ADDR": address})


def test_a_key_may_ask_so_many_times_a_minute_and_is_told_how_many_are_left(house: House, limited: Flask) -> None:
    hasty, other = Api(limited, new_key(house)), Api(limited, new_key(house))
    answers = [hasty.get("/v1/tables") for _ in range(MOST + 2)]
    assert [answer.status for answer in answers] == [200] * MOST + [429] * 2
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {f'"key";q={MOST};w=60'}
    left = [answer.headers["RateLimit"].split(";t=") for answer in answers]
    assert [begins for begins, _ in left] == [f'"key";r={number}' for number in (4, 3, 2, 1, 0, 0, 0)]
    assert all(1 <= int(seconds) <= 60 for _, seconds in left)
    refused = answers[-1]
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


def test_a_house_without_a_limit_says_nothing_of_one(api: Api) -> None:
    answers = [api.get("/v1/tables") for _ in range(MOST + 1)]
    assert {answer.status for answer in answers} == {200}
    assert all("RateLimit" not in answer.headers for answer in answers)


def test_what_needs_no_key_is_answered_however_often(limited: Flask) -> None:
    assert {Api(limited, None).get("/v1/rulesets").status for _ in range(MOST + 1)} == {200}


def test_who_tries_keys_has_to_wait_and_keeps_nobody_out_whose_key_is_known(house: House, limited: Flask) -> None:
    address, known, new = an_address(), new_key(house), new_key(house)
    assert ask_from(address, limited, known).status == 200
    tried = [ask_from(address, limited, f"ofc_guess_{number}") for number in range(MOST_FAILURES + 3)]
    assert [answer.status for answer in tried] == [401] * MOST_FAILURES + [429] * 3
    assert "unknown keys a minute from this address" in tried[-1]["detail"]
    assert ask_from(address, limited, known).status == 200
    assert ask_from(address, limited, new).status == 429
    assert ask_from(an_address(), limited, new).status == 200
    assert ask_from(address, limited, new).status == 200, "known by now"


def test_a_key_in_use_stays_known_when_the_day_ends(
    house: House, limited: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def set_clock(now: float) -> None:
        monkeypatch.setattr(rate_limits, "time", SimpleNamespace(time=lambda: now))

    def guess() -> None:
        for number in range(MOST_FAILURES):
            assert ask_from(address, limited, f"ofc_guess_{now}_{number}").status == 401

    midnight = (time.time() // 86_400 + 1) * 86_400
    address, used, unused = an_address(), new_key(house), new_key(house)
    now = midnight - 10
    set_clock(now)
    assert ask_from(address, limited, used).status == 200
    for now in (midnight + 10, midnight + 86_400 - 10, midnight + 86_400 + 10):
        set_clock(now)
        guess()
        assert ask_from(address, limited, used).status == 200
        assert ask_from(address, limited, unused).status == 429
    now = midnight + 3 * 86_400 + 10
    set_clock(now)
    guess()
    assert ask_from(address, limited, used).status == 429, "not used for a whole day"


def test_an_address_of_the_sixth_version_is_its_network(house: House, limited: Flask) -> None:
    network = f"2001:db8:{random.randrange(65536):x}:1"
    for number in range(MOST_FAILURES):
        assert ask_from(f"{network}::{number:x}", limited, f"ofc_guess_{number}").status == 401
    assert ask_from(f"{network}::ffff", limited, "ofc_guess").status == 429
    assert ask_from(network.removesuffix("1") + "2::1", limited, "ofc_guess").status == 401


@pytest.mark.parametrize(
    ("proxies", "before", "after"),
    [(1, "", ""), (1, "{forged}, ", ""), (2, "{forged}, ", ", 10.0.0.2")],
    ids=["plain", "forged", "two proxies"],
)
def test_behind_trusted_proxies_it_is_the_address_that_the_first_of_them_heard(
    house: House, limit: Callable[..., Flask], proxies: int, before: str, after: str
) -> None:
    guesser, other, new = an_address(), an_address(), new_key(house)
    app = limit(trusted_proxies=proxies)

    def ask(address: str, key: str) -> int:
        route = f"{before.format(forged=an_address())}{address}{after}"
        return Api(app, key).ask("GET", "/v1/tables", headers={"X-Forwarded-For": route}).status

    assert {ask(guesser, f"{new}{number}") for number in range(MOST_FAILURES)} == {401}
    assert ask(guesser, new) == 429
    assert ask(other, new) == 200


@pytest.mark.parametrize(("proxies", "is_named"), [(0, True), (2, True), (1, False)])
def test_a_header_that_no_trusted_proxy_wrote_is_nobody_s_address(
    house: House, limit: Callable[..., Flask], proxies: int, is_named: bool
) -> None:
    came_from, new = {"REMOTE_ADDR": an_address()}, new_key(house)
    app = limit(trusted_proxies=proxies)

    def ask(key: str) -> int:
        headers = {"X-Forwarded-For": an_address()} if is_named else {}
        return Api(app, key).ask("GET", "/v1/tables", headers=headers, environ_overrides=came_from).status

    assert {ask(f"{new}{number}") for number in range(MOST_FAILURES)} == {401}
    assert ask(new) == 429


def test_all_workers_of_a_machine_count_together(tmp_path: Path, logins: Logins) -> None:
    settings = {"OFC_DATABASE_URL": logins.service, "OFC_OWNER_URL": logins.owner}
    with running(tmp_path, **settings, OFC_WORKERS="2", OFC_RATE_LIMIT="40") as service:
        key = (tmp_path / "api-key").read_text().strip()
        assert wait_until(lambda: 10 < REQUESTS.seconds_left(time.time()) < 58, 20)

        def ask(_: int) -> int:
            headers = {"Authorization": f"Bearer {key}"}
            return httpx2.get(f"{service.url}/v1/tables", headers=headers, trust_env=False, timeout=10).status_code

        with ThreadPoolExecutor(4) as threads:
            answers = list(threads.map(ask, range(60)))
        # Beside these, `up` itself has asked once with the key, in this minute or the one before.
        assert answers.count(200) in (39, 40)
        assert answers.count(429) == 60 - answers.count(200)


def test_who_came_yesterday_keeps_a_place_as_long_as_another_is_free() -> None:
    counts = Counts(seconds=60, groups=1)
    for number in range(1, 6):
        counts.add(number.to_bytes(16, "big"), now=600)
    for number in range(6, 9):
        counts.add(number.to_bytes(16, "big"), now=660)
    assert all(counts.has_seen(number.to_bytes(16, "big"), now=719) for number in range(1, 9))


def test_the_rarest_are_forgotten_first_and_the_memory_stays_as_it_is() -> None:
    counts = Counts(seconds=60, groups=1)
    often = b"often".ljust(16)
    for _ in range(3):
        counts.add(often, now=0)
    for number in range(1000):
        counts.add(number.to_bytes(16, "big"), now=0)
    assert counts.find(often, now=0) == 3
    assert sum(counts.find(number.to_bytes(16, "big"), now=0) for number in range(1000)) == 7
