"""Runs `ofc-server` in processes forked from one that has imported it, because the imports take longest."""

import gc
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.reduction import DupFd
from typing import Any, Final

CONTEXT: Final = get_context("forkserver")
# The services and commands under test import these modules, and tests of imports start processes of their own.
CONTEXT.set_forkserver_preload(["service.app", "service.worker", "service.commands.verify", "service.server.up"])


class Forked:
    """An `ofc-server` with its own environment and output, and the methods of `subprocess.Popen` that tests use."""

    def __init__(self, arguments: Sequence[str], env: Mapping[str, str], stdout: int, stderr: int) -> None:
        """Start the process, in a session of its own."""
        self.args = arguments
        outputs = _Output(stdout), _Output(stderr)
        self._process = CONTEXT.Process(target=_run, args=(arguments, dict(env), os.getcwd(), *outputs))
        self._process.start()

    @property
    def pid(self) -> int:
        """The process ID."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, or None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return the exit code."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(list(self.args), timeout)
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it."""
        self._process.kill()


class _Output:
    """An open file that is passed to the process."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor

    def __getstate__(self) -> Any:
        return DupFd(self.descriptor)

    def __setstate__(self, passed: Any) -> None:
        self.descriptor = passed.detach()


def _run(arguments: Sequence[str], env: Mapping[str, str], directory: str, stdout: _Output, stderr: _Output) -> None:
    """Run `python -m service` with the arguments, as if the interpreter had just been started."""
    gc.freeze()
    os.setsid()
    os.chdir(directory)
    for number, output in enumerate((stdout, stderr), start=1):
        os.dup2(output.descriptor, number)
        os.close(output.descriptor)
    os.environ.clear()
    os.environ.update(env)
    sys.argv[:] = ["ofc-server", *arguments]
    from service.__main__ import main

    main()
