"""`make demo`: it checks what it shows, and leaves nothing running."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.support.client.run_ofc import EXAMPLES, CommandResult, clean_environment, read_expected
from tests.support.sample_rounds import changed


def copied(directory: Path, *names: str) -> Path:
    """Copy the demo with some of its examples; gives the copied script."""
    (directory / "expected").mkdir()
    for name in names:
        for path in (f"{name}.json", f"expected/{name}.json"):
            shutil.copy(EXAMPLES / path, directory / path)
    return Path(shutil.copy(EXAMPLES / "demo.py", directory / "demo.py"))


def is_server(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return "ofc-server" in " ".join(process.cmdline())
    return False


def started(demo: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, demo],
        env=clean_environment(OFC_DATABASE_URL="postgresql:///not-this-one", OFC_URL="http://127.0.0.1:9"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_the_demo_reports_differences_and_exits_with_1(tmp_path: Path) -> None:
    demo = copied(tmp_path, "classic", "pineapple-aa", "turbo")
    wrong = changed(read_expected("pineapple-aa"), ("stacks", {**read_expected("pineapple-aa")["stacks"], "1": 9999}))
    (tmp_path / "expected" / "pineapple-aa.json").write_text(json.dumps(wrong), encoding="utf-8")
    broken = json.loads((tmp_path / "classic.json").read_text(encoding="utf-8"))
    broken["hands"][1]["players"][0]["top"] = []
    (tmp_path / "classic.json").write_text(json.dumps(broken), encoding="utf-8")
    with started(demo) as process:
        result = CommandResult(1, *process.communicate(timeout=120))
    assert process.returncode == 1
    assert "✗ classic.json was not taken" in result.out
    assert "#/hands/1/players/0/top  has 0 cards; expected 3" in result.err
    assert "  #/stacks/1  9999 is expected; the result is " in result.out
    assert "✗ not as expected/pineapple-aa.json says" in result.out
    assert "✓ as expected/turbo.json says" in result.out
    assert result.out.endswith("1 of 3 rounds have the result that their examples expect.\n")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_demo_leaves_no_process_running(tmp_path: Path, number: signal.Signals) -> None:
    # Ctrl-C reaches everything that the terminal runs, a polite kill the demo alone.
    send = os.killpg if number is signal.SIGINT else os.kill
    with started(copied(tmp_path, "turbo")) as process:
        assert process.stdout is not None
        assert any("turbo.json" in line for line in process.stdout)
        children = psutil.Process(process.pid).children(recursive=True)
        assert any(map(is_server, children))
        send(process.pid, number)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert output.endswith("\nStopped.\n")
    assert "Traceback" not in errors
    _gone, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []
