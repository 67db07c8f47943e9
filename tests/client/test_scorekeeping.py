"""The evening of docs/scorekeeping.md goes as the page says."""

import re
import shlex
from collections.abc import Iterator

import pytest
import stamina

from tests.client.asking import ofc
from tests.client.page import as_pattern, sessions, shown
from tests.client.proxy import Proxy, Way


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


def test_the_evening_goes_as_the_page_says(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    played = list(sessions("scorekeeping.md"))
    for typed in played:
        proxy.way = Way.AWAY if typed.away else Way.THROUGH
        lines = [line.replace("friday", table) for line in typed.lines]
        told = [line for line in lines if line.startswith("Error: ")]
        _ofc, *arguments = shlex.split(typed.command.replace("friday", table))
        said = ofc(*arguments, text="".join(f"{answer}\n" for answer in typed.answered), **by_proxy)
        pattern = as_pattern([line for line in lines if line not in told])
        assert re.fullmatch(pattern, shown(said.out)), f"{typed.command}\n{said}"
        assert re.search(as_pattern(told), said.err), said
        assert said.code == (3 if told else 0)
        assert [line for line in said.err.splitlines() if not line.startswith("Error: ")] == typed.asked
    assert len(played) == 9
