import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping
from types import TracebackType
from typing import Final, Self

from service.config import Config
from service.embedded import leash
from service.logs import get_log

_GRACE_SECONDS: Final = 15.0
_LONGEST_PAUSE: Final = 60.0
_STEADY_SECONDS: Final = 60.0

_log = get_log(__name__)


class JobWorker:
    """
    An `ofc-server worker`, started again when it ends by itself, and stopped at the end of the `with`.

    The service answers without it, so its trouble is nobody else's: one that keeps dying is started less often.
    """

    def __init__(self, config: Config, concurrency: int, environment: Mapping[str, str]) -> None:
        self._command = [sys.executable, "-m", "service", "worker", "--concurrency", str(concurrency)]
        self._environment = {**environment, "OFC_DATABASE_URL": config.database_url, "OFC_OWNER_URL": ""}
        self._deaths: deque[float] = deque(maxlen=10)
        self._start_from = 0.0
        self._process = self._spawn()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let chunks under way be done, then end what is left."""
        leash.stop(self._process, _GRACE_SECONDS)

    def revive(self) -> None:
        """Start it again where it has ended: at once, or after a pause where it did so before."""
        now = time.monotonic()
        if self._process.poll() is None or now < self._start_from:
            return
        _log.warning("worker_restarted", exit_code=self._process.returncode)
        self._deaths.append(now)
        lately = sum(death > now - _STEADY_SECONDS for death in self._deaths)
        self._start_from = now + min(2.0 ** (lately - 1), _LONGEST_PAUSE)
        self._process = self._spawn()

    def _spawn(self) -> subprocess.Popen[bytes]:
        return leash.spawn(self._command, last_signal=signal.SIGTERM, env=self._environment)
