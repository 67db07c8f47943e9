"""Limits of the size of imports, and of a club's running imports."""

import gzip
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Event
from uuid import UUID

import pytest

from service.config import ConfigError, ImportLimits, read_settings
from service.places import Turns
from tests.support.api_client import Api, ApiResponse
from tests.support.application import House, open_house
from tests.support.database.postgres import Server
from tests.support.import_lines import club_of
from tests.support.process_jobs import Club, rounds_to_import
from tests.support.worker_process import lines_of, post_import

LIMITS = ImportLimits(mebibytes=4, ratio=50, lines=100_000, under_way=3, waiting_mebibytes=5)
MEBIBYTE = 1024 * 1024


@pytest.fixture(scope="module")
def house(embedded_postgres: Server) -> Iterator[House]:
    with open_house(embedded_postgres, imports=LIMITS) as opened:
        yield opened


def refused(house: House, api: Api, content: bytes, *, packed: bool = False) -> ApiResponse:
    """Send an import that is refused, and see that nothing of it is there."""
    response = post_import(api, content, packed=packed)
    assert (response.status, response["code"]) == (413, "import-too-large")
    assert house.query("SELECT count(*) FROM import_pieces") == [(0,)]
    assert house.query("SELECT count(*) FROM jobs WHERE state NOT IN ('cancelled', 'succeeded')") == [(0,)]
    return response


def test_a_decompression_bomb_is_refused(house: House, api: Api) -> None:
    bomb = b"{" + b" " * 3 * MEBIBYTE + b"}"
    assert len(gzip.compress(bomb)) < 5000
    response = refused(house, api, bomb, packed=True)
    assert response["detail"].startswith(
        f"{len(gzip.compress(bomb))} bytes of gzip decompress to more than 50 times as many"
    )


