"""Hosts of the rig: network namespaces on one bridge, which has no way out."""

import ctypes
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

HOSTS: Final = {
    "pg1": 11, "pg2": 12, "pg3": 13, "etcd1": 14, "etcd2": 15, "etcd3": 16, "lb": 21, "web1": 31, "web2": 32,
    "worker1": 51, "client": 61,
}  # as a table  # fmt: skip
_PREFIX: Final = "ofc-"
_HUB: Final = f"{_PREFIX}hub"
_NAMESPACES: Final = Path("/run/netns")
_NETWORK: Final = 0x40000000
"""CLONE_NEWNET"""
T = TypeVar("T")


def address(host: str) -> str:
    return f"10.93.0.{HOSTS[host]}"


def enter(host: str) -> list[str]:
    """Return the beginning of a command that runs on a host."""
    return ["nsenter", f"--net={_NAMESPACES / (_PREFIX + host)}"]


def enter_thread(host: str) -> None:
    """Move the calling thread to a host: connections that it opens come from there."""
    with (_NAMESPACES / (_PREFIX + host)).open() as namespace:
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.setns(namespace.fileno(), _NETWORK) != 0:
            raise OSError(ctypes.get_errno(), f"cannot enter the namespace of {host}")


def run_at(host: str, function: Callable[[], T]) -> T:
    """Run a function in a thread on a host, and return its result."""
    with ThreadPoolExecutor(1, initializer=enter_thread, initargs=(host,)) as pool:
        return pool.submit(function).result()


def find_processes(host: str) -> list[int]:
    """Return the processes of a host."""
    listed = subprocess.run(["ip", "netns", "pids", _PREFIX + host], capture_output=True, text=True, check=False)
    return [int(pid) for pid in listed.stdout.split() if int(pid) != os.getpid()]


def kill_host(host: str) -> None:
    """End all processes of a host at once."""
    while processes := find_processes(host):
        for pid in processes:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def cut(host: str) -> None:
    """Cut a host off from all others, without a message to anybody."""
    _ip("-n", _HUB, "link", "set", f"p{host}", "down")


def heal(host: str) -> None:
    _ip("-n", _HUB, "link", "set", f"p{host}", "up")


@contextmanager
def network() -> Iterator[None]:
    """Create the hosts; at the end remove them with their processes."""
    remove_network()
    _ip("netns", "add", _HUB)
    try:
        _ip("-n", _HUB, "link", "add", "br0", "type", "bridge")
        _ip("-n", _HUB, "link", "set", "br0", "up")
        for host in HOSTS:
            _add_host(host)
        yield
    finally:
        remove_network()


def _add_host(host: str) -> None:
    name = _PREFIX + host
    _ip("netns", "add", name)
    _ip("-n", _HUB, "link", "add", f"p{host}", "type", "veth", "peer", "name", "eth0", "netns", name)
    _ip("-n", _HUB, "link", "set", f"p{host}", "master", "br0", "up")
    _ip("-n", name, "addr", "add", f"{address(host)}/24", "dev", "eth0")
    for link in ("eth0", "lo"):
        _ip("-n", name, "link", "set", link, "up")


def remove_network() -> None:
    """End the processes of all hosts, and remove the hosts."""
    for host in HOSTS:
        if (_NAMESPACES / (_PREFIX + host)).exists():
            kill_host(host)
            _ip("netns", "delete", _PREFIX + host)
    if (_NAMESPACES / _HUB).exists():
        _ip("netns", "delete", _HUB)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
