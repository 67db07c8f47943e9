"""The messages of the app in `web/src`, and its texts that are none, found by the TypeScript compiler."""

import json
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from web.install import find_node

ROOT: Final = Path(__file__).parents[3]
SOURCES: Final = ROOT / "web" / "src"
_PACKAGES: Final = ROOT / "web" / "node_modules"
_PROGRAM: Final = Path(__file__).with_name("find_texts.mjs")


@dataclass(frozen=True)
class AppMessage:
    """A message with its context, and with its plural if it has one."""

    place: str
    context: str | None
    ids: tuple[str, ...]


@dataclass(frozen=True)
class AppText:
    """A text that is shown and is no message."""

    place: str
    text: str


def list_sources() -> list[Path]:
    """Return the files of the pages. The console is English."""
    files = [path for pattern in ("*.ts", "*.tsx") for path in SOURCES.rglob(pattern)]
    return sorted(path for path in files if not path.name.endswith(".test.ts") and path.parts[-2] != "console")


def find_texts(files: tuple[Path, ...]) -> tuple[list[AppMessage], list[AppText]]:
    """Return the messages of files, and their texts that are no message."""
    command = [*find_node(), str(_PROGRAM), str(_PACKAGES), *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    listed = json.loads(done.stdout)
    messages = [AppMessage(_place(each), each["context"], tuple(each["ids"])) for each in listed["messages"]]
    return messages, [AppText(_place(each), each["text"]) for each in listed["texts"]]


@cache
def find_app_texts() -> tuple[list[AppMessage], list[AppText]]:
    """Return the messages of the app, and its texts that are no message."""
    return find_texts(tuple(list_sources()))


def _place(node: dict[str, str | int]) -> str:
    file = Path(str(node["file"]))
    return f"{file.relative_to(ROOT) if file.is_relative_to(ROOT) else file.name}:{node['line']}"
