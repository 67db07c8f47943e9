"""The help of every command, and the commands that it shows."""

import gzip
import json
import shlex
import subprocess
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import click
import pytest

from client.api import Client
from client.cli import main
from client.commands.administration import (
    EXAMPLE_DELIVERY,
    EXAMPLE_JOB,
    EXAMPLE_LINK,
    EXAMPLE_LINK_ADDRESS,
    EXAMPLE_WEBHOOK,
)
from client.commands.base import Command, Group
from client.commands.checkpoints import EXAMPLE_ADDRESS
from client.commands.corrections import EXAMPLE_PROPOSAL
from client.commands.disputes import EXAMPLE_ID as EXAMPLE_DISPUTE
from client.commands.explain import EXAMPLE_HAND_ID
from client.commands.keys import EXAMPLE_PREFIX
from client.commands.money import EXAMPLE_ENTRY
from client.commands.rounds import EXAMPLE_ID
from client.offline.verify import write_hand_proof
from client.offline.witness.configuration import make_witness_key
from evidence import read_note
from tests.client.conftest import key_file
from tests.evidence.releases import newest_evidence
from tests.support.client.run_ofc import EXAMPLES, CommandResult, clean_environment, ofc, read_example, write
from tests.support.client.table_setup import PLAIN, add_hand, reply_lines
from tests.support.server_process import Running, command


def every_command(
    command: click.Command, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, Group):
        for name in dict.fromkeys((*command.commands, *command.lazy_commands)):
            inner = command.get_command(click.Context(command), name)
            assert inner is not None
            yield from every_command(inner, (*path, name))


COMMANDS = dict(every_command(main))
SHOWN = list(
    dict.fromkeys(
        example for command in COMMANDS.values() if isinstance(command, Command) for example in command.examples
    )
)


def test_these_are_all_the_commands() -> None:
    assert {" ".join(path) for path in COMMANDS} == {
        "", "api", "score", "verify", "post", "table", "table create", "table list", "table statement", "table update",
        "hand", "hand add", "hand correct", "hand explain", "hand find", "hand show", "hand update",
        "imports", "recompute list", "undo",
        "round", "round open", "round leave", "round close", "round show", "round list", "round settlement",
        "round update", "round hands", "round document", "round confirm", "round correct",
        "round what-if", "round explain",
        "round evidence", "link", "link table", "link round", "link phone", "link list",
        "link revoke",
        "dispute", "dispute open", "dispute list", "dispute show", "dispute comment", "dispute review",
        "dispute resolve", "dispute withdraw",
        "proposal", "proposal list", "proposal show", "proposal confirm", "proposal withdraw",
        "ruleset", "ruleset list", "ruleset show", "ruleset diff", "export", "import", "convert", "formats",
        "recompute", "recompute start", "recompute status", "recompute watch", "recompute differences",
        "recompute cancel", "recompute pause", "recompute resume",
        "checkpoint", "checkpoint make", "checkpoint list", "checkpoint show", "checkpoint keys",
        "checkpoint prove-consistency", "checkpoint prove-inclusion",
        "witness", "witness create-key", "witness serve", "witness watch", "witness conflicts",
        "key", "key create", "key list", "key revoke",
        "events", "ledger", "balances", "unit", "unit define", "units",
        "payment", "payment record", "payment reverse", "charge", "charge record",
        "payment claim", "payment claims", "payment confirm", "payment decline", "payment withdraw",
        "charge reverse", "player", "player list", "player show", "player join", "player part",
        "player name", "player erase", "text", "text erase",
        "statement", "statistics", "plot", "completion", "console",
        "webhook", "webhook add", "webhook list", "webhook show", "webhook update", "webhook remove", "webhook test",
        "webhook secret", "webhook secret show", "webhook secret rotate", "webhook deliveries", "webhook redeliver",
    }  # as a table  # fmt: skip


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: " ".join(path) or "ofc")
def test_every_command_has_help_with_examples(path: tuple[str, ...]) -> None:
    result = ofc(*path, "--help")
    assert ofc(*path, "-h") == result
    assert result.code == 0
    assert result.out.startswith(f"Usage: {' '.join(('main', *path))}")
    command = COMMANDS[path]
    assert isinstance(command, Command)
    assert command.examples
    assert result.out.endswith("Examples:\n" + "".join(f"  {example}\n" for example in command.examples))
    assert "\\b" not in result.out
    assert "..." not in "".join(line for line in result.out.splitlines() if not line.startswith("Usage"))
    assert max(map(len, result.out.splitlines())) <= 100


