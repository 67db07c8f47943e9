"""Files, folders and functions keep to the limits of docs/architecture.md, and its figures are nearly exact."""

import ast
import re
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from benchmarks.count_source import PACKAGES, ROOT, count_code_lines, count_package, list_files

FILE_LINES: Final = 400
FUNCTION_LINES: Final = 70
FOLDER_FILES: Final = 30
TOLERANCE: Final = 0.1
"""How far a figure of the docs may be from the current one."""
FOLDERS: Final = (*PACKAGES, "migrations", "tests", "benchmarks", "examples", "web/rules")
FILES: Final = [path for folder in FOLDERS for path in list_files(folder)]
ARCHITECTURE: Final = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")


def test_source_lines_are_those_without_blank_lines_comments_and_docstrings() -> None:
    source = '"""A module."""\n\nX = 1\n"""A name."""\n# Why.\ndef f():\n    """Do."""\n    return (\n    X)\n'
    assert count_code_lines(source) == 4


def test_files_have_at_most_400_lines() -> None:
    sizes = {path.relative_to(ROOT): len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    assert len(sizes) > 900
    assert {path: lines for path, lines in sizes.items() if lines > FILE_LINES} == {}


def test_folders_have_at_most_30_python_files() -> None:
    files = Counter(path.parent.relative_to(ROOT) for path in FILES)
    assert {folder: number for folder, number in files.items() if number > FOLDER_FILES} == {}


def test_functions_have_at_most_70_lines() -> None:
    functions = [
        (f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", (node.end_lineno or node.lineno) - node.lineno + 1)
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    assert len(functions) > 8000
    assert [(name, lines) for name, lines in functions if lines > FUNCTION_LINES] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_the_docs_have_about_the_current_figures_of_a_package(package: str) -> None:
    [row] = re.findall(rf"^\| `{package}/`.*?\| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$", ARCHITECTURE, re.MULTILINE)
    documented = [int(figure.replace(",", "")) for figure in row]
    counted = count_package(package)
    assert documented == pytest.approx(
        [counted["modules"], counted["packages"], counted["lines"]], rel=TOLERANCE, abs=1
    )


def test_the_files_of_a_posted_hand_in_the_docs_exist() -> None:
    section = ARCHITECTURE.split("### Its files")[1].split("\n## ")[0]
    paths = [
        Path(folder, name)
        for folder, names in re.findall(r"^\| `(.+?)/` \| (.+) \|$", section, re.MULTILINE)
        for name in names.replace("`", "").split(", ")
    ]
    [total] = re.findall(r"It runs through (\d+) files", ARCHITECTURE)
    assert len(paths) == len(set(paths)) == int(total)
    assert [path for path in paths if not (ROOT / path).is_file()] == []
