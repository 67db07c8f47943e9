"""The code blocks of a documentation page, and its console sessions: commands, replies and the printed lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parents[3] / "docs"
_REPLY = re.compile(r"(Button \(seat or player\):|Seat \d, .*?:|.*\? \[.*\]) (.+)")
_ANYTHING = "…"


@dataclass(frozen=True)
class Typed:
    """A command of a page, the replies to its prompts, and the lines that it prints."""

    command: str
    away: bool
    prompts: list[str]
    replies: list[str]
    lines: list[str]


def sessions(page: str) -> Iterator[Typed]:
    """Yield each command of a page, and whether the service goes away before the command sends anything."""
    text = (DOCS / page).read_text(encoding="utf-8")
    for away, block in re.findall(r"```console( away)?\n(.*?)```", text, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *lines = part.strip().splitlines()
            replies = [match for line in lines if (match := _REPLY.fullmatch(line))]
            printed = [line for line in lines if not _REPLY.fullmatch(line)]
            yield Typed(command, bool(away), [each[1] for each in replies], [each[2] for each in replies], printed)


def code_blocks(page: str, kind: str) -> list[str]:
    """Return the code blocks of a page that have a kind: what follows the opening fence, for example `sh`."""
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^ *```(.*)\n((?:.*\n)*?) *```$", text, re.MULTILINE)
    return [block for each, block in blocks if each == kind]


def as_pattern(lines: list[str]) -> str:
    """Return a pattern for the printed lines. A line `…` matches any lines, and `…` in a line any text."""
    parts = []
    for line in lines:
        words = [re.escape(word).replace("\\ ", " +") for word in line.strip().split(_ANYTHING)]
        parts.append("(?:.*\n)*?" if line == _ANYTHING else f"[ ]*{'.*'.join(words)} *\n")
    return "".join(parts)


def shown(out: str) -> str:
    """Return the output without empty lines."""
    return re.sub("\n+", "\n", out).lstrip("\n")
