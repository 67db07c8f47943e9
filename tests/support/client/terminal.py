"""A terminal that runs `ofc`: send keys, and read the screen."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pyte

from tests.support.client.run_ofc import COMMAND, clean_environment

TAB, ENTER, UP, CTRL_C, CTRL_U = "\t", "\r", "\x1b[A", "\x03", "\x15"
_WHERE_IS_THE_CURSOR = "\x1b[6n"


class Terminal:
    """A screen of 80 lines on which a command runs. Its stdout can be redirected to a file."""

    def __init__(self, *arguments: str, out: Path | None = None, columns: int = 100, **variables: str) -> None:
        self._screen = pyte.Screen(columns, 80)
        self._stream = pyte.Stream(self._screen)
        environment = {**clean_environment(**variables), "TERM": "xterm-256color"}
        redirection = [] if out is None else ["sh", "-c", f'exec "$@" > {out}', "sh"]
        command, *options = [*redirection, *COMMAND, *arguments]
        self._child = pexpect.spawn(command, options, env=environment, encoding="utf-8", dimensions=(80, columns))

    @property
    def lines(self) -> list[str]:
        """The lines of the screen."""
        return [line.rstrip() for line in self._screen.display]

    @property
    def line(self) -> str:
        """The line of the cursor."""
        return self.lines[self._screen.cursor.y]

    def type(self, *keys: str) -> None:
        """Press keys."""
        self._child.send("".join(keys))

    def shows(self, text: str, seconds: float = 60) -> bool:
        """Wait until the screen shows a text."""
        return self._wait(lambda: any(text in line for line in self.lines), seconds)

    def shows_prompt(self, line: str) -> bool:
        """Wait until the line of the cursor is the given one."""
        return self._wait(lambda: self.line == line, 60)

    def end(self) -> int:
        """Wait for the end of the command, and return its exit code, negative after a signal."""
        while self._read():
            pass
        self._child.close()
        return -self._child.signalstatus if self._child.signalstatus else int(self._child.exitstatus)

    def send_signal(self, number: int) -> None:
        self._child.kill(number)

    def hang_up(self) -> None:
        """Close the terminal, and wait for the end of the command."""
        self._child.ptyproc.fileobj.close()
        self._child.wait()

    def kill(self) -> None:
        self._child.close(force=True)

    def _wait(self, comes: Callable[[], bool], seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while not comes():
            if time.monotonic() > deadline or not self._read():
                return comes()
        return True

    def _read(self) -> bool:
        """Read what the command has written. Return False at its end."""
        try:
            written = self._child.read_nonblocking(10_000, timeout=0.1)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        for part in written.split(_WHERE_IS_THE_CURSOR)[:-1]:
            self._stream.feed(part)
            self._child.send(f"\x1b[{self._screen.cursor.y + 1};{self._screen.cursor.x + 1}R")
        self._stream.feed(written.split(_WHERE_IS_THE_CURSOR)[-1])
        return True


@contextmanager
def terminal(*arguments: str, out: Path | None = None, columns: int = 100, **variables: str) -> Iterator[Terminal]:
    opened = Terminal(*arguments, out=out, columns=columns, **variables)
    try:
        yield opened
    finally:
        opened.kill()
