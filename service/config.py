import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

import platformdirs

if TYPE_CHECKING:
    from sqlalchemy import URL

MOST_WORKERS = 64
DEFAULT_RATE_LIMIT = 6000
MOST_RATE_LIMIT = 10_000_000
MOST_PROXIES = 10
MOST_LIMIT = 1_000_000_000
MOST_DAYS = 36_500
BROKERS = ("amqp", "amqps", "redis", "rediss")
RATE_LIMIT_STORAGES = ("redis", "rediss")


_QUEUE = re.compile(r"[A-Za-z0-9._-]{1,100}")


class ConfigError(ValueError):
    """
    The service was told something that it cannot use; the message says what was found and what would be right.

    >>> Hosting.from_environment({"OFC_PORT": "http"})
    Traceback (most recent call last):
    ...
    service.config.ConfigError: OFC_PORT is 'http'; expected an integer from 0 to 65535.
    """

    code = "configuration"


@dataclass(frozen=True)
class ImportLimits:
    """How large an import may be, and how much of a club's imports may wait."""

    mebibytes: int = 1024
    """Of one import, unpacked."""
    ratio: int = 200
    """How many bytes a byte of gzip may unpack to, once an import is larger than 1 MiB. Rounds come to 10 or 20."""
    lines: int = 1_000_000
    """Of one import, blank ones included."""
    under_way: int = 50
    """How many imports of one club may be received, queued, running or paused at once."""
    waiting_mebibytes: int = 4096
    """How much of a club's imports may be stored and not yet processed."""


@dataclass(frozen=True)
class Retention:
    """For how many days is stored what nothing else depends on; the records of rounds are never removed."""

    idempotency_days: int = 30
    """The first response to a request with an idempotency key, after it was sent."""
    import_days: int = 90
    """The results of an import, and what was left of a failed one, after its end."""


@dataclass(frozen=True)
class Config:
    """
    Where the records are kept and the messages go; all that a web worker or a job worker must be told.

    >>> config = Config("postgresql://ofc:secret@db.example/ofc")
    >>> config
    Config(queue='ofc.jobs', rate_limit=0, trusted_proxies=0, database='postgresql://ofc:***@db.example/ofc')
    >>> config.owner_url == config.database_url
    True
    """

    database_url: str = field(repr=False)
    """The login that the service works as; it should own nothing."""
    owner_url: str = field(default="", repr=False)
    """The login that owns the tables and migrates them; the service's own where it is not given."""
    broker_url: str = field(default="", repr=False)
    """Where messages to workers go: RabbitMQ or Redis; where it is not given, the database itself carries them."""
    queue: str = "ofc.jobs"
    """The queue of the messages. Two services that share a broker need two names."""
    rate_limit: int = 0
    """How many requests a minute each key may send; 0 for no limit."""
    rate_limit_url: str = field(default="", repr=False)
    """The Redis in which web workers count requests together; without it, each counts its share in its own memory."""
    trusted_proxies: int = 0
    """How many proxies stand before the service, one behind the other; each adds whom it heard to X-Forwarded-For."""
    signing_key_file: Path | None = field(default=None, repr=False)
    """The key that checkpoints are signed with; where it is not given, none are made."""
    imports: ImportLimits = field(default_factory=ImportLimits, repr=False)
    """How large imports may be."""
    retention: Retention = field(default_factory=Retention, repr=False)
    """How long is stored what may be removed."""
    allow_data_loss: bool = field(default=False, repr=False)
    """Whether the service starts on a PostgreSQL that can lose committed records in a crash, as tests do."""
    database: str = field(init=False)
    """The database as it may be shown: without a password."""

    def __post_init__(self) -> None:
        """Refuse what is not the URL of a PostgreSQL database."""
        service = _database("OFC_DATABASE_URL", self.database_url)
        owner = _database("OFC_OWNER_URL", self.owner_url) if self.owner_url else service
        if self.broker_url and self.broker_url.partition("://")[0] not in BROKERS:
            scheme = self.broker_url.partition("://")[0] if "://" in self.broker_url else "something else"
            raise ConfigError(
                f"OFC_BROKER_URL begins with {scheme}; expected a URL like amqp://login:password@host or redis://host "
                "(without it, messages go through the database)."
            )
        if self.rate_limit_url and not _is_redis(self.rate_limit_url):
            raise ConfigError(
                "OFC_RATE_LIMIT_URL is not a URL of a Redis; expected a URL like redis://:password@host:6379/0 "
                "(without it, each web worker counts requests in its own memory)."
            )
        if not _QUEUE.fullmatch(self.queue):
            raise ConfigError(f"OFC_QUEUE is {self.queue!r}; expected 1 to 100 of the characters A-Z a-z 0-9 . _ -")
        object.__setattr__(self, "database_url", service.render_as_string(hide_password=False))
        object.__setattr__(self, "owner_url", owner.render_as_string(hide_password=False))
        object.__setattr__(self, "database", service.set(query={}).render_as_string(hide_password=True))

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """
        Read OFC_DATABASE_URL; where another login migrates, OFC_OWNER_URL; and what `read_settings` reads.

        Raises:
            ConfigError: a URL is missing, or is of another kind; a number is none, or not one of those.
        """
        if not environment.get("OFC_DATABASE_URL"):
            raise ConfigError(
                "OFC_DATABASE_URL is not set; expected a URL like postgresql://login:password@host/database "
                "(`ofc-server up` does without and brings a PostgreSQL of its own)."
            )
        return cls(environment["OFC_DATABASE_URL"], environment.get("OFC_OWNER_URL", ""), **read_settings(environment))


