"""The outbox: what could not be sent waits, in order, and is done once; whatever is cut, killed or refused."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina

from client.api import Client
from tests.support.client.outbox_queue import waiting
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import PLAIN, WORKED, add_hand, given, is_saved, numbers_of, open_evening
from tests.support.sample_rounds import HIGH, LOW, MID, REST, hand


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


# --- without a network ---


def test_a_hand_is_validated_shown_and_stored_offline(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table, "ann=3", "ben=50", "cyd=50")
    there = ofc("hand", "add", table, *given(*WORKED, button=3), "--json", **by_proxy)
    ofc("undo", table, "--yes", **by_proxy)
    proxy.way = Way.AWAY
    result = add_hand(by_proxy, table, *WORKED, button=3, waits=True)
    assert "The service does not respond. This is the result by the same rules" in result.out
    shown = there.err.partition("Boards")[2]
    assert result.out.partition("Boards")[2].partition("Saved")[0].strip() == shown.partition("Recorded")[0].strip()
    assert (
        f"\nSaved on this machine; 1 hand waits to be sent.\n`ofc queue flush` sends it: {proxy.url} does" in result.out
    )
    assert result.err == ""
    assert numbers_of(client, round_id) == []
    assert waiting(by_proxy) == ["record_hand"]


def test_an_invalid_hand_is_refused_offline(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    open_evening(by_proxy, table)
    add_hand(by_proxy, table, button=1)
    proxy.way = Way.AWAY
    result = ofc("hand", "add", table, *given(*PLAIN, button=1), **by_proxy)
    assert (result.code, result.out) == (1, "")
    assert "#/button  the button is in seat 1; expected seat 2" in result.err
    assert waiting(by_proxy) == []


@pytest.mark.parametrize(
    ("ruleset", "left", "command", "code"),
    [
        ("pineapple", "", "round leave TABLE cyd", "round-invalid"),
        ("pineapple-qq", "ann", "round leave TABLE ann", "round-invalid"),
        ("pineapple-qq", "", f"round leave TABLE cyd --reason {'x' * 501}", "request-invalid"),
        ("pineapple", "", f"round close TABLE --yes --reason {'x' * 501}", "request-invalid"),
        ("pineapple", "", f"undo TABLE --yes --reason {'x' * 501}", "request-invalid"),
    ],
)
def test_invalid_hands_are_refused_offline_as_by_the_service(
    by_proxy: dict[str, str], proxy: Proxy, table: str, ruleset: str, left: str, command: str, code: str
) -> None:
    open_evening(by_proxy, table, ruleset=ruleset)
    add_hand(by_proxy, table, button=1)
    if left:
        assert ofc("round", "leave", table, left, **by_proxy).code == 0
    arguments = command.replace("TABLE", table).split(" ")
    there = ofc(*arguments, **by_proxy)
    proxy.way = Way.AWAY
    here = ofc(*arguments, **by_proxy)
    assert (there.code, here.code) == (1, 1), here
    assert f"({code})" in here.err
    assert here.err == there.err
    assert waiting(by_proxy) == []


def test_an_invalid_time_is_refused_offline(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    result = ofc("hand", "add", table, *given(*PLAIN, button=1), "--played-at", "yesterday", **by_proxy)
    assert (result.code, result.out) == (1, "")
    assert "#/played_at  " in result.err
    assert waiting(by_proxy) == []


def test_a_round_with_a_queued_closing_is_not_undone(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    open_evening(by_proxy, table)
    add_hand(by_proxy, table, button=1)
    proxy.way = Way.AWAY
    assert is_saved(ofc("round", "close", table, "--reason", "late", "--yes", **by_proxy))
    result = ofc("undo", table, "--yes", **by_proxy)
    assert result.code == 1
    assert "the round was closed after hand 1; none of its hands can be undone" in result.err
    assert waiting(by_proxy) == ["close_round"]


def test_a_queued_request_that_became_invalid_is_reported(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    open_evening(by_proxy, table, ruleset="pineapple-qq")
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    assert is_saved(ofc("round", "leave", table, "ann", **by_proxy))
    assert ofc("queue", "drop", "1", "--yes", **by_proxy).code == 0
    result = ofc("hand", "add", table, **by_proxy)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("outbox 2: Invalid round (round-invalid)\n")
    assert "`ofc queue drop 2` drops it" in result.err


@pytest.mark.parametrize("arguments", ["round leave TABLE ann", "round close TABLE --reason late --yes"])
def test_an_ending_that_waited_is_refused_if_another_client_recorded_a_hand(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, arguments: str
) -> None:
    round_id = open_evening(by_proxy, table, ruleset="pineapple-qq")
    command = arguments.replace("TABLE", table).split(" ")
    add_hand(by_proxy, table, button=1)
    proxy.way = Way.AWAY
    assert is_saved(ofc(*command, **by_proxy))
    client.record_hand(round_id, hand(2, 2, {1: HIGH, 2: LOW, 3: MID}))
    before = client.get_round(round_id)
    proxy.way = Way.THROUGH
    flushed = ofc("queue", "flush", **by_proxy)
    assert flushed.code == 1
    assert "1 is expected; the result is 2" in flushed.out
    assert client.get_round(round_id) == before
    assert ofc("queue", "drop", "2", "--yes", **by_proxy).code == 0
    assert ofc(*command, **by_proxy).code == 0
    assert client.get_round(round_id)["version"] == before["version"] + 1
    assert waiting(by_proxy) == []


def test_a_complete_round_is_recorded_offline_and_sent_in_order(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table, ruleset="pineapple-qq")
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    add_hand(by_proxy, table, HIGH, LOW, REST, waits=True)
    assert is_saved(ofc("undo", table, "--yes", **by_proxy))
    add_hand(by_proxy, table, waits=True)
    assert is_saved(ofc("round", "leave", table, "ann", **by_proxy))
    assert is_saved(ofc("hand", "add", table, "--seat", "2", HIGH, "--seat", "cyd", MID, "--yes", **by_proxy))
    listed = ofc("queue", "list", **by_proxy).text.splitlines()
    assert [line.split("  ")[1].partition(", round ")[0] for line in listed] == [
        f"hand 1 at {table}", f"hand 2 at {table}", f"undo of hand 2 at {table}", f"hand 2 at {table}",
        f"departure from seat 1 at {table}", f"hand 3 at {table}",
    ]  # as a table  # fmt: skip
    assert ofc("queue", "flush", **by_proxy).code == 3
    proxy.way = Way.THROUGH
    result = ofc("queue", "flush", **by_proxy)
    assert result.code == 0
    assert result.text.splitlines()[-2:] == [f"Sent: hand 3 at {table}.", "No requests wait."]
    document = client.get_document(round_id)
    assert [played["number"] for played in document["hands"]] == [1, 2, 3]
    assert all(played["played_at"] for played in document["hands"])
    assert [(left["seat"], left["after_hand"]) for left in document["departures"]] == [(1, 2)]
    assert client.get_settlement(round_id)["revision"] == 2


def test_queued_requests_are_sent_before_the_next_hand(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    proxy.way = Way.THROUGH
    result = add_hand(by_proxy, table)
    assert result.out.startswith(f"Sent: hand 1 at {table}.\n\nHand 2 · button ben")
    assert numbers_of(client, round_id) == [1, 2]
    assert waiting(by_proxy) == []


def test_queued_requests_are_sent_before_the_next_round(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    for button in (1, 2):
        add_hand(by_proxy, table, button=button)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=3, waits=True)
    proxy.way = Way.THROUGH
    result = ofc("round", "open", table, "ann", "cyd", **by_proxy)
    assert result.code == 0, result
    assert result.out.startswith(f"Sent: hand 3 at {table}.\n")
    assert numbers_of(client, round_id) == [1, 2, 3]
    stacks = [seat["stack"] for seat in ofc("round", "show", table, "--json", **by_proxy).document["seats"]]
    assert stacks == [236, 164]


def keep_undo(by_proxy: dict[str, str], proxy: Proxy, table: str) -> str:
    """Play a whole round of three hands, and let the undo of the last wait; the network is there again."""
    round_id = open_evening(by_proxy, table)
    for button in (1, 2, 3):
        add_hand(by_proxy, table, button=button)
    proxy.way = Way.AWAY
    assert is_saved(ofc("undo", table, "--yes", **by_proxy))
    proxy.way = Way.THROUGH
    return round_id


def test_no_round_is_opened_over_a_queued_undo(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = keep_undo(by_proxy, proxy, table)
    result = ofc("round", "open", table, "ann", "cyd", "--json", **by_proxy)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith(f"Sent: undo of hand 3 at {table}.\n")
    assert "(round-open)" in result.err
    assert numbers_of(client, round_id) == [1, 2]


def test_no_round_is_opened_while_queued_requests_get_no_response(
    by_proxy: dict[str, str], proxy: Proxy, table: str
) -> None:
    open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    proxy.way = Way.LOSES_RESPONSES
    result = ofc("round", "open", table, "ann", "cyd", **by_proxy)
    assert (result.code, result.out) == (1, "")
    assert "(round-open)" in result.err
    assert waiting(by_proxy) == ["record_hand"]


def test_a_table_not_in_the_cache_needs_the_service(by_proxy: dict[str, str], proxy: Proxy) -> None:
    proxy.way = Way.AWAY
    result = ofc("hand", "add", "nowhere", *given(*PLAIN, button=1), **by_proxy)
    assert (result.code, result.out) == (3, "")
    assert "does not respond" in result.err


def test_requests_queued_for_another_service_are_only_counted(
    by_proxy: dict[str, str], reached: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    assert ofc("queue", "flush", **reached).text == (
        f"No requests wait.\n1 request for {proxy.url}: give its address with --url."
    )
    assert numbers_of(client, round_id) == []


@pytest.mark.parametrize("kind", ["read", "done"])
@pytest.mark.parametrize("found", [{"tables": [{}]}, {"tables": [7]}, {"number": 1, "round": {}}], ids=str)
def test_a_hand_is_stored_if_another_server_responds(
    by_proxy: dict[str, str], proxy: Proxy, table: str, kind: str, found: object
) -> None:
    open_evening(by_proxy, table)
    setattr(proxy, kind, [(200, json.dumps(found).encode())])
    result = add_hand(by_proxy, table, button=1, waits=True)
    assert "which is not a response of Tablestakes; is the address right?" in result.out
    assert waiting(by_proxy) == ["record_hand"]


@pytest.mark.parametrize("kind", ["read", "done"])
def test_a_hand_is_stored_if_the_service_fails(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, kind: str
) -> None:
    """Where it reads, and where it does what was waiting."""
    round_id = open_evening(by_proxy, table)
    if kind == "done":
        proxy.way = Way.AWAY
        add_hand(by_proxy, table, button=1, waits=True)
        proxy.way = Way.THROUGH
    problem = {"title": "No", "status": 500, "code": "internal-error", "detail": "the disk is full", "errors": []}
    setattr(proxy, kind, [(500, json.dumps(problem).encode())])
    result = add_hand(by_proxy, table, button=2 if kind == "done" else 1, waits=True)
    assert result.out.endswith(f"`ofc queue flush` sends it: {proxy.url} is not available: the disk is full.\n")
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert numbers_of(client, round_id) == ([1, 2] if kind == "done" else [1])


# --- what is shown, while something waits ---


def test_the_output_reports_queued_requests(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    proxy.way = Way.THROUGH
    shown = [["table", "statement", table], ["round", "show", table], ["round", "settlement", round_id]]
    for result in [ofc(*command, **by_proxy) for command in shown] + [ofc(*shown[0], "--json", **by_proxy)]:
        assert result.code == 0
        assert result.err in [
            f"1 request for this {it} waits: `ofc queue flush` sends it\n" for it in ("table", "round")
        ]
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=2, waits=True)
    proxy.way = Way.THROUGH
    notice = "2 requests for this table wait: `ofc queue flush` sends them\n"
    assert ofc("table", "statement", table, "--json", **by_proxy).err == notice
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert [ofc(*command, **by_proxy).err for command in shown] == [""] * 3


def test_a_settlement_is_not_confirmed_while_its_round_has_queued_requests(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = keep_undo(by_proxy, proxy, table)
    result = ofc("round", "confirm", table, "ann", "ben", "cyd", **by_proxy)
    assert (result.code, result.out) == (2, "")
    notice = "1 request for this round waits: `ofc queue flush` sends it"
    assert result.err == f"Error: {notice}; expected no waiting requests before a settlement is confirmed\n"
    assert client.get_settlement(round_id)["confirmed"] == []


def test_reading_creates_no_outbox(by_proxy: dict[str, str], table: str, tmp_path: Path) -> None:
    open_evening(by_proxy, table)
    nowhere = tmp_path / "nowhere"
    for command in (["table", "statement", table], ["round", "show", table]):
        assert ofc("--data", nowhere, *command, **by_proxy).code == 0
    assert not nowhere.exists()


# --- what is stored, and where ---


def test_no_key_is_stored(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    key = Path(by_proxy["OFC_API_KEY_FILE"]).read_text().strip()
    open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    directory = Path(by_proxy["OFC_DATA"])
    assert directory.stat().st_mode & 0o077 == 0
    for path in directory.iterdir():
        assert path.stat().st_mode & 0o077 == 0
        assert key.encode() not in path.read_bytes()
    with Client("http://ann:secret@ofc.example:8000/club/") as client:
        assert client.server == "http://ofc.example:8000/club"


def test_the_outbox_directory_can_be_configured(
    by_proxy: dict[str, str], proxy: Proxy, table: str, tmp_path: Path
) -> None:
    here = ["--data", str(tmp_path / "here")]
    open_evening(by_proxy, table)
    add_hand(by_proxy, table, button=1)
    assert ofc(*here, "undo", table, "--yes", **by_proxy).code == 0
    proxy.way = Way.AWAY
    assert is_saved(ofc(*here, "hand", "add", table, *given(*PLAIN, button=1), **by_proxy))
    assert waiting(by_proxy) == []
    assert f"hand 1 at {table}" in ofc(*here, "queue", "list", **by_proxy).out
