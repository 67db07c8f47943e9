"""Runs Chromium: that of the machine, or the one of an npm package, which needs no root."""

import fcntl
import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, sync_playwright

from web.install import find_node

PACKAGES: Final = Path(__file__).parents[3] / "web" / "node_modules"
_ARCHIVES: Final = PACKAGES / "@sparticuz" / "chromium" / "bin"
_UNPACKED: Final = PACKAGES / ".cache" / "chromium"
_UNPACK: Final = """
const { brotliDecompressSync } = require("node:zlib");
const { readFileSync, writeFileSync } = require("node:fs");
const [source, target] = process.argv.slice(-2);
writeFileSync(target, brotliDecompressSync(readFileSync(source)));
"""


@contextmanager
def open_chromium(*arguments: str) -> Iterator[Browser]:
    """
    Run Chromium, with further arguments of its command line.

    Raises OSError with the reason if it cannot run on this machine.
    """
    options = launch_options(*arguments)
    # Until Playwright is stopped, its event loop stays the one of the thread; other tests run loops of their own.
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(**options)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_beside(browser: Browser, *arguments: str) -> Iterator[Browser]:
    """Run another Chromium beside one that runs: Playwright can be started only once in a thread."""
    another = browser.browser_type.launch(**launch_options(*arguments))
    try:
        yield another
    finally:
        another.close()


def launch_options(*arguments: str) -> dict[str, Any]:
    """Return how Playwright launches Chromium. Raises OSError with the reason if it cannot run on this machine."""
    program, libraries = find_chromium()
    variables = {**os.environ, **({"LD_LIBRARY_PATH": str(libraries)} if libraries else {})}
    return {"executable_path": str(program), "args": ["--no-sandbox", "--headless=shell", *arguments], "env": variables}


def find_chromium() -> tuple[Path, Path | None]:
    """Return the program and the folder of libraries that it needs, if it needs one."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(name):
            return Path(path), None
    program, libraries = _UNPACKED / "chromium", _UNPACKED / "lib"
    if not _ARCHIVES.is_dir():
        raise OSError(f"there is neither a Chromium on this machine nor {_ARCHIVES}; run 'make develop'")
    _UNPACKED.mkdir(parents=True, exist_ok=True)
    with (_UNPACKED / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (_UNPACKED / "complete").exists():
            _unpack("al2023.tar.br")
            _unpack("chromium.br")
            program.chmod(0o755)
            (_UNPACKED / "complete").touch()
    ended = subprocess.run(
        [program, "--version"], env={**os.environ, "LD_LIBRARY_PATH": str(libraries)}, capture_output=True, text=True
    )
    if ended.returncode != 0:
        raise OSError(f"Chromium does not run on this machine: {ended.stderr.strip()[:300]}")
    return program, libraries


def _unpack(name: str) -> None:
    target = _UNPACKED / name.removesuffix(".br")
    subprocess.run([*find_node(), "-e", _UNPACK, str(_ARCHIVES / name), str(target)], check=True)
    if target.suffix == ".tar":
        with tarfile.open(target) as archive:
            # Python 3.11.3 and older have no filters.
            archive.extractall(_UNPACKED, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        target.unlink()
