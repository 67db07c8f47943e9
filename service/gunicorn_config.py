"""How gunicorn serves, under `ofc-server up` and alone: `gunicorn --config python:service.gunicorn_config`."""

import signal
from typing import Protocol

from service.embedded import leash

wsgi_app = "service.wsgi:app"
# Each worker imports the application itself, so that nothing, above all no connection, is opened before the fork.
preload_app = False

worker_class = "gthread"
threads = 4
timeout = 60
graceful_timeout = 10

loglevel = "warning"
# Would be a socket in the home directory that nobody here uses.
control_socket_disable = True


class Worker(Protocol):
    """What gunicorn tells a hook about a worker, as far as it matters here."""

    ppid: int


def post_fork(_arbiter: object, worker: Worker) -> None:
    """No worker outlives gunicorn, however that ended; what it was writing is rolled back."""
    leash.set_death_signal(signal.SIGKILL, parent=worker.ppid)
