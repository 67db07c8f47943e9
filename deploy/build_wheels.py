"""
Build wheels that are equal whenever, and by whomever, they are built from the same files.

`make dist` runs it. Example:

    python deploy/build_wheels.py dist client .
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

CONSTRAINTS: Final = Path(__file__).parents[1] / "constraints.txt"
EARLIEST: Final = "315532800"
"""1980-01-01, the earliest time of a file in a wheel."""


def build_wheels(into: Path, *sources: Path) -> None:
    """Build the wheel of each folder, with the tested build system, the same time for all files and the usual modes."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    # pip 25.3 has the second name for the packages that build.
    constraints = dict.fromkeys(("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT"), str(CONSTRAINTS))
    variables = {"SOURCE_DATE_EPOCH": EARLIEST, **os.environ, **constraints}
    subprocess.run([*pip, "--wheel-dir", into, *sources], env=variables, umask=0o022, check=True)


def main() -> None:
    """Build the wheels of some folders."""
    if len(sys.argv) < 3:
        sys.exit("Usage: build_wheels.py INTO SOURCE...")
    build_wheels(*map(Path, sys.argv[1:]))


if __name__ == "__main__":
    main()
