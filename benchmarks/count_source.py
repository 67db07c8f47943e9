"""
Count the modules, folders and source lines of the product, and list its largest files and folders.

A source line is a line of code: blank lines, comments and docstrings are not counted. Generated files are listed apart.

Example: python -m benchmarks.count_source
"""

import ast
import sys
from collections import Counter
from io import StringIO
from pathlib import Path
from tokenize import COMMENT, DEDENT, ENDMARKER, INDENT, NEWLINE, NL, generate_tokens
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PACKAGES: Final = ("scoring", "evidence", "schemas", "service", "client")
GENERATED: Final = tuple(Path("client", f"{name}.py") for name in ("models", "operations", "parameters", "requests"))
_NO_CODE: Final = {COMMENT, DEDENT, ENDMARKER, INDENT, NEWLINE, NL}
_LARGEST: Final = 5


def count_code_lines(text: str) -> int:
    """Count the lines of code."""
    lines = set[int]()
    for token in generate_tokens(StringIO(text).readline):
        if token.type not in _NO_CODE:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        # A string that stands alone is a docstring, of a module, class or function, or of the name before it.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines)


def count_package(package: str) -> Counter[str]:
    """Count the modules, packages and source lines of a package, without generated files."""
    counted = Counter[str]()
    for path in list_files(package):
        counted["packages" if path.name == "__init__.py" else "modules"] += 1
        counted["lines"] += count_code_lines(path.read_text(encoding="utf-8"))
    return counted


def list_files(folder: str) -> list[Path]:
    """Return the Python files of a folder of the project and of the folders in it, without generated files."""
    return [path for path in sorted((ROOT / folder).rglob("*.py")) if path.relative_to(ROOT) not in GENERATED]


def main() -> int:
    """Print the numbers."""
    sizes, folders, total = {}, Counter[Path](), Counter[str]()
    print("package    modules  packages  source lines")
    for package in PACKAGES:
        for path in list_files(package):
            name = path.relative_to(ROOT)
            folders[name.parent] += 1
            sizes[name] = len(path.read_text(encoding="utf-8").splitlines())
        counted = count_package(package)
        print(f"{package:9}  {counted['modules']:7}  {counted['packages']:8}  {counted['lines']:12}")
        total += counted
    print(f"{'all':9}  {total['modules']:7}  {total['packages']:8}  {total['lines']:12}")
    print("\nlines  largest files")
    for name in sorted(sizes, key=lambda each: (-sizes[each], each))[:_LARGEST]:
        print(f"{sizes[name]:5}  {name}")
    print("\nfiles  largest folders")
    for folder, files in folders.most_common(_LARGEST):
        print(f"{files:5}  {folder}")
    for name in GENERATED:
        print(f"\nGenerated: {name}, {count_code_lines((ROOT / name).read_text(encoding='utf-8'))} source lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
