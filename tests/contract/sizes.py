"""The limits of docs/architecture.md for files, folders and functions, and how exact its figures are."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from benchmarks.count_source import PACKAGES, ROOT, count_package, list_files

FILE_LINES: Final = 400
FUNCTION_LINES: Final = 70
FOLDER_FILES: Final = 30
TOLERANCE: Final = 0.1
"""How far a figure of the docs may be from the current one."""
FOLDERS: Final = (*PACKAGES, "migrations", "tests", "benchmarks", "examples", "web/rules")
FILES: Final = [path for folder in FOLDERS for path in list_files(folder)]
ARCHITECTURE: Final = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")


def find_large() -> Iterator[str]:
    """Yield every file, folder and function above its limit."""
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        name, lines = path.relative_to(ROOT), len(source.splitlines())
        if lines > FILE_LINES:
            yield f"{name} has {lines} lines; at most {FILE_LINES} are expected"
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES:
                    yield f"{name}:{node.lineno} {node.name} has {lines} lines; at most {FUNCTION_LINES} are expected"
    for folder, files in Counter(path.parent.relative_to(ROOT) for path in FILES).items():
        if files > FOLDER_FILES:
            yield f"{folder} has {files} Python files; at most {FOLDER_FILES} are expected"


def find_old_figures() -> Iterator[str]:
    """Yield every figure of docs/architecture.md about a package that is a tenth away from the current one."""
    for package in PACKAGES:
        [row] = re.findall(rf"^\| `{package}/`.*?\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", ARCHITECTURE, re.MULTILINE)
        counted = count_package(package)
        for name, figure in zip(("modules", "packages", "lines"), row, strict=True):
            documented = int(figure.replace(",", ""))
            if abs(documented - counted[name]) > max(1, TOLERANCE * counted[name]):
                yield f"docs/architecture.md: {package} has {counted[name]} {name}, not {documented}"


def find_missing_files() -> Iterator[str]:
    """Yield every file of a posted hand in docs/architecture.md that does not exist."""
    section = ARCHITECTURE.split("### Its files")[1].split("\n## ")[0]
    for folder, names in re.findall(r"^\| `(.+?)/` \| (.+) \|$", section, re.MULTILINE):
        for name in names.replace("`", "").split(", "):
            if not (ROOT / folder / name).is_file():
                yield f"docs/architecture.md: {folder}/{name} does not exist"
