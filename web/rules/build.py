"""
Builds the rules for browsers: one archive of Python files, Pyodide beside it, and a manifest with their digests.

`make setup` runs it, as `python -m web.rules.build`. The archive has exactly the modules that the adapter imports:
those of the service, and the pure Python packages that are installed from PyPI. It and the standard library are
compiled, and the standard library has only what these modules import. The same files always make the same archives.
"""

import gzip
import hashlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from scoring import SCORER_VERSION
from web.install import find_node

RULES: Final = Path(__file__).parent
ROOT: Final = RULES.parents[1]
PACKAGES_OF_NODE: Final = ROOT / "web" / "node_modules"
PYODIDE: Final = PACKAGES_OF_NODE / "pyodide"
SCRIPTS: Final = ROOT / "web" / "src" / "rules"
TARGET: Final = ROOT / "service" / "pages" / "static" / "rules"
LOADER: Final = "pyodide.mjs"
RUNTIME: Final = ("pyodide.asm.mjs", "pyodide.asm.wasm")
"""The files of Pyodide that its loader loads."""
LIBRARY: Final = "python_stdlib.zip"
"""The standard library, as Pyodide names it."""
LOCK: Final = "pyodide-lock.json"
"""The packages that Pyodide can download. The copy lists none: everything is in the archive."""
WORKER: Final = ("python.js", "worker.js")
"""The scripts of the worker, compiled. Those of the page are bundled with the page."""
ARCHIVE: Final = "rules.zip"
MANIFEST: Final = "manifest.json"
ADAPTER: Final = "rules_adapter.py"
"""The name of the adapter in the archive."""
SUBSTITUTES: Final = {"orjson.py": RULES / "substitutes" / "orjson.py"}
"""Modules in place of compiled ones, which do not run in a browser."""
PACKAGES: Final = ("marshmallow",)
"""Pure Python packages, as installed from PyPI in the version of `constraints.txt`."""
OWN: Final = ("client", "evidence", "schemas", "scoring")
_NOTICE: Final = """\
The files beside this one contain:

- Pyodide, under the Mozilla Public License 2.0: https://www.mozilla.org/MPL/2.0/. Its source code is at
  https://github.com/pyodide/pyodide.
- Python and its standard library, under the Python Software Foundation License: https://docs.python.org/3/license.html.
- Python packages, under the licences beside them in rules.zip.
"""
_TIME: Final = (1980, 1, 1, 0, 0, 0)
_LIST: Final = """
import json, sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
sys.path[:0] = [{substitutes!r}, {root!r}]
for name in {compiled!r}:
    sys.modules[name] = None
before = set(sys.modules)
spec = spec_from_file_location("rules_adapter", {adapter!r})
spec.loader.exec_module(module_from_spec(spec))
print(json.dumps({{name: sys.modules[name].__file__ for name in set(sys.modules) - before
                  if getattr(sys.modules[name], "__file__", None)}}))
"""
COMPILED: Final = ("nacl", "jsonschema_rs", "numpy")
"""Compiled packages that the imported modules can do without."""


