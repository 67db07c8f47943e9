"""The outbox: what could not be sent waits, in order, and is done once; whatever is cut, killed or refused."""

import json
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina

from client.api import Client
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import COMMAND, CommandResult, clean_environment, ofc
from tests.support.client.table_setup import PLAIN, WORKED, add_hand, given, is_saved, numbers_of, open_evening
from tests.support.sample_rounds import HIGH, LOW, MID, REST, hand


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


def start(*arguments: str, **variables: str) -> "subprocess.Popen[str]":
    """Start `ofc` in a process of its own."""
    return subprocess.Popen(
        [*COMMAND, *arguments],
        env=clean_environment(**variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process: "subprocess.Popen[str]") -> CommandResult:
    out, err = process.communicate(timeout=60)
    return CommandResult(process.returncode, out, err)


def waiting(by_proxy: dict[str, str]) -> list[str]:
    """What waits: the number and the operation of each request, and why it was refused."""
    said = ofc("queue", "list", "--json", **by_proxy).document["waiting"]
    return [" ".join(filter(None, (e["operation"], (e["problem"] or {}).get("code")))) for e in said]


# --- without a network ---


def test_a_hand_is_validated_shown_and_stored_offline(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table, "ann=3", "ben=50", "cyd=50")
    there = ofc("hand", "add", table, *given(*WORKED, button=3), "--json", **by_proxy)
    ofc("undo", table, "--yes", **by_proxy)
    proxy.way = Way.AWAY
    said = add_hand(by_proxy, table, *WORKED, button=3, waits=True)
    assert "The service does not respond. This is the result by the same rules" in said.out
    shown = there.err.partition("Boards")[2]
    assert said.out.partition("Boards")[2].partition("Saved")[0].strip() == shown.partition("Recorded")[0].strip()
    assert (
        f"\nSaved on this machine; 1 hand waits to be sent.\n`ofc queue flush` sends it: {proxy.url} does" in said.out
    )
    assert said.err == ""
    assert numbers_of(client, round_id) == []
    assert waiting(by_proxy) == ["record_hand"]


def test_an_invalid_hand_is_refused_offline(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    open_evening(by_proxy, table)
    add_hand(by_proxy, table, button=1)
    proxy.way = Way.AWAY
    said = ofc("hand", "add", table, *given(*PLAIN, button=1), **by_proxy)
    assert (said.code, said.out) == (1, "")
    assert "#/button  the button is in seat 1; expected seat 2" in said.err
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
    asked = command.replace("TABLE", table).split(" ")
    there = ofc(*asked, **by_proxy)
    proxy.way = Way.AWAY
    here = ofc(*asked, **by_proxy)
    assert (there.code, here.code) == (1, 1), here
    assert f"({code})" in here.err
    assert here.err == there.err
    assert waiting(by_proxy) == []


def test_an_invalid_time_is_refused_offline(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    said = ofc("hand", "add", table, *given(*PLAIN, button=1), "--played-at", "yesterday", **by_proxy)
    assert (said.code, said.out) == (1, "")
    assert "#/played_at  " in said.err
    assert waiting(by_proxy) == []


def test_a_round_with_a_queued_closing_is_not_undone(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    open_evening(by_proxy, table)
    add_hand(by_proxy, table, button=1)
    proxy.way = Way.AWAY
    assert is_saved(ofc("round", "close", table, "--reason", "late", "--yes", **by_proxy))
    said = ofc("undo", table, "--yes", **by_proxy)
    assert said.code == 1
    assert "the round was closed after hand 1; none of its hands can be undone" in said.err
    assert waiting(by_proxy) == ["close_round"]


def test_a_queued_request_that_became_invalid_is_reported(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    open_evening(by_proxy, table, ruleset="pineapple-qq")
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    assert is_saved(ofc("round", "leave", table, "ann", **by_proxy))
    assert ofc("queue", "drop", "1", "--yes", **by_proxy).code == 0
    said = ofc("hand", "add", table, **by_proxy)
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("outbox 2: Invalid round (round-invalid)\n")
    assert "`ofc queue drop 2` drops it" in said.err


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
    ]  # fmt: skip
    assert ofc("queue", "flush", **by_proxy).code == 3
    proxy.way = Way.THROUGH
    said = ofc("queue", "flush", **by_proxy)
    assert said.code == 0
    assert said.text.splitlines()[-2:] == [f"Sent: hand 3 at {table}.", "No requests wait."]
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
    said = add_hand(by_proxy, table)
    assert said.out.startswith(f"Sent: hand 1 at {table}.\n\nHand 2 · button ben")
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
    said = ofc("round", "open", table, "ann", "cyd", **by_proxy)
    assert said.code == 0, said
    assert said.out.startswith(f"Sent: hand 3 at {table}.\n")
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
    said = ofc("round", "open", table, "ann", "cyd", "--json", **by_proxy)
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith(f"Sent: undo of hand 3 at {table}.\n")
    assert "(round-open)" in said.err
    assert numbers_of(client, round_id) == [1, 2]


def test_no_round_is_opened_while_queued_requests_get_no_response(
    by_proxy: dict[str, str], proxy: Proxy, table: str
) -> None:
    open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    proxy.way = Way.LOSES_ANSWERS
    said = ofc("round", "open", table, "ann", "cyd", **by_proxy)
    assert (said.code, said.out) == (1, "")
    assert "(round-open)" in said.err
    assert waiting(by_proxy) == ["record_hand"]


def test_a_table_not_in_the_cache_needs_the_service(by_proxy: dict[str, str], proxy: Proxy) -> None:
    proxy.way = Way.AWAY
    said = ofc("hand", "add", "nowhere", *given(*PLAIN, button=1), **by_proxy)
    assert (said.code, said.out) == (3, "")
    assert "does not respond" in said.err


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


@pytest.mark.parametrize("asked", ["read", "done"])
@pytest.mark.parametrize("found", [{"tables": [{}]}, {"tables": [7]}, {"number": 1, "round": {}}], ids=str)
def test_a_hand_is_stored_if_another_server_responds(
    by_proxy: dict[str, str], proxy: Proxy, table: str, asked: str, found: object
) -> None:
    open_evening(by_proxy, table)
    setattr(proxy, asked, [(200, json.dumps(found).encode())])
    said = add_hand(by_proxy, table, button=1, waits=True)
    assert "which is not a response of Tablestakes; is the address right?" in said.out
    assert waiting(by_proxy) == ["record_hand"]


@pytest.mark.parametrize("asked", ["read", "done"])
def test_a_hand_is_stored_if_the_service_fails(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, asked: str
) -> None:
    """Where it reads, and where it does what was waiting."""
    round_id = open_evening(by_proxy, table)
    if asked == "done":
        proxy.way = Way.AWAY
        add_hand(by_proxy, table, button=1, waits=True)
        proxy.way = Way.THROUGH
    problem = {"title": "No", "status": 500, "code": "internal-error", "detail": "the disk is full", "errors": []}
    setattr(proxy, asked, [(500, json.dumps(problem).encode())])
    said = add_hand(by_proxy, table, button=2 if asked == "done" else 1, waits=True)
    assert said.out.endswith(f"`ofc queue flush` sends it: {proxy.url} is not available: the disk is full.\n")
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert numbers_of(client, round_id) == ([1, 2] if asked == "done" else [1])


# --- what is shown, while something waits ---


def test_the_output_reports_queued_requests(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    proxy.way = Way.THROUGH
    shown = [["table", "statement", table], ["round", "show", table], ["round", "settlement", round_id]]
    for said in [ofc(*command, **by_proxy) for command in shown] + [ofc(*shown[0], "--json", **by_proxy)]:
        assert said.code == 0
        assert said.err in [f"1 request for this {it} waits: `ofc queue flush` sends it\n" for it in ("table", "round")]
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
    said = ofc("round", "confirm", table, "ann", "ben", "cyd", **by_proxy)
    assert (said.code, said.out) == (2, "")
    notice = "1 request for this round waits: `ofc queue flush` sends it"
    assert said.err == f"Error: {notice}; expected no waiting requests before a settlement is confirmed\n"
    assert client.get_settlement(round_id)["confirmed"] == []


def test_reading_creates_no_outbox(by_proxy: dict[str, str], table: str, tmp_path: Path) -> None:
    open_evening(by_proxy, table)
    nowhere = tmp_path / "nowhere"
    for command in (["table", "statement", table], ["round", "show", table]):
        assert ofc("--data", nowhere, *command, **by_proxy).code == 0
    assert not nowhere.exists()


# --- cut, killed, twice at once ---


def test_a_response_lost_after_the_commit_records_one_hand(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.LOSES_ANSWERS
    add_hand(by_proxy, table, button=1, waits=True)
    assert numbers_of(client, round_id) == [1]
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1]
    hands = [change for change in proxy.changes if change[0].endswith("/hands")]
    assert len(hands) > 1
    assert len(set(hands)) == 1
    assert waiting(by_proxy) == []


@pytest.mark.parametrize("way", [Way.HOLDS_REQUESTS, Way.HOLDS_ANSWERS], ids=["before", "after"])
def test_a_kill_before_or_after_the_commit_records_one_hand(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, way: Way
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = way
    process = start("hand", "add", table, *given(*PLAIN, button=1), **by_proxy)
    assert proxy.held.wait(30)
    _path, key, body = proxy.changes[-1]
    with sqlite3.connect(Path(by_proxy["OFC_DATA"]) / "outbox.sqlite3") as kept:
        assert kept.execute("SELECT key, body FROM entries").fetchall() == [(key, body)]
    kept.close()
    process.send_signal(signal.SIGKILL)
    assert ended(process).code == -signal.SIGKILL
    assert numbers_of(client, round_id) == ([] if way is Way.HOLDS_REQUESTS else [1])
    proxy.released.set()
    proxy.way = Way.THROUGH
    said = ofc("queue", "flush", **by_proxy)
    assert (said.code, said.text) == (0, f"Sent: hand 1 at {table}.\nNo requests wait.")
    assert numbers_of(client, round_id) == [1]
    assert proxy.changes[-1] == (f"/v1/rounds/{round_id}/hands", key, body)


def test_an_interrupted_request_stays_in_the_outbox(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.HOLDS_REQUESTS
    process = start("hand", "add", table, *given(*PLAIN, button=1), **by_proxy)
    assert proxy.held.wait(30)
    process.send_signal(signal.SIGINT)
    said = ended(process)
    assert said.code == 130
    assert "Stopped; it waits in the outbox as 1, and `ofc queue flush` sends it.\n" in said.out
    assert waiting(by_proxy) == ["record_hand"]
    assert numbers_of(client, round_id) == []


def test_two_processes_that_record_the_same_number_record_one_hand(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.delay = 0.5
    hands = [given(*PLAIN, button=1), given(*reversed(PLAIN), button=1)]
    both = [ended(process) for process in [start("hand", "add", table, *hand, **by_proxy) for hand in hands]]
    assert sorted(said.code for said in both) == [0, 1], both
    assert numbers_of(client, round_id) == [1]
    assert waiting(by_proxy) == []


def test_two_processes_that_send_at_once_send_each_hand_once_in_order(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    for button in (1, 2, 3):
        add_hand(by_proxy, table, button=button, waits=True)
    proxy.way, proxy.delay = Way.THROUGH, 0.3
    proxy.changes.clear()
    both = [ended(process) for process in [start("queue", "flush", **by_proxy) for _ in range(2)]]
    assert [said.code for said in both] == [0, 0]
    sent = [line for said in both for line in said.out.splitlines() if line.startswith("Sent")]
    assert sorted(sent) == [f"Sent: hand {number} at {table}." for number in (1, 2, 3)]
    assert [json.loads(body)["number"] for _path, _key, body in proxy.changes] == [1, 2, 3]
    assert numbers_of(client, round_id) == [1, 2, 3]


def test_a_second_sender_waits_for_the_first(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    proxy.way = Way.HOLDS_REQUESTS
    stuck = start("queue", "flush", **by_proxy)
    assert proxy.held.wait(30)
    proxy.way = Way.THROUGH
    other = start("queue", "flush", **by_proxy)
    with pytest.raises(subprocess.TimeoutExpired):
        other.wait(1.5)
    assert numbers_of(client, round_id) == []
    stuck.send_signal(signal.SIGKILL)
    assert ended(stuck).code == -signal.SIGKILL
    assert ended(other).code == 0
    assert numbers_of(client, round_id) == [1]


# --- something else answers ---


def strange(round_id: str) -> list[object]:
    """Answers of something between that speaks JSON too: none of them says that anything was done."""
    hand = {"id": "1", "number": 1, "in_force": True, "round": {"id": round_id}}
    wrong: list[dict[str, object]] = [
        {"id": 1},
        {"number": 2},
        {"in_force": None},
        {"round": [round_id]},
        {"round": {}},
    ]
    return [{"ok": True}, {"tables": [{}]}, {"id": [round_id]}, *({**hand, **one} for one in wrong)]


def test_a_request_refused_by_another_server_stays_in_the_outbox(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    proxy.way = Way.THROUGH
    for answer in strange(round_id):
        proxy.done = [(200, json.dumps(answer).encode())]
        said = ofc("queue", "flush", **by_proxy)
        assert said.code == 3, answer
        assert "which is not a response of Tablestakes; is the address right?" in said.err
        assert waiting(by_proxy) == ["record_hand"]
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1]


@pytest.mark.parametrize(
    ("command", "options"),
    [(["undo"], ["--yes"]), (["round", "leave"], ["ann"]), (["round", "close"], ["--reason", "late", "--yes"])],
    ids=["undo", "leave", "close"],
)
def test_a_change_refused_by_another_server_stays_in_the_outbox(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, command: list[str], options: list[str]
) -> None:
    round_id = open_evening(by_proxy, table, ruleset="pineapple-qq")
    add_hand(by_proxy, table, button=1)
    before = client.get_round(round_id)
    proxy.way = Way.AWAY
    assert is_saved(ofc(*command, table, *options, **by_proxy))
    [kept] = waiting(by_proxy)
    proxy.way = Way.THROUGH
    for answer in strange(round_id):
        proxy.done = [(201, json.dumps(answer).encode())]
        assert ofc("queue", "flush", **by_proxy).code == 3, answer
        assert waiting(by_proxy) == [kept]
    assert client.get_round(round_id) == before
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert client.get_round(round_id) != before


# --- refused ---


@pytest.fixture
def refused(by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str) -> tuple[str, str]:
    """Two rounds for which two hands each wait; of the first one somebody else records another first hand."""
    rounds = open_evening(by_proxy, f"{table}-1"), open_evening(by_proxy, f"{table}-2")
    proxy.way = Way.AWAY
    for button in (1, 2):
        for number in (1, 2):
            add_hand(by_proxy, f"{table}-{number}", button=button, waits=True)
    client.record_hand(rounds[0], hand(1, 3, {1: MID, 2: HIGH, 3: LOW}))
    proxy.way = Way.THROUGH
    return rounds


def test_a_refusal_stops_only_its_round(
    by_proxy: dict[str, str], client: Client, table: str, refused: tuple[str, str]
) -> None:
    said = ofc("queue", "flush", **by_proxy)
    assert said.code == 1
    lines = said.text.splitlines()
    assert lines[:2] == [f"Sent: hand 1 at {table}-2.", f"Sent: hand 2 at {table}-2."]
    assert lines[2].startswith(f"1  hand 1 at {table}-1, round ")
    assert lines[3] == "   refused: Hand number conflict (hand-conflict)"
    assert "#/button  3 is recorded, 1 was received" in said.text
    assert "Both boards" in lines
    assert "   `ofc queue drop 1` drops it; `ofc queue flush` tries it again" in lines
    assert lines[-1] == "   waits behind a refused request"
    assert [numbers_of(client, round_id) for round_id in refused] == [[1], [1, 2]]
    stopped = ofc("hand", "add", f"{table}-1", **by_proxy)
    assert stopped.code == 1
    assert stopped.err.startswith("outbox 1: Hand number conflict (hand-conflict)\n")
    assert stopped.err.endswith("`ofc queue drop 1` drops it; `ofc queue flush` tries it again.\n")
    stopped = ofc("round", "open", f"{table}-1", "ann=9", "ben=9", **by_proxy)
    assert stopped.code == 1
    assert stopped.err.startswith("outbox 1: Hand number conflict (hand-conflict)\n")
    assert waiting(by_proxy) == ["record_hand hand-conflict", "record_hand"]


def test_a_refused_request_is_dropped_or_retried(
    by_proxy: dict[str, str], client: Client, refused: tuple[str, str]
) -> None:
    ofc("queue", "flush", **by_proxy)
    assert ofc("queue", "drop", "1", text="no\n", **by_proxy).out == "Nothing was dropped.\n"
    client.undo_hand(refused[0], {"number": 1})
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert [numbers_of(client, round_id) for round_id in refused] == [[1, 2], [1, 2]]


def test_a_dropped_request_is_never_sent(by_proxy: dict[str, str], client: Client, refused: tuple[str, str]) -> None:
    ofc("queue", "flush", **by_proxy)
    for number in ("1", "3"):
        assert ofc("queue", "drop", number, "--yes", **by_proxy).out.startswith("Dropped: hand ")
    assert ofc("queue", "flush", **by_proxy).text == "No requests wait."
    assert numbers_of(client, refused[0]) == [1]
    gone = ofc("queue", "drop", "1", "--yes", **by_proxy)
    assert gone.code == 2
    assert "Error: no request 1 waits for " in gone.err


def test_a_wrong_key_refuses_no_queued_request(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, tmp_path: Path
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    proxy.way = Way.THROUGH
    wrong = tmp_path / "wrong-key"
    wrong.write_text("ofc_nobodys")
    said = ofc("queue", "flush", **{**by_proxy, "OFC_API_KEY_FILE": str(wrong)})
    assert said.code == 1
    assert "(key-unknown)" in said.err
    assert waiting(by_proxy) == ["record_hand"]
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1]


@pytest.mark.parametrize(
    ("status", "code", "times", "left"),
    [(500, "internal-error", 1, "record_hand internal-error"), (409, "busy", 4, "record_hand")],
)
def test_a_failing_service_removes_nothing_from_the_outbox(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, status: int, code: str, times: int, left: str
) -> None:
    rounds = [open_evening(by_proxy, f"{table}-{number}") for number in (1, 2)]
    problem = {"title": "No", "status": status, "code": code, "detail": "not now", "errors": []}
    proxy.done = [(status, json.dumps(problem).encode())] * times
    said = ofc("hand", "add", f"{table}-1", *given(*PLAIN, button=1), **by_proxy)
    assert said.code == 1
    assert said.out.endswith("Not sent; it waits in the outbox as 1, and `ofc queue flush` sends it.\n")
    assert waiting(by_proxy) == [left]
    proxy.way = Way.AWAY
    add_hand(by_proxy, f"{table}-2", button=1, waits=True)
    proxy.way, proxy.done = Way.THROUGH, [(status, json.dumps(problem).encode())] * times
    ofc("queue", "flush", **by_proxy)
    assert [numbers_of(client, round_id) for round_id in rounds] == [[], [1]]
    assert ofc("queue", "flush", **by_proxy).code == 0
    assert [numbers_of(client, round_id) for round_id in rounds] == [[1], [1]]


def test_requests_not_sent_because_the_service_is_busy_are_reported(
    by_proxy: dict[str, str], proxy: Proxy, table: str
) -> None:
    for name in (f"{table}-1", f"{table}-2"):
        open_evening(by_proxy, name)
    proxy.way = Way.AWAY
    for name in (f"{table}-1", f"{table}-2"):
        add_hand(by_proxy, name, button=1, waits=True)
    problem = {"title": "No", "status": 409, "code": "busy", "detail": "somebody else is changing the same round"}
    proxy.way, proxy.done = Way.THROUGH, [(409, json.dumps(problem).encode())] * 4
    said = ofc("queue", "flush", **by_proxy)
    assert said.code == 3
    assert said.err == (
        f"Error: {proxy.url} could not accept all waiting requests: somebody else is changing the same round\n"
    )
    sent, waits = said.out.splitlines()
    assert sent == f"Sent: hand 1 at {table}-2."
    assert waits.startswith(f"1  hand 1 at {table}-1, round ")
    assert ofc("queue", "flush", **by_proxy).code == 0


def test_a_queued_hand_that_was_undone_counts_only_on_request(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    ofc("hand", "add", table, *given(*PLAIN, button=1), "--played-at", "2026-11-20T21:00:00Z", **by_proxy)
    proxy.way = Way.AWAY
    assert is_saved(ofc("undo", table, "--yes", **by_proxy))
    again = ofc("hand", "add", table, *given(*PLAIN, button=1), "--played-at", "2026-11-20T21:00:00Z", **by_proxy)
    assert is_saved(again)
    assert "is not a hand that was undone" in ofc("queue", "restore", "3", **by_proxy).err
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 1
    assert waiting(by_proxy) == ["record_hand hand-withdrawn"]
    assert "`ofc queue restore 3` restores it" in ofc("queue", "list", **by_proxy).out
    assert numbers_of(client, round_id) == []
    assert ofc("queue", "restore", "3", **by_proxy).text == f"Sent: hand 1 at {table}."
    assert numbers_of(client, round_id) == [1]


# --- undone while it waits, or while somebody else goes on ---


@pytest.mark.parametrize("is_own", [True, False], ids=["own", "seen"])
def test_a_queued_undo_removes_no_hand_recorded_since(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str, is_own: bool
) -> None:
    round_id = open_evening(by_proxy, table)
    if is_own:
        add_hand(by_proxy, table, button=1)
    else:
        client.record_hand(round_id, hand(1, 1, {1: HIGH, 2: MID, 3: LOW}))
        ofc("undo", table, text="no\n", **by_proxy)
    proxy.way = Way.AWAY
    assert is_saved(ofc("undo", table, "--yes", **by_proxy))
    client.undo_hand(round_id, {"number": 1})
    others = client.record_hand(round_id, hand(1, 3, {1: MID, 2: HIGH, 3: LOW}))
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).text == f"Sent: undo of hand 1 at {table}.\nNo requests wait."
    assert [recorded["id"] for recorded in client.list_hands(round_id)] == [others["id"]]


def test_an_undo_of_a_queued_hand_has_its_record(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    assert is_saved(ofc("undo", table, "--reason", "wrong cards", "--yes", **by_proxy))
    add_hand(by_proxy, table, HIGH, LOW, MID, button=1, waits=True)
    assert is_saved(ofc("undo", table, "--yes", **by_proxy))
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 0
    undone = [json.loads(body) for path, _key, body in proxy.changes if path.endswith("/undo")]
    records = [next(client.list_hands(round_id, revision))["id"] for revision in (1, 2)]
    assert undone == [
        {"number": 1, "reason": "wrong cards", "hand": records[0]},
        {"number": 1, "hand": records[1]},
    ]
    assert numbers_of(client, round_id) == []


def test_dropping_a_hand_drops_its_undo(by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str) -> None:
    round_id = open_evening(by_proxy, table, ruleset="pineapple-qq")
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    assert is_saved(ofc("round", "leave", table, "ann", **by_proxy))
    assert is_saved(ofc("undo", table, "--yes", **by_proxy))
    add_hand(by_proxy, table, HIGH, LOW, MID, button=1, waits=True)
    others = client.record_hand(round_id, hand(1, 3, {1: MID, 2: HIGH, 3: LOW}))
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 1
    first, *along = f"hand 1 at {table}", f"departure from seat 1 at {table}", f"undo of hand 1 at {table}"
    asked = ofc("queue", "drop", "1", text="no\n", **by_proxy)
    assert asked.err == f"Drop {first}, and with it {', '.join(along)}? [yes/no]\n"
    said = ofc("queue", "drop", "1", "--yes", **by_proxy)
    assert said.text.splitlines() == [f"Dropped: {what}." for what in (first, *along)]
    assert ofc("queue", "flush", **by_proxy).code == 1
    assert waiting(by_proxy) == ["record_hand hand-conflict"]
    assert [recorded["id"] for recorded in client.list_hands(round_id)] == [others["id"]]


def test_dropping_an_undo_leaves_the_hands(by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    add_hand(by_proxy, table, button=1, waits=True)
    assert is_saved(ofc("undo", table, "--yes", **by_proxy))
    add_hand(by_proxy, table, HIGH, LOW, MID, button=1, waits=True)
    assert is_saved(ofc("undo", table, "--yes", **by_proxy))
    assert ofc("queue", "drop", "2", "--yes", **by_proxy).text == f"Dropped: undo of hand 1 at {table}."
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 1
    assert waiting(by_proxy) == ["record_hand hand-conflict", "undo_hand"]
    assert len(ofc("queue", "drop", "3", "--yes", **by_proxy).text.splitlines()) == 2
    assert waiting(by_proxy) == []
    assert numbers_of(client, round_id) == [1]


def test_a_hand_with_an_unknown_record_is_undone_once_the_service_responds(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    """The outbox of an older `ofc` knows no records."""
    round_id = open_evening(by_proxy, table)
    add_hand(by_proxy, table, button=1)
    with sqlite3.connect(Path(by_proxy["OFC_DATA"]) / "outbox.sqlite3") as older:
        for column in ("rounds DROP COLUMN records", "rounds DROP COLUMN answer", "rounds DROP COLUMN answered_at"):
            older.execute(f"ALTER TABLE {column}")
        older.execute("ALTER TABLE entries DROP COLUMN table_id")
        for table_ in ("tables", "recomputations"):
            older.execute(f"DROP TABLE {table_}")
        older.execute("PRAGMA user_version = 1")
    older.close()
    proxy.way = Way.AWAY
    said = ofc("undo", table, "--yes", **by_proxy)
    assert said.code == 2
    assert said.err.startswith("Error: the service has not confirmed the record of hand 1 yet; ")
    assert waiting(by_proxy) == []
    proxy.way = Way.THROUGH
    assert ofc("undo", table, "--yes", **by_proxy).code == 0
    assert numbers_of(client, round_id) == []


# --- what is kept, and where ---


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
