"""Builds the TypeScript client in `client/`, and packs it for npm. `make typescript` runs it."""

import subprocess
from pathlib import Path
from typing import Final

from install import find_node

CLIENT: Final = Path(__file__).parent / "client"


def main() -> None:
    """Build the package, then pack it."""
    subprocess.run([*find_node(), "build.mjs"], cwd=CLIENT, check=True)
    subprocess.run([*find_node("npm"), "pack", "--ignore-scripts", "--loglevel", "error"], cwd=CLIENT, check=True)


if __name__ == "__main__":
    main()