@pytest.mark.parametrize("path", [path for path in COMMANDS if isinstance(COMMANDS[path], Group)], ids=str)
def test_help_of_commands_is_the_same_before_they_are_imported(path: tuple[str, ...]) -> None:
    for name, (_, says) in COMMANDS[path].lazy_commands.items():
        command = COMMANDS[(*path, name)]
        assert (command.name, command.get_short_help_str(100)) == (name, says)


def test_help_imports_no_command_and_no_http_library() -> None:
    loads = "import sys; from client.cli import main; main(['--help'], standalone_mode=False); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", loads], capture_output=True, text=True, check=True).stdout.split()
    assert "client.commands.base" in loaded
    assert not {"client.commands.score", "client.connection", "httpx2", "rich", "schemas"} & {*loaded}


def test_without_a_command_the_help_is_printed() -> None:
    result = ofc()
    assert result.code == 2
    assert "Examples:\n  ofc score examples/score.json\n" in result.out + result.err


def test_the_version_is_printed() -> None:
    assert ofc("--version").out.startswith("ofc, version ")


@pytest.fixture(scope="module")
def workplace(service: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which the examples can be run as they stand: the files and the round that they speak of."""
    directory = tmp_path_factory.mktemp("workplace")
    (directory / "examples").symlink_to(EXAMPLES)
    reached = {"OFC_URL": service.url, "OFC_API_KEY_FILE": str(key_file(service))}
    assert ofc("checkpoint", "make", "-o", directory / "older.checkpoint", **reached).code == 0
    write(directory, {**read_example("turbo"), "table": "kitchen", "reference": "thursday"}, "round.json")
    recorded = ofc("post", "--json", directory / "round.json", **reached).document["round"]
    assert ofc("checkpoint", "make", "-o", directory / "newer.checkpoint", **reached).code == 0
    line = json.dumps({**read_example("turbo"), "table": "elsewhere", "reference": "friday"})
    write(directory, f"{line}\n", "rounds.ndjson")
    (directory / "october.ndjson.gz").write_bytes(gzip.compress(line.encode()))
    (directory / "id").write_text(recorded["id"], encoding="utf-8")
    explained = ofc("round", "explain", recorded["id"], "--json", **reached).document["hands"]
    (directory / "hand").write_text(explained[0]["hand"], encoding="utf-8")
    (directory / "mine.json").write_text(ofc("ruleset", "show", "turbo", "--json", **reached).out, encoding="utf-8")
    write(directory, reply_lines("1", *PLAIN), "boards.txt")
    write(directory, {"round": recorded["id"], **read_example("turbo")["hands"][0]}, "hand-4-of-friday.json")
    for kind, name in (("json", "evidence.json"), ("key", "club.key"), ("checkpoint", "checkpoint.txt")):
        write(directory, newest_evidence(kind).read_text(encoding="utf-8"), name)
    write_witness(directory, service)
    amended = ofc("round", "document", recorded["id"], **reached).document
    amended["hands"][0]["played_at"] = "2026-11-20T20:15:00Z"
    write(directory, amended, "fixed.json")
    write(directory, [{"op": "replace", "path": "/hands/0/played_at", "value": "2026-11-20T20:00:00Z"}], "patch.json")
    return directory


def write_witness(directory: Path, service: Running) -> None:
    """Write a policy that demands no witness, the configuration of one, and the proof of a hand."""
    evidence = json.loads(newest_evidence("json").read_text(encoding="utf-8"))
    write(directory, f"log {newest_evidence('key').read_text(encoding='utf-8')}quorum none\n", "friends.policy")
    write(directory, write_hand_proof(evidence, 1), "hand-1.tlog-proof")
    with Client(service.url, key_file(service).read_text().strip()) as client:
        origin = read_note(client.get_checkpoint(client.make_checkpoint()["id"])).text.split("\n")[0]
        [key] = [each["verifier"] for each in client.list_checkpoint_keys()]
    make_witness_key(directory / "friend.key", "friend.example/witness")
    configuration = ['key_file = "friend.key"', 'database = "friend.sqlite"', 'listen = "127.0.0.1:0"']
    log = ["[[log]]", f'origin = "{origin}"', f'keys = ["{key}"]']
    write(directory, "\n".join([*configuration, *log]), "witness.toml")


def recompute(reached: dict[str, str], *, is_paused: bool, is_ended: bool) -> str:
    """
    Start a recomputation, and pause it before a worker has begun; who is too slow for that starts another.

    One that was begun may be done before it rests.
    """
    if is_ended:
        ended: str = ofc("recompute", "start", "--reason", "audit", "--watch", "--json", **reached).document["id"]
        return ended
    while True:
        job: str = ofc("recompute", "start", "--reason", "audit", "--json", **reached).document["id"]
        if not is_paused:
            return job
        paused = ofc("recompute", "pause", job, "--json", **reached)
        if paused.code == 0 and paused.document["started_at"] is None:
            return job


def record(reached: dict[str, str], workplace: Path) -> str:
    """Record a round of its own, which no other example disputes or corrects."""
    round_ = {**read_example("turbo"), "table": uuid4().hex, "reference": "friday"}
    recorded: str = ofc("post", "--json", write(workplace, round_, "own.json"), **reached).document["round"]["id"]
    return recorded


def dispute(reached: dict[str, str], workplace: Path, *, is_reviewed: bool) -> str:
    """Dispute a round that nobody has disputed or corrected yet."""
    opened = ofc(
        "dispute", "open", record(reached, workplace), "--claim", "no", "--by", "bob", "--yes", "--json", **reached
    )
    dispute_id: str = opened.document["id"]
    if is_reviewed:
        assert ofc("dispute", "review", dispute_id, "--by", "first", **reached).code == 0
    return dispute_id


def prepare(shown: str, table: str, reached: dict[str, str]) -> None:
    """Bring the table of the examples to where the command that is shown begins."""
    if " friday" not in shown or "table create" in shown:
        return
    assert ofc("table", "create", table, "--ruleset", "pineapple-qq", **reached).code == 0
    if "round open" in shown or "table update" in shown:
        return
    assert ofc("round", "open", table, "ann=200", "ben=200", "cyd=200", **reached).code == 0
    if "hand add" in shown:
        return
    add_hand(reached, table, button=1)
    if "--hand" in shown:
        assert ofc("checkpoint", "make", **reached).code == 0


def with_webhook(line: str, reached: dict[str, str]) -> str:
    """Add a webhook, in the place of those of other examples, and a message to it."""
    for listed in ofc("webhook", "list", "--json", **reached).document["webhooks"]:
        assert ofc("webhook", "remove", listed["id"], "--yes", **reached).code == 0
    added = ofc("webhook", "add", "https://club.example/hooks", "--kind", "hand.recorded", "--json", **reached).document
    line = line.replace(EXAMPLE_WEBHOOK, added["id"])
    if EXAMPLE_DELIVERY not in line:
        return line
    return line.replace(EXAMPLE_DELIVERY, ofc("webhook", "test", added["id"], "--json", **reached).document["id"])


def pay(reached: dict[str, str], line: str) -> str:
    """Record what the command ends or takes back: a payment, a charge or a claim, and return its ID."""
    words = ("payment", "record", "bob", "ann")
    if "charge" in line:
        words = ("charge", "record", "ann", "--reason", "room")
    elif "reverse" not in line:
        words = ("payment", "claim", "bob", "ann")
    recorded: str = ofc(*words, "--unit", "EUR", "--amount", "1", "--json", **reached).document["id"]
    return recorded


def propose(service: Running, reached: dict[str, str], workplace: Path) -> str:
    """Propose a correction of a round of its own with another key, and return its ID."""
    options = ("--club", "home", "--name", "other", "--data", str(service.directory))
    with Client(service.url, command("key", "create", *options).stdout.strip()) as client:
        round_ = client.get_round(record(reached, workplace))
        patch: Any = json.loads((workplace / "patch.json").read_text(encoding="utf-8"))
        correction = {"reason": "late", "version": round_["version"], "patch": patch}
        return client.propose_correction(round_["id"], correction)["id"]


@pytest.fixture
def no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open no browser on the machine of the tester."""
    monkeypatch.setattr(webbrowser, "open", lambda _address: True)


@pytest.mark.usefixtures("no_browser")
@pytest.mark.parametrize("shown", SHOWN)
def test_the_examples_work(
    service: Running,
    workplace: Path,
    reached: dict[str, str],
    table: str,
    shown: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    line = shown.replace("http://127.0.0.1:8000", service.url).replace("DIR", str(service.directory))
    if "dispute open" in shown:
        line = line.replace(EXAMPLE_ID, record(reached, workplace))
    line = line.replace(EXAMPLE_ID, (workplace / "id").read_text(encoding="utf-8"))
    if EXAMPLE_JOB in shown:
        is_paused, is_ended = "pause" in shown or "resume" in shown, "--apply-audit" in shown
        line = line.replace(EXAMPLE_JOB, recompute(reached, is_paused=is_paused, is_ended=is_ended))
    if EXAMPLE_DISPUTE in shown:
        line = line.replace(EXAMPLE_DISPUTE, dispute(reached, workplace, is_reviewed="resolve" in shown))
    line = line.replace(EXAMPLE_HAND_ID, (workplace / "hand").read_text(encoding="utf-8"))
    if EXAMPLE_ADDRESS in shown:
        signed = ofc("checkpoint", "list", "--json", **reached).document["checkpoints"]
        line = line.replace(EXAMPLE_ADDRESS, signed[0]["id"])
    if EXAMPLE_PREFIX in shown:
        process = command("key", "create", "--club", "home", "--json", "--data", str(service.directory))
        line = line.replace(EXAMPLE_PREFIX, json.loads(process.stdout)["prefix"])
    if " webhook " in shown:
        line = with_webhook(line, reached)
    if EXAMPLE_PROPOSAL in shown:
        line = line.replace(EXAMPLE_PROPOSAL, propose(service, reached, workplace))
    if EXAMPLE_ENTRY in shown:
        line = line.replace(EXAMPLE_ENTRY, pay(reached, shown))
    if "-o" in shown and "checkpoint" in shown:
        line = line.replace(" -o ", f" -o {table}-")
    if "--follow" in shown or "witness serve" in shown or ("witness watch" in shown and "--once" not in shown):
        # It goes on until somebody ends it, as Ctrl-C does.
        line = f"timeout -s INT --preserve-status 3 {line} || [ $? = 130 ]"
    prepare(shown, table, reached)
    if EXAMPLE_LINK in shown or EXAMPLE_LINK_ADDRESS in shown:
        issued = ofc("link", "table", "kitchen", "--json", **reached).document
        line = line.replace(EXAMPLE_LINK, issued["id"]).replace(EXAMPLE_LINK_ADDRESS, issued["url"])
    line = line.replace(" friday", f" {table}")
    typed = reply_lines(*PLAIN[1:], "yes") if "--seat" in shown else reply_lines("1", *PLAIN, "yes")
    monkeypatch.chdir(workplace)
    result = ofc(*shlex.split(line)[1:], text=typed, **reached) if is_alone(line) else in_a_shell(line, typed, reached)
    assert result.code == 0, result.err
    warns = any(name in shown for name in ("hand add", "link table ", "link round ", "link phone", "key create "))
    assert ("Error" in result.err, bool(result.err)) == (False, warns)


def is_alone(line: str) -> bool:
    """Whether a line is one command, which needs no shell, and so no process of its own."""
    return line.startswith("ofc ") and not set(line) & set("<>|&;$*?[~")


def in_a_shell(line: str, typed: str, reached: dict[str, str]) -> CommandResult:
    beside = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    run = subprocess.run(
        ["sh", "-c", line],
        env={**clean_environment(**reached), "PATH": beside},
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return CommandResult(run.returncode, run.stdout, run.stderr)
