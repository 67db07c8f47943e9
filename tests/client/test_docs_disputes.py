"""The case of docs/disputes.md goes as the page says."""

import re
import shlex
from pathlib import Path

import pytest

from client.commands.disputes import EXAMPLE_ID
from tests.support.client.docs_sessions import as_pattern, sessions, shown
from tests.support.client.run_ofc import ofc, read_example, write


def test_the_dispute_follows_the_page(
    reached: dict[str, str], table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").mkdir()
    write(tmp_path / "examples", {**read_example("pineapple"), "table": table}, "pineapple.json")
    monkeypatch.chdir(tmp_path)
    dispute_id = EXAMPLE_ID
    played = list(sessions("disputes.md"))
    for typed in played:
        _ofc, *arguments = shlex.split(typed.command.replace(EXAMPLE_ID, dispute_id))
        arguments = [table if argument == "pineapple" else argument for argument in arguments]
        result = ofc(*arguments, text="".join(f"{reply}\n" for reply in typed.replies), **reached)
        if opened := re.search(r"Opened: dispute (\S+)\.", result.out):
            dispute_id = opened[1]
        lines = [line.replace(EXAMPLE_ID, dispute_id) for line in typed.lines]
        assert re.fullmatch(as_pattern(lines), shown(result.out)), f"{typed.command}\n{result}"
        assert (result.code, result.err.splitlines()) == (0, typed.prompts)
    assert len(played) == 7
