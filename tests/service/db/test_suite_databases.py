"""The databases of the suite itself leave no files behind."""

import os
import subprocess
import sys
from pathlib import Path

from tests.support.database.postgres import remove_left_over


def test_databases_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    kept = {f"ofc-suite-{os.getpid()}-a_1", "another-folder"}
    for name in (*kept, f"ofc-suite-{ended.pid}-b_2"):
        (tmp_path / name / "postgres").mkdir(parents=True)
    remove_left_over(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == kept