def read_settings(environment: Mapping[str, str]) -> dict[str, Any]:
    """
    Read all beside where the database is, by the names that `Config` has for it.

    >>> found = read_settings({"OFC_BROKER_URL": "redis://localhost"})
    >>> found["broker_url"], found["queue"], found["rate_limit"], found["trusted_proxies"], found["signing_key_file"]
    ('redis://localhost', 'ofc.jobs', 6000, 0, None)

    Raises:
        ConfigError: a number is none, or not one of those.
    """
    signing_key = environment.get("OFC_SIGNING_KEY_FILE")
    return {
        "broker_url": environment.get("OFC_BROKER_URL", ""),
        "queue": environment.get("OFC_QUEUE") or Config.queue,
        "rate_limit": read_number(environment, "OFC_RATE_LIMIT", DEFAULT_RATE_LIMIT, 0, MOST_RATE_LIMIT),
        "rate_limit_url": environment.get("OFC_RATE_LIMIT_URL", ""),
        "trusted_proxies": read_number(environment, "OFC_TRUSTED_PROXIES", 0, 0, MOST_PROXIES),
        "allow_data_loss": read_number(environment, "OFC_ALLOW_DATA_LOSS", 0, 0, 1) == 1,
        "signing_key_file": Path(signing_key) if signing_key else None,
        "imports": ImportLimits(
            mebibytes=read_number(environment, "OFC_IMPORT_MIB", ImportLimits.mebibytes, 1, MOST_LIMIT),
            ratio=read_number(environment, "OFC_IMPORT_RATIO", ImportLimits.ratio, 1, MOST_LIMIT),
            lines=read_number(environment, "OFC_IMPORT_LINES", ImportLimits.lines, 1, MOST_LIMIT),
            under_way=read_number(environment, "OFC_IMPORTS_UNDER_WAY", ImportLimits.under_way, 1, MOST_LIMIT),
            waiting_mebibytes=read_number(
                environment, "OFC_IMPORTS_WAITING_MIB", ImportLimits.waiting_mebibytes, 1, MOST_LIMIT
            ),
        ),
        "retention": Retention(
            idempotency_days=read_number(environment, "OFC_IDEMPOTENCY_DAYS", Retention.idempotency_days, 1, MOST_DAYS),
            import_days=read_number(environment, "OFC_IMPORT_DAYS", Retention.import_days, 1, MOST_DAYS),
        ),
    }


@dataclass(frozen=True)
class Hosting:
    """
    Where and how `ofc-server up` serves.

    >>> Hosting.from_environment({"OFC_PORT": "8080", "OFC_DATA": "/srv/ofc"}, port=9000)
    Hosting(host='127.0.0.1', port=9000, workers=2, concurrency=1, directory=PosixPath('/srv/ofc'))
    """

    host: str
    port: int
    """0 takes any free port."""
    workers: int
    concurrency: int
    """How many chunks of jobs are done at once on this machine; 0 leaves jobs to workers started elsewhere."""
    directory: Path
    """Holds the embedded PostgreSQL and the first key."""

    @classmethod
    def from_environment(
        cls,
        environment: Mapping[str, str] = os.environ,
        *,
        host: str | None = None,
        port: int | None = None,
        workers: int | None = None,
        concurrency: int | None = None,
        directory: Path | None = None,
    ) -> Self:
        """
        Read OFC_HOST, OFC_PORT, OFC_WORKERS, OFC_CONCURRENCY and OFC_DATA; what is given here comes first.

        Raises:
            ConfigError: one of them cannot be what it says.
        """
        named = environment.get("OFC_DATA")
        return cls(
            host=host or environment.get("OFC_HOST") or "127.0.0.1",
            port=read_number(environment, "OFC_PORT", 8000, 0, 65535) if port is None else port,
            workers=read_number(environment, "OFC_WORKERS", 2, 1, MOST_WORKERS) if workers is None else workers,
            concurrency=read_concurrency(environment, least=0) if concurrency is None else concurrency,
            directory=(directory or (Path(named) if named else default_directory())).expanduser().absolute(),
        )


def read_concurrency(environment: Mapping[str, str], *, least: int = 1) -> int:
    """
    Read OFC_CONCURRENCY: how many chunks of jobs a worker does at once.

    Raises:
        ConfigError: it is no number, or not one of those.
    """
    return read_number(environment, "OFC_CONCURRENCY", 1, least, MOST_WORKERS)


def default_directory() -> Path:
    """The user's own place for what programs keep: `~/.local/share/tablestakes` on Linux."""
    return platformdirs.user_data_path("tablestakes", appauthor=False)


def read_number(environment: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    """
    Read a number from the environment.

    Raises:
        ConfigError: it is no whole number, or out of range.
    """
    text = environment.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise ConfigError(f"{name} is {text!r}; expected an integer from {least} to {most}.")
    return int(text)


def _is_redis(url: str) -> bool:
    """
    Return whether a URL can be of a Redis.

    >>> _is_redis("redis://localhost:6379/0"), _is_redis("redis://localhost:port"), _is_redis("localhost")
    (True, False, False)
    """
    try:
        address = urlsplit(url)
        return address.scheme in RATE_LIMIT_STORAGES and address.port != 0
    except ValueError:
        return False


def _database(name: str, text: str) -> "URL":
    """Read a URL; it may hold a password, so it is never repeated in an error."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    right = "expected a URL like postgresql://login:password@host/database"
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise ConfigError(f"{name} is not a URL; {right}.") from None
    if url.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise ConfigError(f"{name} begins with {url.drivername}://; {right}.")
    if not url.database:
        raise ConfigError(f"{name} names no database; {right}.")
    # The plain name is understood by SQLAlchemy and by libpq.
    return url.set(drivername="postgresql")
