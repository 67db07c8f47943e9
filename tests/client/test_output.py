"""Where `ofc` prints: terminals of every width and colour, pipes, files, and what closes them."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import textwrap
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.client.faulty_server import HTML, faulty
from tests.support.client.run_ofc import COMMAND, EXAMPLES, CommandResult, clean_environment, ofc, ofc_process, write
from tests.support.sample_rounds import WORKED, changed

SCORE = ("score", str(EXAMPLES / "score.json"))
ESCAPE = "\x1b"


def ofc_terminal(*arguments: str, columns: int = 100, **variables: str) -> CommandResult:
    """Run `ofc` on a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = clean_environment(**{"TERM": "xterm-256color", **variables})
    with subprocess.Popen(
        [*COMMAND, *arguments], env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        shown = b"".join(_read_all(ours))
        os.close(ours)
        return CommandResult(process.wait(timeout=60), shown.decode().replace("\r\n", "\n"), "")


def _read_all(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # a terminal that nobody writes to any more
            return
        if not part:
            return
        yield part


def test_a_terminal_gets_colours() -> None:
    result = ofc_terminal(*SCORE)
    assert result.code == 0
    assert f"{ESCAPE}[31m9♥{ESCAPE}[0m" in result.out
    assert f"{ESCAPE}[1mBoards{ESCAPE}[0m" in result.out


def test_no_color_removes_all_escape_codes() -> None:
    result = ofc_terminal(*SCORE, NO_COLOR="1")
    assert ESCAPE not in result.out
    assert result.text == ofc(*SCORE).text


def test_no_color_applies_to_errors(tmp_path: Path) -> None:
    path = write(tmp_path, {**WORKED, "ruleset": "badugi"})
    assert ESCAPE in ofc_terminal("score", str(path)).out
    assert ESCAPE not in ofc_terminal("score", str(path), NO_COLOR="1").out


def test_a_pipe_gets_no_escape_codes() -> None:
    assert ESCAPE not in ofc_process(*SCORE).out
    assert ESCAPE not in ofc_process(*SCORE, "--json").out


def test_colours_can_be_forced_into_a_pipe() -> None:
    assert f"{ESCAPE}[31m9♥" in ofc_process(*SCORE, FORCE_COLOR="1", TERM="xterm-256color").out


@pytest.mark.parametrize("columns", [60, 72, 80])
@pytest.mark.parametrize("name", ["score", "progressive-round", "deuce-to-seven", "pineapple-qq"])
def test_output_fits_a_narrow_terminal(columns: int, name: str) -> None:
    result = ofc("score", EXAMPLES / f"{name}.json", COLUMNS=str(columns))
    assert max(map(len, result.text.splitlines())) <= columns
    # Lines are broken between words; no word, heading or figure is broken or cut.
    assert sorted(result.out.split()) == sorted(ofc("score", EXAMPLES / f"{name}.json").out.split())


def test_long_player_ids_are_wrapped_and_never_cut(tmp_path: Path) -> None:
    long = "0193f0c2-7a11-7bd0-9f1e-3c5a7d9e1b2f"
    document = changed(WORKED, ("players/0/player", long), ("players/1/player", long[::-1]))
    result = ofc("score", write(tmp_path, document), COLUMNS="80")
    assert result.code == 0
    assert max(map(len, result.text.splitlines())) <= 80
    assert "".join(result.out.split()).count(long) >= 1
    assert "…" not in result.out


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_an_output_without_suit_symbols_gets_letters(encoding: str) -> None:
    run = subprocess.run(
        [*COMMAND, *SCORE], env=clean_environment(PYTHONIOENCODING=encoding), capture_output=True, timeout=60
    )
    assert run.returncode == 0, run.stderr
    printed = run.stdout.decode(encoding)
    if encoding == "utf-8":
        assert "Q♠ Q♦ 4♣" in printed
        assert "1. seat 2 → seat 1" in printed
    else:
        assert "Qs Qd 4c" in printed
        assert "1. seat 2 -> seat 1" in printed
        assert "seat 2  -5 points" in printed


def test_unprintable_names_are_escaped_without_loss(tmp_path: Path) -> None:
    path = write(tmp_path, changed(WORKED, ("players/0/player", "Zoë")))
    result = ofc_process("score", str(path), PYTHONIOENCODING="ascii")
    assert "  Zo\\xeb  +6 points" in result.out
    scored = ofc_process("score", "--json", str(path), PYTHONIOENCODING="ascii")
    assert scored.document["players"][0]["player"] == "Zoë"
    assert '"player": "Zoë"' in ofc_process("score", "--json", str(path), PYTHONIOENCODING="utf-8").out


def test_a_refusal_in_ascii_is_readable(tmp_path: Path) -> None:
    path = write(tmp_path, changed(WORKED, ("players/0/top/2", "Zoë")))
    result = ofc_process("score", str(path), PYTHONIOENCODING="ascii")
    assert result.code == 1
    assert "#/players/0/top/2  is 'Zo\\xeb'" in result.err


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_a_closed_pipe_ends_the_command_silently(options: list[str]) -> None:
    arguments = ["score", str(EXAMPLES / "progressive.json"), *options]
    with subprocess.Popen(
        [*COMMAND, *arguments], env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 141


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_a_full_disk_is_a_one_line_error(options: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        run = subprocess.run(
            [*COMMAND, *SCORE, *options], env=clean_environment(), stdout=full, stderr=subprocess.PIPE, timeout=60
        )
    assert run.returncode == 2
    assert run.stderr == b"Error: the output cannot be written: no space left on device\n"


def test_the_command_works_without_any_output() -> None:
    run = subprocess.run(
        ["sh", "-c", '"$@" >&-', "sh", *COMMAND, *SCORE, "--json"],
        env=clean_environment(),
        capture_output=True,
        timeout=60,
    )
    assert (run.returncode, run.stderr) == (0, b"")


@pytest.mark.parametrize("closed", ["<&-", ">&-"], ids=["input", "output"])
@pytest.mark.parametrize(
    "command",
    [["score", "-"], ["import", "-"], ["export"], ["events"], ["undo", "friday"]],
    ids=" ".join,
)
def test_closed_streams_cause_no_traceback(command: list[str], closed: str) -> None:
    """As where a service manager or a scheduler starts it."""
    with faulty(HTML) as server:
        run = subprocess.run(
            ["sh", "-c", f'"$@" {closed}', "sh", *COMMAND, *command],
            env=clean_environment(OFC_URL=server.url),
            input=b"" if closed == ">&-" else None,
            capture_output=True,
            timeout=60,
        )
    assert run.returncode in (0, 2, 3), run.stderr
    assert b"Traceback" not in run.stderr


def test_ctrl_c_ends_the_command_without_a_traceback(tmp_path: Path) -> None:
    waiting = tmp_path / "waiting.json"
    os.mkfifo(waiting)
    with subprocess.Popen(
        [*COMMAND, "score", waiting], env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        # The other end opens once the command has begun to read.
        with waiting.open("wb"):
            # A signal that arrives just before Python waits for input ends the wait only with the next one.
            while process.poll() is None:
                process.send_signal(signal.SIGINT)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(timeout=15)
            output, errors = process.communicate()
        assert (process.returncode, output, errors) == (130, b"", b"")


@pytest.mark.parametrize("program", ["client", "service"])
def test_an_interrupt_during_startup_causes_no_traceback(program: str) -> None:
    interrupting = f"""
        import sys, {program}.__main__

        class Interrupted:
            def find_spec(self, name, *_):
                if name == "{program}.cli":
                    raise KeyboardInterrupt

        sys.meta_path.insert(0, Interrupted())
        {program}.__main__.main()
    """
    run = subprocess.run([sys.executable, "-c", textwrap.dedent(interrupting)], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "")
