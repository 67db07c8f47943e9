"""Completion of commands, options and names in bash, zsh and fish."""

import shutil
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import click
import pexpect
import pytest

from client.api import Client
from client.commands.completion import VARIABLE
from tests.client.test_help import COMMANDS
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import CommandResult, clean_environment, ofc
from tests.support.client.table_setup import open_evening
from tests.support.server_process import wait_until

OFC = Path(sys.executable).parent / "ofc"
PATH = f"{Path(sys.executable).parent}:/usr/bin:/bin"
BASH = """
eval "$(ofc completion bash)"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_ofc_completion ofc
printf '%s\\n' "${COMPREPLY[@]}"
"""
START = {
    "bash": (["--norc", "--noprofile", "-i"], 'eval "$(ofc completion bash)"; bind "set enable-bracketed-paste off"'),
    "zsh": (["-f", "-i"], 'autoload -Uz compinit; compinit -u -D; bindkey -e; eval "$(ofc completion zsh)"'),
}
INSTALLED = [shell for shell in START if shutil.which(shell)]


def protocol(shell: str, *words: str, **variables: str) -> CommandResult:
    """Run `ofc` as the script of a shell does."""
    line = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": words[-1] if shell == "fish" else str(len(words) - 1)}
    return complete(**line, **{VARIABLE: f"{shell}_complete"}, **variables)


def complete(**variables: str) -> CommandResult:
    run = subprocess.run([OFC], env=clean_environment(**variables), capture_output=True, timeout=60)
    return CommandResult(run.returncode, run.stdout.decode(), run.stderr.decode())


def completed(*words: str, **variables: str) -> list[str]:
    """Return what bash completes the last word to. Whatever `ofc` prints on stderr fails the test."""
    run = subprocess.run(
        ["bash", "--norc", "-c", BASH, "bash", *words],
        env={**clean_environment(**variables), "PATH": PATH},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.returncode, run.stderr) == (0, ""), run
    return run.stdout.split("\n")[:-1]


def test_bash_completes_commands_and_options() -> None:
    assert completed("ofc", "rou") == ["round"]
    assert completed("ofc", "link", "re") == ["revoke"]
    assert completed("ofc", "table", "create", "--poi") == ["--point-value"]
    assert completed("ofc", "completion", "") == ["bash", "zsh", "fish"]


def test_commands_are_completed_with_their_summaries_and_without_importing_them() -> None:
    assert (
        protocol("fish", "ofc", "led").out
        == "plain,ledger\tList the journal of the club: who owes whom, and who has paid.\n"
    )
    program = (
        "import sys, atexit, client.__main__; sys.argv[0] = 'ofc'; atexit.register(lambda: print(*sys.modules));"
        "client.__main__.main()"
    )
    line = clean_environment(COMP_WORDS="ofc", COMP_CWORD="1", **{VARIABLE: "bash_complete"})
    loaded = subprocess.run([sys.executable, "-c", program], env=line, capture_output=True, text=True, check=True)
    modules = loaded.stdout.split()
    assert {"plain,table", "client.commands.completion"} <= {*modules}
    assert not {"client.commands.rounds", "client.connection", "httpx2", "rich", "schemas"} & {*modules}


def eventually(expected: list[str], *words: str, **variables: str) -> bool:
    """Return whether the completions become the expected ones. A busy machine may respond too late at first."""
    return wait_until(lambda: completed(*words, **variables) == expected, seconds=60)


def test_names_are_completed_from_the_service(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table, f"ann-{table}=200", "ben=200", ruleset="turbo")
    assert eventually([table], "ofc", "hand", "add", table[:-3], **reached)
    assert eventually([table], "ofc", "ledger", "--table", table[:-3], **reached)
    assert eventually([round_id], "ofc", "round", "show", round_id[:-1], **reached)
    assert eventually([table], "ofc", "round", "show", table[:-3], **reached)
    assert eventually([f"ann-{table}"], "ofc", "round", "leave", table, "ann-", **reached)
    assert "pineapple-qq" in completed("ofc", "ruleset", "show", "pineapple", **reached)
    client.close_round(round_id, {"reason": "late"})
    opened = client.open_dispute({"round": round_id, "claim": "no", "by": "ben"})
    assert eventually([opened["id"]], "ofc", "dispute", "show", opened["id"][:-1], **reached)
    job = client.start_recomputation({"mode": "audit", "reason": "audit", "scope": {"rounds": [round_id]}})
    assert eventually([job["id"]], "ofc", "recompute", "status", job["id"][:-1], **reached)
    fish, zsh = ("ofc", "table", "statement", table), ("ofc", "round", "show", round_id)
    assert wait_until(lambda: protocol("fish", *fish, **reached).out == f"plain,{table}\tturbo@1\n", 60)
    assert wait_until(lambda: protocol("zsh", *zsh, **reached).out.startswith(f"plain\n{round_id}\n20"), 60)


