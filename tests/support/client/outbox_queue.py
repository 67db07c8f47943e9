"""The outbox of `ofc`, used by processes of their own and listed."""

import subprocess

from tests.support.client.run_ofc import COMMAND, CommandResult, clean_environment, ofc


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
    entries = ofc("queue", "list", "--json", **by_proxy).document["waiting"]
    return [" ".join(filter(None, (e["operation"], (e["problem"] or {}).get("code")))) for e in entries]
