"""What the import contracts cannot say."""

import ast
import sys
from pathlib import Path

import pytest

import scoring

pytestmark = pytest.mark.smoke

ROOT = Path(scoring.__file__).parent
PLAIN = sorted(ROOT.glob("*.py"))
BULK = sorted((ROOT / "bulk").glob("*.py"))


def imported_roots(module: Path) -> set[str]:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name.split(".")[0] for name in imported}


@pytest.mark.parametrize("module", PLAIN, ids=lambda path: path.stem)
def test_the_rules_need_the_standard_library_only(module: Path) -> None:
    assert imported_roots(module) <= sys.stdlib_module_names | {"scoring"}


@pytest.mark.parametrize("module", BULK, ids=lambda path: path.stem)
def test_the_rules_in_bulk_need_numpy_beside_it(module: Path) -> None:
    assert imported_roots(module) <= sys.stdlib_module_names | {"scoring", "numpy"}
