"""The limits of files, folders and functions."""

import ast
from collections import Counter
from collections.abc import Iterator
from typing import Final

from benchmarks.count_source import PACKAGES, ROOT, list_files

FILE_LINES: Final = 400
FUNCTION_LINES: Final = 70
FOLDER_FILES: Final = 30
FOLDERS: Final = (*PACKAGES, "migrations", "tests", "benchmarks", "examples", "deploy", "web/rules")
FILES: Final = [path for folder in FOLDERS for path in list_files(folder)]


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