@pytest.mark.parametrize("way", [Way.AWAY, Way.SILENT])
def test_nothing_is_completed_while_the_service_does_not_respond(
    by_proxy: dict[str, str], proxy: Proxy, table: str, way: Way
) -> None:
    open_evening(by_proxy, table)
    proxy.way = way
    assert completed("ofc", "hand", "add", "", **by_proxy) == [""]
    assert completed("ofc", "hand", "ad", **by_proxy) == ["add"]


@pytest.mark.parametrize(
    "variables",
    [
        {"OFC_URL": "not an address"},
        {"OFC_URL": "http://127.0.0.1:9"},
        {"OFC_URL": "http://127.0.0.1:9", "OFC_API_KEY_FILE": "/nowhere"},
        {"OFC_API_KEY": "wrong"},
    ],
    ids=str,
)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_nothing_is_printed_where_nothing_can_be_completed(
    reached: dict[str, str], shell: str, variables: dict[str, str]
) -> None:
    used = {"OFC_URL": reached["OFC_URL"]} | variables
    ended = protocol(shell, "ofc", "hand", "add", "", **used)
    assert (ended.code, ended.out.strip(), ended.err) == (0, "", "")


def test_invalid_lines_complete_to_nothing() -> None:
    for words in (["ofc", "hand", "add", "'open"], ["ofc", "\udcff"]):
        assert completed(*words, OFC_URL="http://127.0.0.1:9") == [""]
    failed = complete(COMP_WORDS="ofc", COMP_CWORD="x", **{VARIABLE: "bash_complete"})
    assert (failed.code, failed.out, failed.err) == (1, "", "")


def test_files_are_completed_by_the_shell() -> None:
    for words in (["score", "ex"], ["verify", "ex"], ["verify", "f", "--checkpoint", "ex"], ["post", "a", "ex"]):
        assert protocol("bash", "ofc", *words).out == "file,ex\n"


def test_every_table_round_player_and_ruleset_is_completed() -> None:
    plain = {
        (path, parameter.name)
        for path, command in COMMANDS.items()
        for parameter in command.params
        if parameter.name in {"table", "tables", "round_", "rounds", "player", "players", "ruleset", "file", "files"}
        and parameter._custom_shell_complete is None
        and not isinstance(parameter.type, click.Path)
    }
    assert not plain


@pytest.mark.parametrize("shell", INSTALLED)
def test_names_are_quoted_on_the_line_of_a_real_shell(reached: dict[str, str], shell: str) -> None:
    name = f"{uuid4().hex} $(date)'s*"
    assert ofc("table", "create", name, "--ruleset", "turbo", **reached).code == 0
    options, start = START[shell]
    environment = {**clean_environment(**reached), "PATH": PATH, "TERM": "dumb", "HISTFILE": ""}
    child = pexpect.spawn(shutil.which(shell), options, env=environment, encoding="utf-8", timeout=60)
    child.sendline(f"{start}; echo rea''dy")
    child.expect("ready")
    # The completed line becomes the arguments of another command, which prints them.
    child.send(f"ofc table statement {name[:30]}\t\x01printf '<%s>' \r")
    child.expect("<ofc><table><statement><([^>]*)>")
    assert child.match[1] == name
    child.sendline("exit")
    child.expect(pexpect.EOF)


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed; its protocol is tested above")
def test_fish_lists_names_with_their_rulesets(reached: dict[str, str], table: str) -> None:
    assert ofc("table", "create", table, "--ruleset", "turbo", **reached).code == 0
    script = f"ofc completion fish | source; complete -C 'ofc table statement {table[:-2]}'"
    run = subprocess.run(
        [str(shutil.which("fish")), "--no-config", "-c", script],
        env={**clean_environment(**reached), "PATH": PATH},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.stdout, run.stderr) == (f"{table}\tturbo@1\n", "")
