"""A host in a network namespace of its own, whose cable a test can cut."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

HERE, THERE = "10.94.0.1", "10.94.0.2"
HAS_NAMESPACES = os.geteuid() == 0 and shutil.which("ip") is not None


@dataclass(frozen=True)
class Host:
    """A host that reaches this one at the address `HERE`."""

    name: str

    def command(self, *command: str) -> list[str]:
        """Return a command that runs another one on the host."""
        return ["ip", "netns", "exec", self.name, *command]

    def cut_off(self) -> None:
        """Cut the cable: from now on nothing arrives in either direction, and neither side gets a sign of it."""
        _ip("link", "set", f"{self.name}-here", "down")


@contextmanager
def another_host() -> Iterator[Host]:
    host = Host(f"ofc{os.getpid() % 100000}")
    _ip("netns", "add", host.name)
    try:
        here, there = f"{host.name}-here", f"{host.name}-it"
        _ip("link", "add", here, "type", "veth", "peer", "name", there)
        _ip("link", "set", there, "netns", host.name)
        _ip("address", "add", f"{HERE}/30", "dev", here)
        _ip("link", "set", here, "up")
        _ip("-n", host.name, "address", "add", f"{THERE}/30", "dev", there)
        _ip("-n", host.name, "link", "set", there, "up")
        yield host
    finally:
        _ip("netns", "delete", host.name)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
