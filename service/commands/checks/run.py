"""Run all checks of `ofc-server doctor`, in the order in which problems are to be solved."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from service.audit_trail.signing import SIGNING_KEY
from service.commands.checks import database as of_database
from service.commands.checks import workers as of_workers
from service.commands.checks.check import Check, CheckState
from service.commands.checks.database import check_database
from service.commands.checks.machine import check_archive, check_disk, check_embedded_backup, check_https, check_web
from service.commands.checks.workers import check_background, check_broker
from service.config import Config, ConfigError, Hosting, read_settings, read_transfer_seconds
from service.db import SERVICE_ROLE, Database
from service.errors import ServiceError
from service.logs import make_formatter
from service.server.embedded import OWNER, Cluster, EmbeddedError

_LATER = ("broker", *of_workers.NAMES, "disk", "https", "web", "backups")


def run_checks(
    environment: Mapping[str, str], directory: Path | None = None, tls: tuple[Path, Path] | None = None
) -> list[Check]:
    """
    Run all checks.

    The embedded PostgreSQL is started for them if the service does not run.

    Args:
        environment: the settings.
        directory: the data directory; without it, that of the settings.
        tls: the files of the certificate and its key.
    """
    with ExitStack() as stack:
        try:
            hosting = Hosting.from_environment(environment, directory=directory, tls=tls)
            settings = read_settings(environment)
            read_transfer_seconds(environment)
            make_formatter(environment)
            is_external = bool(environment.get("OFC_DATABASE_URL"))
            cluster = None if is_external else Cluster(hosting.directory)
            config = (
                Config.from_environment(environment)
                if cluster is None
                else Config(cluster.url(SERVICE_ROLE), cluster.url(OWNER), **settings)
            )
        except ConfigError as error:
            remedy = "Correct the variable; docs/deployment.md lists all."
            rest = (*of_database.NAMES, *_LATER)
            unchecked = [Check.unchecked(name, "The configuration is not valid.") for name in rest]
            return [Check.problem("configuration", str(error), remedy), *unchecked]
        checks = [Check.ok("configuration", "The settings are valid.")]
        home = None if cluster is None else hosting.directory
        if cluster is not None:
            stack.callback(cluster.stop)
            try:
                cluster.join(only_reads=True)
                # The path of its socket is known after its start.
                config = Config(cluster.url(SERVICE_ROLE), cluster.url(OWNER), **settings)
            except (EmbeddedError, ServiceError) as error:
                failed = [Check.problem("database", str(error)), *_unchecked(*of_database.NAMES[1:])]
                machine = [check_disk(home), check_https(config, hosting), check_web(config)]
                return [*checks, *failed, *_unchecked("broker", *of_workers.NAMES), *machine, *_unchecked("backups")]
        database = Database(config.database_url, pool_size=1)
        stack.callback(database.close)
        checks += check_database(database, config)
        is_reachable = all(check.state is CheckState.OK for check in checks if check.name in ("database", "migrations"))
        key_file = config.signing_key_file or (home and home / SIGNING_KEY)
        if is_reachable:
            checks += [check_broker(config), *check_background(database, key_file)]
        elif config.broker_url:
            checks += [check_broker(config), *_unchecked(*of_workers.NAMES)]
        else:
            checks += _unchecked("broker", *of_workers.NAMES)
        checks += [check_disk(home), check_https(config, hosting), check_web(config)]
        if home is not None:
            checks.append(check_embedded_backup(home))
        else:
            checks.append(check_archive(database) if is_reachable else _unchecked("backups")[0])
        return checks


def _unchecked(*names: str) -> list[Check]:
    return [Check.unchecked(name, "Another problem of the database comes first.") for name in names]
