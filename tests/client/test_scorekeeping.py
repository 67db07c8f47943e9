"""The evening of docs/scorekeeping.md goes as the page says."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import stamina

from tests.client.asking import ofc
from tests.client.proxy import Proxy, Way

PAGE = Path(__file__).parents[2] / "docs" / "scorekeeping.md"
BLOCKS = re.findall(r"```console( away)?\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
_ANSWERED = re.compile(r"(Button \(seat or player\):|Seat \d, .*?:|.*\? \[.*\]) (.+)")
_ANYTHING = "…"


@pytest.fixture(autouse=True)
def _without_waiting() -> Iterator[None]:
    with stamina.set_testing(True, attempts=10, cap=True):
        yield


def sessions() -> Iterator[tuple[bool, str, list[str]]]:
    """Each command of the page: whether the network is away, what is typed, and what follows."""
    for away, block in BLOCKS:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.strip().splitlines()
            yield bool(away), command, lines


def as_pattern(lines: list[str]) -> str:
    """Match what is shown, where a line that is an ellipsis stands for any, and one in a line for any text."""
    parts = []
    for line in lines:
        words = [re.escape(word).replace("\\ ", " +") for word in line.strip().split(_ANYTHING)]
        parts.append("(?:.*\n)*?" if line == _ANYTHING else f"[ ]*{'.*'.join(words)} *\n")
    return "".join(parts)


def test_the_evening_goes_as_the_page_says(by_proxy: dict[str, str], proxy: Proxy, table: str) -> None:
    played = list(sessions())
    for away, command, lines in played:
        proxy.way = Way.AWAY if away else Way.THROUGH
        answered = [match for line in lines if (match := _ANSWERED.fullmatch(line))]
        shown = [line.replace("friday", table) for line in lines if not _ANSWERED.fullmatch(line)]
        told = [line for line in shown if line.startswith("Error: ")]
        _ofc, *arguments = shlex.split(command.replace("friday", table))
        said = ofc(*arguments, text="".join(f"{match[2]}\n" for match in answered), **by_proxy)
        out = re.sub("\n+", "\n", said.out).lstrip("\n")
        assert re.fullmatch(as_pattern([line for line in shown if line not in told]), out), f"{command}\n{said}"
        assert re.search(as_pattern(told), said.err), said
        assert said.code == (3 if told else 0)
        asked = [line for line in said.err.splitlines() if not line.startswith("Error: ")]
        assert asked == [match[1] for match in answered]
    assert len(played) == 9
