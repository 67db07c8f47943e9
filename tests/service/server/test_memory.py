"""The memory of web processes: it levels off, however long they run."""

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import psutil
import pytest

from tests.service.server.mixed_load import MixedLoad
from tests.support.server_process import Running, running

MINUTES = 60
SAMPLE_SECONDS = 15
MOST_GROWTH = 6 * 1024 * 1024
"""Of a web process, from the second quarter of the hour to the last. It was 60 MB with an arena for each thread."""

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
    directory = tmp_path / "ofc"
    with running(directory, OFC_WORKERS="2", OFC_CONCURRENCY="1", OFC_RATE_LIMIT="1000000") as service:
        processes = web_processes(service)
        samples: dict[int, list[int]] = {process.pid: [] for process in processes}
        with MixedLoad(service, directory, pause=0.2) as load:
            ends = time.monotonic() + MINUTES * 60
            while time.monotonic() < ends:
                time.sleep(SAMPLE_SECONDS)
                load.check()
                for process in processes:
                    samples[process.pid].append(process.memory_full_info().uss)
        assert web_processes(service) == processes, "none was replaced"
        assert not [sent for sent in load.sent if sent[1] >= 500], load.sent
    for taken in samples.values():
        quarter = len(taken) // 4
        before, after = median(taken[quarter : 2 * quarter]), median(taken[-quarter:])
        print(f"{before / 2**20:.1f} MiB in the second quarter, {after / 2**20:.1f} MiB in the last")
        assert after - before < MOST_GROWTH, [size // 2**20 for size in taken]


def web_processes(service: Running) -> list[psutil.Process]:
    return [child for child in psutil.Process(service.up.pid).children() if "service.server.web" in child.cmdline()]
