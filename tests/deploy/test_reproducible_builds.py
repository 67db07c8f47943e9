"""Wheels, their archive and the layers of the image are the same whenever, and by whomever, they are built."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

from client.version import VERSION
from deploy.wheels import archive_wheels
from tests.deploy.deploy_files import DEPLOY
from tests.support.installation import ROOT, clean, copy_source, run

BUILDAH: Final = shlex.split(os.environ.get("BUILDAH", "buildah"))
"""The command, with options such as `--root DIR`."""
OPTIONS: Final = shlex.split(os.environ.get("BUILDAH_BUILD", ""))
"""More options of `buildah build`, such as `--build-arg BASE=localhost/base`."""


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def build(directory: Path, mask: int, *parts: str) -> dict[str, bytes]:
    """Build the wheels of some parts of a new copy of the checkout, whose files are as old as the copy."""
    with umask(mask):
        directory.mkdir()
        copy_source(directory / "source")
        for path in (directory / "source").rglob("*"):
            os.utime(path)
        sources = [directory / "source" / part for part in parts]
        run(sys.executable, DEPLOY / "build_wheels.py", directory / "dist", *sources)
    return {wheel.name: wheel.read_bytes() for wheel in (directory / "dist").iterdir()}


def test_wheels_that_are_built_by_others_and_later_are_equal(tmp_path: Path) -> None:
    first = build(tmp_path / "first", 0o022, "client")
    time.sleep(2)  # the unit of the times in an archive
    assert first == build(tmp_path / "second", 0o077, "client")


def test_archives_of_equal_wheels_are_equal(tmp_path: Path) -> None:
    archives = []
    for number, mask in enumerate((0o022, 0o077)):
        with umask(mask):
            directory = tmp_path / str(number)
            directory.mkdir()
            for name in ("b", "a") if number else ("a", "b"):
                (directory / f"{name}.whl").write_text(name)
                os.utime(directory / f"{name}.whl", (number, number))
            archive_wheels(directory, tmp_path / f"{number}.tar")
            archives.append((tmp_path / f"{number}.tar").read_bytes())
    assert archives[0] == archives[1]


def read_build_command() -> list[str]:
    """Return the command of `make image`, with the program that the environment selects."""
    (command,) = re.findall(r"^BUILD \?= buildah (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    return [*BUILDAH, *shlex.split(command)]


def prepare(directory: Path, mask: int) -> Path:
    """Return a folder with everything that the image is built from."""
    build(directory, mask, "client", ".")
    dist = directory / "dist"
    run(sys.executable, DEPLOY / "wheels.py", "--python", "3.13", "--dist", dist)
    run(sys.executable, DEPLOY / "sbom.py", dist / "wheels", dist / "sbom.cdx.json")
    shutil.copy(DEPLOY / "healthcheck.py", dist)
    return dist


def buildah(*command: str | Path) -> str:
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=600, check=False, env={**os.environ, **clean()}
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def list_layers(dist: Path, tag: str) -> list[str]:
    """Build the image as `make image` does, and return the digests of its layers, those of its base first."""
    version = ("--build-arg", f"VERSION={VERSION}")
    buildah(
        *read_build_command(), "--no-cache", *OPTIONS, *version, "--tag", tag, "--file", DEPLOY / "Containerfile", dist
    )
    inspected = json.loads(buildah(*BUILDAH, "inspect", "--type", "image", tag))
    layers: list[str] = inspected["OCIv1"]["rootfs"]["diff_ids"]
    return layers


@pytest.mark.verify
@pytest.mark.skipif(shutil.which(BUILDAH[0]) is None, reason="buildah is not installed")
def test_layers_of_images_that_are_built_from_the_same_files_are_equal(tmp_path: Path) -> None:
    tags = [f"localhost/ofc-test-{number}:{VERSION}" for number in range(2)]
    built = []
    try:
        for tag, mask in zip(tags, (0o022, 0o077), strict=True):
            dist = prepare(tmp_path / tag.partition("/")[2], mask)
            with umask(mask):
                built.append(list_layers(dist, tag))
        assert built[0] == built[1]
        assert len(built[0]) >= 2
    finally:
        subprocess.run([*BUILDAH, "rmi", *tags], capture_output=True, timeout=120, check=False)
