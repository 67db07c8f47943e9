"""The evening of docs/scorekeeping.md and docs/terminal.md goes as these pages say."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina

from tests.support.client.docs_sessions import as_pattern, sessions, shown
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import ofc


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


def test_the_evening_follows_the_pages(
    by_proxy: dict[str, str], proxy: Proxy, table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    played = [*sessions("scorekeeping.md"), *sessions("terminal.md")]
    for typed in played:
        proxy.way = Way.LOSES_REQUESTS if typed.away else Way.THROUGH
        lines = [line.replace("friday", table) for line in typed.lines]
        _ofc, *arguments = shlex.split(typed.command.replace("friday", table))
        result = ofc(*arguments, text="".join(f"{reply}\n" for reply in typed.replies), **by_proxy)
        # The service of the tests is on this machine only.
        errors = [line for line in result.err.splitlines() if not line.startswith("warning: only this machine reaches")]
        prompts = len(typed.prompts)
        printed = "\n".join([shown(result.out).rstrip("\n"), *errors[prompts:], ""])
        assert re.fullmatch(as_pattern(lines), printed), f"{typed.command}\n{result}"
        assert errors[:prompts] == typed.prompts
        assert (result.code, len(errors) > prompts) == ((3, True) if typed.away else (0, False))
    assert len(played) == 12
