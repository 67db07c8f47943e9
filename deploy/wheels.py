"""
Download the wheels that the service needs, and archive them with those of the project, for machines without a network.

`make wheels` runs it after `make dist`. Example:

    python deploy/wheels.py --python 3.13 --machine x86_64
"""

import argparse
import platform
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
EXTRAS: Final = "embedded,parquet"
OLDEST_GLIBC, NEWEST_GLIBC = 17, 36
"""The minor versions of the GNU C library 2 whose wheels are accepted; Debian 12 has 36, and Debian 13 a newer one."""
_MOMENT: Final = 315532800
"""1980-01-01, the time of every file in the archive, so that the same wheels are the same archive."""


def download_wheels(dist: Path, into: Path, python: str, machine: str) -> None:
    """
    Download the tested versions of everything that the service depends on, as wheels for one version of Python.

    Args:
        dist: the folder with the wheels of the project, which are copied.
        into: the folder for all wheels; it is emptied first.
        python: the version, for example `3.13`.
        machine: the processor, for example `x86_64`.
    """
    shutil.rmtree(into, ignore_errors=True)
    names = ["manylinux2014", *(f"manylinux_2_{minor}" for minor in range(OLDEST_GLIBC, NEWEST_GLIBC + 1))]
    platforms = [part for name in names for part in ("--platform", f"{name}_{machine}")]
    selected = ["--only-binary=:all:", "--python-version", python, "--implementation", "cp", *platforms]
    # Files, not names: an index can have other distributions with these names.
    (service,), (client,) = dist.glob("tablestakes-*.whl"), dist.glob("tablestakes_client-*.whl")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--dest", into]
    subprocess.run(
        [*pip, *selected, "--constraint", ROOT / "constraints.txt", f"{service}[{EXTRAS}]", client], check=True
    )


def archive_wheels(wheels: Path, archive: Path) -> None:
    """Write an archive of a folder of wheels, without owners, permissions and times of this machine."""

    def normalize(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mode, entry.mtime = 0o644, _MOMENT
        return entry

    # Wheels are compressed already.
    with tarfile.open(archive, "w") as written:
        for wheel in sorted(wheels.glob("*.whl")):
            written.add(wheel, f"wheels/{wheel.name}", filter=normalize)


def main() -> None:
    """Read the options, and write `dist/wheels/` and the archive."""
    parser = argparse.ArgumentParser(description="Download and archive the wheels of the service.")
    parser.add_argument("--python", default=".".join(platform.python_version_tuple()[:2]), help="version of Python")
    parser.add_argument("--machine", default=platform.machine(), help="processor, for example x86_64 or aarch64")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="folder with the wheels of the project")
    options = parser.parse_args()
    wheels = options.dist / "wheels"
    download_wheels(options.dist, wheels, options.python, options.machine)
    (service,) = options.dist.glob("tablestakes-*.whl")
    version = service.name.split("-")[1]
    archive = options.dist / f"tablestakes-{version}-python{options.python}-{options.machine}.tar"
    archive_wheels(wheels, archive)
    print(f"{archive}: {len(list(wheels.iterdir()))} wheels, {archive.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
