"""Runs `ofc` without the modules that Windows does not have."""

import subprocess
import sys
from pathlib import Path

from tests.support.client.run_ofc import CommandResult, clean_environment

MISSING = ("fcntl", "pwd", "grp", "termios", "tty", "pty", "resource")
PROGRAM = f"""
import sys
sys.modules.update(dict.fromkeys({MISSING!r}))
from client.__main__ import main
sys.argv[0] = "ofc"
main()
"""


def ofc_on_windows(
    *arguments: str | Path, text: str = "", python: str | Path = sys.executable, **variables: str
) -> CommandResult:
    """Run `ofc` where importing one of the missing modules fails."""
    run = subprocess.run(
        [python, "-P", "-c", PROGRAM, *map(str, arguments)],
        env=clean_environment(**variables),
        input=text.encode(),
        capture_output=True,
        timeout=60,
    )
    return CommandResult(run.returncode, run.stdout.decode(), run.stderr.decode())
