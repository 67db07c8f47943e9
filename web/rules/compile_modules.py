"""
Compiles Python files as a page needs them; `compile.mjs` runs it in Pyodide.

A page would otherwise compile 250 files at each start. Of the standard library, it gets the modules that are loaded
when the rules are, and those that Python itself loads later.
"""

import sys
from collections.abc import Iterator
from importlib.util import MAGIC_NUMBER, source_hash
from marshal import dumps
from pathlib import Path
from typing import Final
from zipfile import ZipFile

SOURCES: Final = Path("/sources")
TARGET: Final = Path("/target")
LIBRARY: Final = next(path for path in sys.path if path.endswith(".zip"))
LATER: Final = ("_strptime", "difflib", "encodings/ascii", "encodings/latin_1")
"""What Python loads without an import in a source: for `strptime`, for hints in tracebacks, and codecs."""
HASHED: Final = (1).to_bytes(4, "little")
"""The flag of a file whose header has the hash of its source, with which nothing is compared when it is loaded."""


def compile_source(source: bytes, name: str, optimize: int) -> bytes:
    """Return the content of a compiled file."""
    code = compile(source, name, "exec", dont_inherit=True, optimize=optimize)
    return MAGIC_NUMBER + HASHED + source_hash(source) + dumps(code)


def write(name: str, content: bytes) -> None:
    """Write a compiled file."""
    path = TARGET / f"{name}c"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def list_library() -> Iterator[str]:
    """Yield the names of the files of the standard library that are loaded, and of those to load later."""
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None) or ""
        if file.startswith(f"{LIBRARY}/"):
            yield file.removeprefix(f"{LIBRARY}/")
    yield from (f"{name}.py" for name in LATER)


def main() -> None:
    """Compile the sources, and what they import of the standard library."""
    for path in sorted(SOURCES.rglob("*.py")):
        name = path.relative_to(SOURCES).as_posix()
        write(f"rules/{name}", compile_source(path.read_bytes(), f"/rules/{name}", 0))
    sys.path.insert(0, str(SOURCES))
    __import__("rules_adapter")
    with ZipFile(LIBRARY) as library:
        for name in sorted(set(list_library())):
            # Nobody reads the docstrings of the standard library in a page.
            write(f"library/{name}", compile_source(library.read(name), f"{LIBRARY}/{name}", 2))


main()
