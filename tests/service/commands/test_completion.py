"""Completion of the commands and options of `ofc-server`."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.server_process import command, environment

BASH = """
eval "$(ofc-server completion bash)"
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_ofc_server_completion ofc-server
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["ofc-server", "si"], ["signing-key"]),
        (["ofc-server", "key", "cr"], ["create"]),
        (["ofc-server", "key", "create", "--cl"], ["--club"]),
        (["ofc-server", "key", "create", "--scope", "rea"], ["read"]),
    ],
)
def test_bash_completes_commands_options_and_values(words: list[str], expected: list[str]) -> None:
    beside = {"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    run = subprocess.run(
        ["bash", "--norc", "-c", BASH, "bash", *words],
        env=environment(**beside),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (run.stdout.split(), run.stderr) == (expected, "")


@pytest.mark.parametrize(("shell", "shown"), [("zsh", "#compdef ofc-server"), ("fish", "--command ofc-server")])
def test_the_scripts_of_other_shells_are_printed(shell: str, shown: str) -> None:
    assert shown in command("completion", shell).stdout
