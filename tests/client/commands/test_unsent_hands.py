"""A hand that cannot be sent is written to a file, and `ofc post` records it once."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import stamina

from client.api import Client
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import COMMAND, CommandResult, clean_environment, ofc, write
from tests.support.client.table_setup import PLAIN, add_hand, hand_options, numbers_of, open_evening, undo_first
from tests.support.client.terminal import ENTER, terminal
from tests.support.sample_rounds import HIGH, LOW, MID, hand

pytestmark = pytest.mark.usefixtures("folder")

HAND = hand_options(*PLAIN, button=1)


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


def fail_to_add(reached: dict[str, str], table: str, *options: str) -> CommandResult:
    """Type a hand that cannot be sent."""
    result = ofc("hand", "add", table, *(options or HAND), **reached)
    assert result.code == 3, result
    return result


def write_unsent(by_proxy: dict[str, str], proxy: Proxy, table: str, *options: str) -> Path:
    """Type a hand whose request is lost, and return the file that has it. The network is back then."""
    before = {*Path().iterdir()}
    proxy.way = Way.LOSES_REQUESTS
    fail_to_add(by_proxy, table, *options)
    proxy.way = Way.THROUGH
    [file] = {*Path().iterdir()} - before
    return file


def read(file: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return document


def change(file: Path, **fields: object) -> None:
    file.write_text(json.dumps({**read(file), **fields}), encoding="utf-8")


# --- written, and posted ---


def test_a_typed_hand_is_written_to_a_file_when_the_service_goes_away_and_posted_once(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, folder: Path
) -> None:
    round_id = open_evening(by_proxy, table)
    with terminal("hand", "add", table, "--button", "1", columns=160, **by_proxy) as screen:
        for prompt, board in zip(("Seat 1, ann:", "Seat 2, ben:", "Seat 3, cyd:"), PLAIN, strict=True):
            assert screen.shows_prompt(prompt)
            screen.type(board, ENTER)
        assert screen.shows_prompt("Record hand 1? [yes, no, or a seat to type again]")
        proxy.way = Way.AWAY
        screen.type("yes", ENTER)
        assert screen.end() == 3
        assert any(line.startswith(f"Error: {proxy.url} does not respond") for line in screen.lines)
        file = f"hand-1-of-{table[:40]}.json"
        assert f"  The hand is in {file}; `ofc post {file}` records it, once." in screen.lines, screen.lines
    assert [each.name for each in folder.iterdir()] == [file]
    assert numbers_of(client, round_id) == []
    proxy.way = Way.THROUGH
    first = ofc("post", file, **by_proxy)
    assert first.code == 0, first
    assert "ann  +12 points" in first.out
    assert first.out.endswith("Next: hand 2, button ben; ann, ben and cyd play\nRecorded: 1 hand.\n")
    again = ofc("post", file, **by_proxy)
    assert again.code == 0, again
    assert again.text.strip().splitlines()[0].endswith("· recorded before")
    assert again.out.endswith("Recorded now: 0 hands; recorded before: 1.\n")
    assert numbers_of(client, round_id) == [1]


def test_the_file_is_a_line_of_the_api(by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str) -> None:
    round_id = open_evening(by_proxy, table, ruleset="pineapple-qq")
    file = write_unsent(by_proxy, proxy, table, *HAND, "--top-up", "cyd=40")
    line = read(file)
    assert (line["round"], line["number"], line["button"]) == (round_id, 1, 1)
    assert line["top_ups"] == [{"seat": 3, "points": 40}]
    assert line["played_at"] is not None
    assert [result.status for result in client.record_hands([line])] == ["recorded"]
    assert client.get_document(round_id)["hands"][0]["played_at"] is not None
    assert ofc("post", file, **by_proxy).out.endswith("recorded before: 1.\n")


def test_a_hand_whose_response_was_lost_is_recorded_once(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, folder: Path
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.LOSES_RESPONSES
    fail_to_add(by_proxy, table)
    assert numbers_of(client, round_id) == [1]
    proxy.way = Way.THROUGH
    [file] = folder.iterdir()
    for _ in range(2):
        assert ofc("post", file, **by_proxy).out.endswith("Recorded now: 0 hands; recorded before: 1.\n")
    assert numbers_of(client, round_id) == [1]


def test_a_post_that_is_not_delivered_can_be_repeated(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    file = write_unsent(by_proxy, proxy, table)
    before = file.read_bytes()
    for way in (Way.AWAY, Way.LOSES_REQUESTS, Way.LOSES_RESPONSES):
        proxy.way = way
        assert ofc("post", file, **by_proxy).code == 3
    proxy.way = Way.THROUGH
    assert ofc("post", file, **by_proxy).out.endswith("recorded before: 1.\n")
    assert numbers_of(client, round_id) == [1]
    assert file.read_bytes() == before


def test_a_file_never_overwrites_another(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, folder: Path
) -> None:
    round_id = open_evening(by_proxy, table)
    first = write_unsent(by_proxy, proxy, table)
    content = first.read_bytes()
    second = write_unsent(by_proxy, proxy, table, *hand_options(LOW, HIGH, MID, button=2))
    third = write_unsent(by_proxy, proxy, table, *hand_options(MID, HIGH, LOW, button=2))
    stem = f"hand-1-of-{table[:40]}"
    assert [file.name for file in (first, second, third)] == [f"{stem}{part}.json" for part in ("", "-2", "-3")]
    assert first.read_bytes() == content
    assert len({file.read_bytes() for file in folder.iterdir()}) == 3
    assert ofc("post", second, **by_proxy).code == 0
    assert client.get_document(round_id)["hands"][0]["button"] == 2


@pytest.mark.parametrize("name", ["kitchen / east", "..", "Küche"])
def test_the_file_is_in_the_current_directory_whatever_the_name_of_the_table(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, name: str
) -> None:
    whole = f"{name} {table}"
    round_id = open_evening(by_proxy, whole)
    file = write_unsent(by_proxy, proxy, whole)
    assert file.parent == Path()
    assert file.name.startswith("hand-1-of-")
    assert ofc("post", file, **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1]


def test_a_hand_that_cannot_be_written_is_printed(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.LOSES_REQUESTS
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    result = fail_to_add(by_proxy, table)
    assert "cannot be written: no such file or directory. Write this line to a file, and `ofc post FILE`" in result.err
    monkeypatch.chdir(tmp_path)
    proxy.way = Way.THROUGH
    assert ofc("post", write(tmp_path, result.err.splitlines()[-1]), **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1]


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_hand_is_written_when_nobody_waits_for_the_response(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, folder: Path, stop: signal.Signals
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.HOLDS_REQUESTS
    process = subprocess.Popen(
        [*COMMAND, "hand", "add", table, *HAND],
        env=clean_environment(**by_proxy),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert proxy.held.wait(30)
    process.send_signal(stop)
    _out, err = process.communicate(timeout=60)
    [file] = folder.iterdir()
    assert (process.returncode, err) == (130, f"The hand is in {file.name}; `ofc post {file.name}` records it, once.\n")
    proxy.released.set()
    proxy.way = Way.THROUGH
    assert ofc("post", file, **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1]


@pytest.mark.parametrize(("status", "code"), [(500, "internal-error"), (401, "key-unknown"), (429, "rate-limited")])
def test_a_hand_is_written_when_the_refusal_is_not_about_the_hand(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, folder: Path, status: int, code: str
) -> None:
    round_id = open_evening(by_proxy, table)
    problem = {"title": "Not now", "code": code, "detail": "not now", "errors": []}
    proxy.done.append((status, json.dumps(problem).encode()))
    result = ofc("hand", "add", table, *HAND, **by_proxy)
    assert result.code == 1, result
    [file] = folder.iterdir()
    assert f"({code})" in result.err
    assert result.err.endswith(f"  The hand is in {file.name}; `ofc post {file.name}` records it, once.\n")
    assert ofc("post", file, **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1]


def test_json_is_the_response_of_the_service(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    open_evening(by_proxy, table)
    proxy.way = Way.LOSES_REQUESTS
    unsent = fail_to_add(by_proxy, table, *HAND, "--json")
    assert unsent.out == ""
    proxy.way = Way.THROUGH
    [file] = Path().iterdir()
    posted = ofc("post", "--json", file, **by_proxy)
    assert len(posted.out.splitlines()) == 1
    assert posted.document == client.get_hand(posted.document["id"])


# --- refused ---


def test_a_hand_that_is_refused_is_explained_and_remains_in_its_file(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    file = write_unsent(by_proxy, proxy, table)
    before = file.read_bytes()
    client.record_hand(round_id, hand(1, 1, {1: "AhKd9h / JsJd8c5h2c / AsAdTcTh4s", 2: MID, 3: LOW}))
    for _ in range(2):
        result = ofc("post", file, **by_proxy)
        assert (result.code, result.out) == (1, "")
        assert result.err.startswith(f"{file}: ")
        assert "(hand-conflict)" in result.err
        [differs] = [line for line in result.err.splitlines() if line.rstrip().endswith("differs")]
        assert differs.split() == ["1", "top", "A♥", "K♦", "9♥", "A♥", "K♦", "9♣", "differs"]
    assert file.read_bytes() == before
    assert numbers_of(client, round_id) == [1]


def test_an_invalid_hand_in_a_file_is_refused_with_its_pointers(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    file = write_unsent(by_proxy, proxy, table)
    change(file, number=3)
    result = ofc("post", file, **by_proxy)
    assert (result.code, result.out) == (1, "")
    assert (
        f"{file}: Unexpected hand number (hand-number)\n  #/number  hand 3 was received; expected hand 1\n"
        in result.err
    )
    change(file, number=1, surprise=True)
    assert "#/surprise" in ofc("post", file, **by_proxy).err
    assert numbers_of(client, round_id) == []


@pytest.mark.parametrize(
    ("round_", "code", "sentence"),
    [
        ("01a1fa77-4a59-709e-b6dd-b28a73ab9d3e", 1, "(not-found)"),
        ("", 2, "a name or an id is empty"),
        (7, 2, "`round` is 7; expected the ID of the round of the hand"),
        ({"table": "friday", "reference": "1"}, 2, "expected the ID of the round of the hand"),
    ],
    ids=str,
)
def test_a_file_with_another_round_is_refused(
    by_proxy: dict[str, str], proxy: Proxy, table: str, round_: object, code: int, sentence: str
) -> None:
    open_evening(by_proxy, table)
    file = write_unsent(by_proxy, proxy, table)
    change(file, round=round_)
    result = ofc("post", file, **by_proxy)
    assert (result.code, result.out) == (code, "")
    assert sentence in result.err


def test_a_reference_is_not_for_a_hand(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    open_evening(by_proxy, table)
    file = write_unsent(by_proxy, proxy, table)
    result = ofc("post", "--reference", "friday/1", file, **by_proxy)
    assert result.code == 2
    assert "--reference names a round; FILE has a hand of a round." in result.err


def test_a_hand_that_was_undone_meanwhile_counts_again_on_request(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, folder: Path
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.LOSES_RESPONSES
    fail_to_add(by_proxy, table)
    proxy.way = Way.THROUGH
    [record] = client.list_hands(round_id)
    undo_first(client, round_id)
    [file] = folder.iterdir()
    refused = ofc("post", file, **by_proxy)
    assert refused.code == 1
    assert "(hand-undone)" in refused.err
    assert f'With `"restores": "{record["id"]}"` in the file, the hand counts again.' in refused.err
    with terminal("post", file.name, **by_proxy) as screen:
        assert screen.shows_prompt("Restore hand 1? [yes/no]")
        screen.type("no", ENTER)
        assert screen.shows("Nothing was posted.")
    assert numbers_of(client, round_id) == []
    change(file, restores=record["id"])
    assert ofc("post", file, **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1]


def test_the_same_deal_in_a_file_is_recorded_on_request(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    boards = [option for option in hand_options(*PLAIN) if option != "--dealt-again"]
    add_hand(by_proxy, table, button=1)
    file = write_unsent(by_proxy, proxy, table, *boards)
    refused = ofc("post", file, **by_proxy)
    assert refused.code == 1
    assert "(same-deal)" in refused.err
    assert 'With `"dealt_again": true` in the file, it is recorded' in refused.err
    assert numbers_of(client, round_id) == [1]
    change(file, dealt_again=True)
    assert ofc("post", file, **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1, 2]
