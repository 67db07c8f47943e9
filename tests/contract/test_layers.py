"""What the import contracts cannot say."""

import ast
import sys
from pathlib import Path

import pytest

import scoring

MODULES = sorted(Path(scoring.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_the_rules_need_the_standard_library_only(module: Path) -> None:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    roots = {name.split(".")[0] for name in imported}
    assert roots <= sys.stdlib_module_names | {"scoring"}
