"""The memory of web processes: it levels off, however long they run."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

import psutil
import pytest

from tests.service.server.mixed_load import MixedLoad
from tests.support.server_process import Running, make_key, running

PERIODS = 6
MINUTES = 10
SAMPLE_SECONDS = 15
MOST_GROWTH = 6 * 1024 * 1024
"""Of a web process, from the second period to the last. It was 60 MB with an arena for each thread."""

COUNT_ARENAS = """
import ctypes, sys, tempfile, threading
from service.memory import limit_arenas
if sys.argv[1] == "limited":
    limit_arenas()
together = threading.Barrier(9)
def allocate():
    block = ctypes.create_string_buffer(50_000)
    together.wait()
    together.wait()
threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads:
    thread.start()
together.wait()
libc = ctypes.CDLL(None)
libc.fopen.restype = ctypes.c_void_p
with tempfile.NamedTemporaryFile() as file:
    stream = ctypes.c_void_p(libc.fopen(file.name.encode(), b"w"))
    libc.malloc_info(0, stream)
    libc.fclose(stream)
    print(file.read().count(b"<heap nr="))
together.wait()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc has arenas")
def test_threads_share_two_arenas_of_malloc() -> None:
    def count(mode: str, **variables: str) -> int:
        command = [sys.executable, "-c", COUNT_ARENAS, mode]
        return int(subprocess.run(command, env=variables, capture_output=True, check=True).stdout)

    assert count("limited") == 2
    assert count("unlimited") > 2
    assert count("limited", MALLOC_ARENA_MAX="4") == 4, "what the operator has set"


@pytest.mark.verify
def test_the_memory_of_web_processes_levels_off_in_an_hour_of_mixed_load(tmp_path: Path) -> None:
    """
    Each period has a club of its own, so that all periods have the same work.

    A process keeps the memory that its largest responses needed, and those about all rounds of a club grow with it.
    """
    directory = tmp_path / "ofc"
    with running(directory, OFC_WORKERS="2", OFC_CONCURRENCY="1", OFC_RATE_LIMIT="1000000") as service:
        processes = web_processes(service)
        sizes: dict[int, list[float]] = {process.pid: [] for process in processes}
        for period in range(PERIODS):
            with MixedLoad(service, make_key(directory, f"club {period}"), pause=0.2) as load:
                for pid, taken in sample(load, processes).items():
                    sizes[pid].append(median(taken) / 2**20)
            assert not [sent for sent in load.sent if sent[1] >= 500], load.sent
        assert web_processes(service) == processes, "none was replaced"
    for taken in sizes.values():
        print("MiB by period:", *(f"{size:.1f}" for size in taken))
        assert (taken[-1] - taken[1]) * 2**20 < MOST_GROWTH, taken


def sample(load: MixedLoad, processes: Sequence[psutil.Process]) -> dict[int, list[int]]:
    """Return the sizes of processes during a period of a load."""
    samples: dict[int, list[int]] = {process.pid: [] for process in processes}
    ends = time.monotonic() + MINUTES * 60
    while time.monotonic() < ends:
        time.sleep(SAMPLE_SECONDS)
        load.check()
        for process in processes:
            samples[process.pid].append(process.memory_full_info().uss)
    return samples


def web_processes(service: Running) -> list[psutil.Process]:
    return [child for child in psutil.Process(service.up.pid).children() if "service.server.web" in child.cmdline()]