def list_modules() -> dict[str, Path]:
    """Return the file of each module of the project that the adapter imports, by its name in the archive."""
    program = _LIST.format(
        substitutes=str(RULES / "substitutes"), root=str(ROOT), compiled=COMPILED, adapter=str(RULES / "adapter.py")
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded: dict[str, str] = json.loads(done.stdout)
    files = {}
    for name, file in loaded.items():
        if name.partition(".")[0] in OWN:
            path = Path(file)
            files[path.relative_to(ROOT).as_posix()] = path
    return files


def list_package_files(name: str) -> Iterator[tuple[str, Path]]:
    """Yield the Python files of an installed package and its licence, by their names in the archive."""
    for file in distribution(name).files or ():
        is_licence = ".dist-info" in file.parts[0] and "LICENSE" in file.name
        if is_licence or (file.parts[0] == name and file.suffix == ".py"):
            yield file.as_posix(), Path(str(file.locate()))


def list_files() -> dict[str, Path]:
    """Return every file of the archive by its name in it."""
    files = {ADAPTER: RULES / "adapter.py", **SUBSTITUTES, **list_modules()}
    for package in PACKAGES:
        files |= dict(list_package_files(package))
    return files


def compile_files(files: dict[str, Path], target: Path) -> tuple[dict[str, Path], dict[str, Path]]:
    """
    Compile the files of the archive with the Python of the page, which starts twice as fast with them.

    Returns:
        The files of the archive, compiled, and those of the standard library that they import.
    """
    sources, compiled = target / "sources", target / "compiled"
    compiled.mkdir(parents=True)
    for name, path in files.items():
        (sources / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, sources / name)
    compiler = [*find_node(), str(RULES / "compile.mjs")]
    subprocess.run([*compiler, str(PYODIDE), str(sources), str(compiled)], check=True)
    others = {name: path for name, path in files.items() if not name.endswith(".py")}
    return others | _list_below(compiled / "rules"), _list_below(compiled / "library")


def _list_below(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}


def pack(files: dict[str, Path]) -> bytes:
    """
    Return an archive, which depends on nothing but the names and the content of its files.

    It is not compressed: the digest does not depend on the version of zlib, and servers compress it on its way.
    """
    packed = BytesIO()
    with ZipFile(packed, "w") as archive:
        for name, path in sorted(files.items()):
            entry = ZipInfo(name, _TIME)
            entry.compress_type, entry.create_system, entry.external_attr = ZIP_STORED, 3, 0o644 << 16
            archive.writestr(entry, path.read_bytes())
    return packed.getvalue()


def describe_file(content: bytes) -> dict[str, Any]:
    """Return the sizes and the digest of a file, as the manifest has them."""
    compressed = len(gzip.compress(content, 6, mtime=0))
    return {"bytes": len(content), "gzip": compressed, "sha256": hashlib.sha256(content).hexdigest()}


def lock_without_packages(text: str) -> str:
    """Return the lock file of Pyodide without the packages that it can download."""
    return json.dumps({**json.loads(text), "packages": {}}, separators=(",", ":"))


def compile_scripts(target: Path) -> None:
    """Compile the scripts of the page and its worker."""
    compiler = PACKAGES_OF_NODE / "esbuild" / "bin" / "esbuild"
    scripts, options = sorted(SCRIPTS.glob("*.ts")), ["--target=es2022", "--log-level=warning", f"--outdir={target}"]
    subprocess.run([*find_node(), str(compiler), *map(str, scripts), *options], check=True)


def build(target: Path) -> None:
    """Build everything into an empty folder."""
    for name in (LOADER, *RUNTIME):
        shutil.copyfile(PYODIDE / name, target / name)
    (target / "NOTICE.txt").write_text(_NOTICE, encoding="utf-8")
    (target / LOCK).write_text(lock_without_packages((PYODIDE / LOCK).read_text(encoding="utf-8")), encoding="utf-8")
    with TemporaryDirectory() as directory:
        rules, library = compile_files(list_files(), Path(directory))
        (target / ARCHIVE).write_bytes(pack(rules))
        (target / LIBRARY).write_bytes(pack(library))
        compile_scripts(Path(directory))
        for name in WORKER:
            shutil.copyfile(Path(directory) / name, target / name)
    manifest = {
        "scorer": SCORER_VERSION,
        "pyodide": json.loads((PYODIDE / "package.json").read_text(encoding="utf-8"))["version"],
        "packages": {name: distribution(name).version for name in PACKAGES},
        "files": {
            name: describe_file((target / name).read_bytes()) for name in sorted([*RUNTIME, LIBRARY, LOCK, ARCHIVE])
        },
        "scripts": {name: describe_file((target / name).read_bytes()) for name in (LOADER, *WORKER)},
    }
    (target / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Build everything into the folder that the service serves."""
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir(parents=True)
    build(TARGET)


if __name__ == "__main__":
    main()