def test_a_small_file_may_have_any_compression_ratio(house: House, api: Api) -> None:
    content = lines_of(rounds_to_import(1)) + b" " * (MEBIBYTE // 2)
    assert len(content) > 100 * len(gzip.compress(content))
    job = post_import(api, content, packed=True)
    assert job.status == 202
    assert Club(house, api).work_on(job.headers["Location"])["summary"]["rounds"] == 1


@pytest.mark.parametrize("packed", [False, True])
def test_too_many_lines_are_refused_including_blank_ones(house: House, api: Api, packed: bool) -> None:
    response = refused(house, api, b"\n" * (LIMITS.lines + 1), packed=packed)
    assert response["detail"].startswith("the import has more than 100000 lines, including blank ones")


def test_lines_are_counted_before_anything_is_stored(house: House, api: Api) -> None:
    response = post_import(api, b"x\n" * (LIMITS.lines + 1), packed=True)
    assert (response.status, response["code"]) == (413, "import-too-large")
    assert house.query("SELECT count(*) FROM jobs WHERE club_id = %s", club_of(house, api)) == [(0,)]


def test_imports_of_one_key_take_turns() -> None:
    """The second works while the first waits for its client, and only then."""
    turns, key, steps = Turns(), UUID(int=1), list[str]()
    may_send, is_waiting = Event(), Event()

    def slow() -> Iterator[bytes]:
        yield b"first"
        is_waiting.set()
        assert may_send.wait(60)
        yield b"second"

    def receive_slowly() -> None:
        with turns.take(key) as wait:
            steps.extend(f"slow {block.decode()}" for block in wait(slow()))

    def receive_at_once() -> None:
        with turns.take(key) as wait:
            steps.extend(f"quick {block.decode()}" for block in wait(iter([b"first", b"second"])))

    with ThreadPoolExecutor(1) as pool:
        receiving = pool.submit(receive_slowly)
        assert is_waiting.wait(60)
        receive_at_once()
        with turns.take(key):
            may_send.set()
            assert steps == ["slow first", "quick first", "quick second"]
            assert not receiving.done()
        receiving.result(60)
    assert steps[-1] == "slow second"


@pytest.mark.parametrize("packed", [False, True])
def test_too_many_bytes_are_refused(house: House, api: Api, packed: bool) -> None:
    content = b"".join(Random(number).randbytes(500).hex().encode() + b"\n" for number in range(5 * MEBIBYTE // 1000))
    response = refused(house, api, content, packed=packed)
    assert response["detail"].startswith("the import has more than 4 MiB after decompression; expected at most 4 MiB")


def test_an_announced_length_is_refused_before_it_is_read(house: House, api: Api) -> None:
    headers = {"Content-Type": "application/x-ndjson"}
    announced = {"CONTENT_LENGTH": str(4 * MEBIBYTE + 1)}
    response = api.request("POST", "/v1/imports", data=b"{}", headers=headers, environ_overrides=announced)
    assert (response.status, response["code"]) == (413, "import-too-large")
    assert response.headers["Connection"] == "close"


def test_running_imports_of_a_club_are_limited(house: House, api: Api, other_api: Api) -> None:
    club = Club(house, api)
    sent = [post_import(api, lines_of(rounds_to_import(1, f"table {number}"))) for number in range(LIMITS.under_way)]
    assert [response.status for response in sent] == [202] * LIMITS.under_way
    one_more = lines_of(rounds_to_import(1, "one more"))
    response = post_import(api, one_more)
    assert (response.status, response["code"], response.headers["Retry-After"]) == (429, "import-quota-exceeded", "60")
    assert response["detail"].startswith("the club has 3 running imports, which is the limit")
    assert post_import(other_api, one_more).status == 202, "another club has a quota of its own"
    assert club.work_on(sent[0].headers["Location"])["state"] == "succeeded"
    assert post_import(api, one_more).status == 202


def test_waiting_bytes_of_a_club_are_limited(house: House, api: Api) -> None:
    lines = lines_of([b"x" * 1000 for _ in range(2900)])
    first, second = post_import(api, lines), post_import(api, b"\n" + lines)
    assert (first.status, second.status, second["code"]) == (202, 429, "import-quota-exceeded")
    assert second["detail"].startswith("more than 5 MiB of the club's imports wait")
    Club(house, api).work_on(first.headers["Location"])
    assert post_import(api, b"\n" + lines).status == 202


def test_the_limits_are_configured_by_variables() -> None:
    variables = ("MIB", "RATIO", "LINES")
    environment = {f"OFC_IMPORT_{name}": str(number) for number, name in enumerate(variables, start=1)}
    environment |= {"OFC_IMPORTS_UNDER_WAY": "4", "OFC_IMPORTS_WAITING_MIB": "5"}
    assert read_settings(environment)["imports"] == ImportLimits(1, 2, 3, 4, 5)
    with pytest.raises(ConfigError, match="OFC_IMPORT_LINES is 'many'; expected an integer from 1 to"):
        read_settings({"OFC_IMPORT_LINES": "many"})


@pytest.mark.parametrize("content", [b"\n" * LIMITS.lines, b"\n" * (LIMITS.lines - 1) + b" "])
def test_as_many_lines_as_the_limit_are_accepted(house: House, api: Api, content: bytes) -> None:
    assert post_import(api, content, packed=True).status == 202
    assert post_import(api, content + b"\n ", packed=True)["code"] == "import-too-large"


def test_a_kilobyte_of_gzip_with_half_a_million_lines_takes_few_transactions(house: House, api: Api) -> None:
    """Each line is of no use, and each piece of 300 lines had a transaction of its own: a second of the web process."""
    content = b"x\n" * (LIMITS.lines - 1)
    assert len(gzip.compress(content)) < 1024
    assert post_import(api, content, packed=True).status == 202
    [(pieces, transactions)] = house.query(
        "SELECT count(*), count(DISTINCT received_at) FROM import_pieces WHERE club_id = %s", club_of(house, api)
    )
    assert pieces == 334
    assert transactions <= 2
