"""`ofc events`: what happened, each event once and in order, whatever becomes of the connection."""

import json
import os
import signal
import subprocess
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import IO, Any

import httpx2
import pytest

from client.api import Client
from tests.support.client.faulty_server import DOWN, HTML, build_response, faulty
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import COMMAND, clean_environment, ofc

LINES = "application/x-ndjson"
EMPTY = build_response(200, "", LINES)


def page(*positions: int) -> bytes:
    return build_response(200, "".join(f'{{"position":{position}}}\n' for position in positions), LINES)


def read(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


@contextmanager
def following(*arguments: str, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run `ofc events --follow`, and end it if the test has not."""
    command = [*COMMAND, "events", "--follow", *arguments]
    with subprocess.Popen(
        command, env=clean_environment(**variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def out(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stdout is not None
    return process.stdout


def err(process: subprocess.Popen[bytes]) -> IO[bytes]:
    assert process.stderr is not None
    return process.stderr


def next_event(process: subprocess.Popen[bytes]) -> Any:
    return json.loads(out(process).readline())


def set_up(client: Client, table: str) -> int:
    """Set up a table, and return the position of the event of the checkpoint after it."""
    client.add_table({"name": table, "ruleset": "pineapple"})
    position: int = client.make_checkpoint()["size"] - 1
    return position


def test_every_event_is_printed_with_its_position_and_hash(reached: dict[str, str], client: Client, table: str) -> None:
    last = set_up(client, table)
    printed = read(ofc("events", **reached).out)
    assert [each["position"] for each in printed] == list(range(len(printed)))
    assert all(sha256(b"\0" + b64decode(each["bytes"])).hexdigest() == each["hash"] for each in printed)
    assert printed[last - 1]["content"]["name"] == table
    assert printed[last]["kind"] == "checkpoint.sealed"


def test_only_events_after_a_position_are_printed(reached: dict[str, str], client: Client, table: str) -> None:
    before = set_up(client, table)
    after = set_up(client, f"{table}-2")
    printed = read(ofc("events", "--after", str(before), **reached).out)
    assert [each["position"] for each in printed[: after - before]] == list(range(before + 1, after + 1))
    assert ofc("events", "--after", "999999999", **reached).out == ""


def test_events_are_filtered_by_kind_table_and_round(reached: dict[str, str], client: Client, table: str) -> None:
    table_id = client.add_table({"name": table, "ruleset": "pineapple"})["id"]
    seats = [{"seat": seat, "player": player, "stack": 100} for seat, player in ((1, "ann"), (2, "bob"))]
    round_id = client.open_round(table_id, {"seats": seats})["id"]
    client.make_checkpoint()
    of_table = read(ofc("events", "--table", table, **reached).out)
    assert [each["kind"] for each in of_table] == ["table.created", "round.opened"]
    assert (
        read(ofc("events", "--kind", "round.opened,round.closed", "--table", table_id, **reached).out) == of_table[1:]
    )
    assert read(ofc("events", "--round", round_id, **reached).out) == of_table[1:]
    refused = ofc("events", "--kind", "hand.played", **reached)
    assert (refused.code, refused.out) == (1, "")
    assert "hand.played" in refused.err


def test_the_filters_are_sent_with_every_request() -> None:
    with faulty(page(0, 1), page(2), EMPTY) as server:
        ofc("events", "--kind", "hand.recorded", OFC_URL=server.url)
        assert ["kind=hand.recorded" in request for request in server.requests] == [True, True, True]


def position_in(request: str) -> str | None:
    """Return the position after which a request asks for events."""
    return httpx2.URL(request.partition(" ")[2]).params.get("after")


def test_pages_have_no_gaps() -> None:
    with faulty(page(0, 1), page(2), EMPTY) as server:
        result = ofc("events", OFC_URL=server.url)
        assert [each["position"] for each in read(result.out)] == [0, 1, 2]
        assert [position_in(request) for request in server.requests] == [None, "1", "2"]


def test_events_are_printed_as_they_happen(reached: dict[str, str], client: Client, table: str) -> None:
    before = set_up(client, table)
    with following("--after", str(before), "--kind", "table.created", **reached) as process:
        for number in range(3):
            set_up(client, f"{table}-{number}")
            assert next_event(process)["content"]["name"] == f"{table}-{number}"


def test_a_broken_connection_resumes_without_gaps_or_duplicates(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    before = set_up(client, table)
    with following("--after", str(before), **by_proxy) as process:
        set_up(client, f"{table}-1")
        received_positions = [next_event(process)["position"]]
        proxy.way = Way.AWAY
        # A request sent before may still receive a response; after that nothing comes through.
        set_up(client, f"{table}-2")
        assert err(process).readline().startswith(b"Waiting: ")
        last = set_up(client, f"{table}-3")
        proxy.way = Way.THROUGH
        while received_positions[-1] < last:
            received_positions.append(next_event(process)["position"])
        assert received_positions == list(range(before + 1, last + 1))
        assert process.poll() is None


def test_a_long_outage_is_reported_once() -> None:
    with faulty(page(7), *[DOWN] * 8, page(8)) as server, following("--after", "6", OFC_URL=server.url) as process:
        assert [next_event(process)["position"] for _ in range(2)] == [7, 8]
        process.send_signal(signal.SIGINT)
        assert err(process).read().count(b"Waiting: ") == 1
        assert {position_in(request) for request in server.requests[1:9]} == {"7"}


def test_a_stream_without_long_polling_is_polled_slowly() -> None:
    with faulty(page(7), EMPTY) as server, following(OFC_URL=server.url) as process:
        next_event(process)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=5)
        assert 2 <= len(server.requests) <= 4


def test_a_stream_does_not_wait_for_a_service_that_never_responded() -> None:
    with faulty(HTML) as server, following(OFC_URL=server.url) as process:
        assert process.wait(timeout=60) == 3
        assert out(process).read() == b""


def test_an_invalid_event_is_not_printed() -> None:
    with faulty(build_response(200, '{"table":"kitchen"}\n', LINES)) as server:
        result = ofc("events", OFC_URL=server.url)
        assert (result.code, result.out) == (3, "")
        assert "not events" in result.err


def test_a_stream_ends_without_the_key(reached: dict[str, str]) -> None:
    with following(**{**reached, "OFC_API_KEY_FILE": os.devnull}) as process:
        assert process.wait(timeout=60) == 2
    with following(OFC_URL=reached["OFC_URL"]) as process:
        assert process.wait(timeout=60) == 1


def test_ctrl_c_ends_the_stream_without_a_message(reached: dict[str, str], client: Client, table: str) -> None:
    last = set_up(client, table)
    with following("--after", str(last - 1), **reached) as process:
        next_event(process)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert (out(process).read(), err(process).read()) == (b"", b"")


def test_a_closed_pipe_ends_an_idle_stream(reached: dict[str, str], client: Client, table: str) -> None:
    last = set_up(client, table)
    with following("--after", str(last - 1), **reached) as process:
        next_event(process)
        out(process).close()
        assert process.wait(timeout=60) == 141
        assert err(process).read() == b""
