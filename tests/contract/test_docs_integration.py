"""The commands of docs/integration.md print what the page shows, and its tables name codes of the contract."""

import json
import os
import re
import subprocess
from pathlib import Path
from textwrap import dedent

import pytest

from service.http.problem_kinds import PROBLEM_KINDS
from tests.support.client.docs_sessions import DOCS, code_blocks
from tests.support.server_process import running

PAGE = (DOCS / "integration.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return code_blocks("integration.md", kind)


def test_the_commands_print_what_the_page_shows(tmp_path: Path) -> None:
    start, replay, conflict, document, correction, undo, dry_run, expected = blocks("sh")
    exports, rest = start.splitlines()[:2], start.splitlines()[2:]
    assert all(line.startswith("export OFC_") for line in exports)
    with running(tmp_path / "ofc") as service:
        key = (service.directory / "api-key").read_text().strip()
        script = "\necho ---\n".join(["\n".join(rest), replay, conflict, document, correction, undo, dry_run, expected])
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=tmp_path,
            env={**os.environ, "OFC_URL": service.url, "OFC_API_KEY": key},
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 0, done.stderr
    nothing, replayed, conflicted, *printed = done.stdout.split("---\n")
    assert nothing == ""
    shown_replay, *shown = [block for block in blocks("") if not block.startswith("ofc-server")]
    assert [line.strip() for line in replayed.splitlines()] == [line.strip() for line in shown_replay.splitlines()]
    assert json.loads(conflicted) == json.loads(blocks("json")[0])
    assert printed == list(map(dedent, shown))


STATED = re.findall(r"^\| (?:(\d{3}) )?((?:`[a-z-]+`(?:, )?)+)[ |]", PAGE.partition("## Ordering")[0], re.MULTILINE)


def test_the_tables_name_codes_with_their_status() -> None:
    assert len(STATED) > 10


@pytest.mark.parametrize(("status", "codes"), STATED)
def test_a_code_of_the_tables_has_its_status(status: str, codes: str) -> None:
    for code in re.findall(r"`([a-z-]+)`", codes):
        assert PROBLEM_KINDS[code].status == int(status or 409), code
