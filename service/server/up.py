import contextlib
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import FrameType
from typing import NoReturn

from service.config import Config, Hosting, read_settings
from service.db import SERVICE_ROLE, Database, migrate
from service.logs import get_log
from service.server.address import listen
from service.server.embedded import OWNER, Cluster, EmbeddedError
from service.server.first_key import HOME, ensure_key, ensure_signing_key, read_key
from service.server.gunicorn_worker.wire import Limits
from service.server.processes import JobWorker, Web
from service.version import VERSION

_log = get_log(__name__)
_MOST_DEATHS, _WITHIN_SECONDS = 5, 60.0


class Stopped(BaseException):
    """Somebody asked the service to stop."""


def up(hosting: Hosting, environment: Mapping[str, str], say: Callable[[str], None]) -> None:
    """
    Run everything until somebody stops it: database, migrations, web, and a worker for jobs.

    The order is that of a careful operator: take the port first, for a port in use is the commonest mistake and the
    cheapest to find; then the database, its newest shape, the first key; and say that it is ready only once it answers.

    Raises:
        UpError, EmbeddedError, ConfigError, ServiceError: it cannot be done; the message is for the operator.
    """
    # What the web workers will read is refused before anything is started for them.
    Limits.from_environment(environment)
    _raise_stopped_on_signals()
    with contextlib.suppress(Stopped), contextlib.ExitStack() as stack:
        listener = stack.enter_context(listen(hosting.host, hosting.port))
        cluster: Cluster | None = None
        if environment.get("OFC_DATABASE_URL"):
            config = Config.from_environment(environment)
            say(f"Starting on {config.database} ...")
        else:
            cluster = Cluster(hosting.directory)
            # What else is wrong with the environment is found before anything is made.
            config = Config(cluster.url(SERVICE_ROLE), cluster.url(OWNER), **read_settings(environment))
            say(f"Starting on the embedded PostgreSQL in {hosting.directory} ...")
            stack.enter_context(cluster)
            # Where it listens is settled by its start.
            config = replace(config, database_url=cluster.url(SERVICE_ROLE), owner_url=cluster.url(OWNER))
        _check_server(config)
        migrate(config.owner_url)
        if cluster is not None:
            cluster.allow_login(SERVICE_ROLE)
        _check_login(config)
        key_file = ensure_key(config, hosting.directory)
        if cluster is not None:
            environment = {**environment, "OFC_SIGNING_KEY_FILE": str(ensure_signing_key(config, hosting.directory))}
        key = read_key(key_file)
        web = stack.enter_context(Web(config, hosting.workers, listener, environment))
        # Only gunicorn holds the port now, so that it is free as soon as that has ended.
        listener.close()
        web.wait_until_ready()
        worker: JobWorker | None = None
        if hosting.concurrency:
            worker = stack.enter_context(JobWorker(config, hosting.concurrency, environment))
        _log.info("ready", url=web.address.url, workers=hosting.workers, database=config.database, version=VERSION)
        say(f"Ready on {web.address.url}")
        say(f"The key of the club `{HOME}` is in {key_file}")
        if not web.knows(key):
            say(f"This database does not know that key; move {key_file} away and start again to get one it knows.")
        say("Press Ctrl-C to stop.")
        _keep_running(web, worker, cluster)


def _check_server(config: Config) -> None:
    """
    Check that records are safe in the database, before anything is written.

    Raises:
        DatabaseError: it is read-only, or a crash can lose records.
    """
    database = Database(config.owner_url, role=None, pool_size=1)
    try:
        database.check_server(allows_data_loss=config.allow_data_loss)
    finally:
        database.close()


def _check_login(config: Config) -> None:
    """
    See that the service's own login works, before anybody is told that the service does.

    Raises:
        DatabaseError: it does not.
    """
    database = Database(config.database_url, pool_size=1)
    try:
        database.check_head()
        database.check_schema()
    finally:
        database.close()


def _keep_running(web: Web, worker: JobWorker | None, cluster: Cluster | None) -> NoReturn:
    deaths: deque[float] = deque(maxlen=_MOST_DEATHS)
    while True:
        time.sleep(0.1)
        web.check_alive()
        if worker is not None:
            worker.restart_if_dead()
        if cluster is not None and cluster.restart_if_dead():
            _log.warning("postgresql_restarted")
            deaths.append(time.monotonic())
            if len(deaths) == _MOST_DEATHS and deaths[-1] - deaths[0] < _WITHIN_SECONDS:
                raise EmbeddedError(f"PostgreSQL died {_MOST_DEATHS} times within a minute: {cluster.last_error()}")


def _raise_stopped_on_signals() -> None:
    """Turn the first Ctrl-C, or SIGTERM or SIGHUP, into `Stopped`; further ones do not disturb the stopping."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def stop(_number: int, _frame: FrameType | None) -> NoReturn:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise Stopped

    for number in numbers:
        signal.signal(number, stop)
