import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

import platformdirs

from service.database_url import parse_database_url

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
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(:[0-9]{1,5})?|https?://\[[0-9a-f:]+\](:[0-9]{1,5})?")


class ConfigError(ValueError):
    """
    A setting is invalid; the message has the value and what is expected.

    >>> Hosting.from_environment({"OFC_PORT": "http"})
    Traceback (most recent call last):
    ...
    service.config.ConfigError: OFC_PORT is 'http'; expected an integer from 0 to 65535.
    """

    code = "configuration"


@dataclass(frozen=True)
class ImportLimits:
    """Limits of the size of an import, and of a club's unfinished imports."""

    mebibytes: int = 256
    """Maximum size of an import after decompression."""
    ratio: int = 200
    """Maximum compression ratio of imports over 1 MiB. Round documents have 10 to 20."""
    lines: int = 1_000_000
    """Maximum number of lines of an import, including blank ones."""
    under_way: int = 50
    """Maximum number of a club's imports that are received, queued, running or paused."""
    waiting_mebibytes: int = 4096
    """Maximum size of a club's stored, unprocessed imports."""


@dataclass(frozen=True)
class Retention:
    """Days after which responses and results of imports are removed. Records of rounds are never removed."""

    idempotency_days: int = 30
    """Days that the first response to a request with an idempotency key is stored."""
    import_days: int = 90
    """Days that the results of an import, and the rest of a failed one, are stored after its end."""


@dataclass(frozen=True)
class Config:
    """
    The configuration of web workers and job workers.

    >>> config = Config("postgresql://ofc:secret@db.example/ofc")
    >>> config
    Config(queue='ofc', rate_limit=0, trusted_proxies=0, database='postgresql://ofc:***@db.example/ofc')
    >>> config.owner_url == config.database_url
    True
    """

    database_url: str = field(repr=False)
    """The login of the service; it should own no tables."""
    owner_url: str = field(default="", repr=False)
    """The login that owns the tables and migrates them; default: the login of the service."""
    broker_url: str = field(default="", repr=False)
    """RabbitMQ or Redis; without it, the message queue is in the database."""
    queue: str = "ofc"
    """The beginning of the names of the message queues. Services that share a broker need different ones."""
    rate_limit: int = 0
    """Requests per minute of each key; 0 for no limit."""
    rate_limit_url: str = field(default="", repr=False)
    """The Redis that counts the requests of all web workers; without it, each worker counts its share in memory."""
    trusted_proxies: int = 0
    """Number of proxies in front of the service that add the client's address to X-Forwarded-For."""
    signing_key_file: Path | None = field(default=None, repr=False)
    """The key that signs checkpoints; without it, no checkpoints are made."""
    imports: ImportLimits = field(default_factory=ImportLimits, repr=False)
    """Limits of imports."""
    retention: Retention = field(default_factory=Retention, repr=False)
    """Days after which records are removed."""
    cors_origins: tuple[str, ...] = field(default=(), repr=False)
    """Origins of web pages whose scripts may read responses; none by default."""
    webhook_allow: str = field(default="", repr=False)
    """Hosts and networks to which messages may be sent although they are not public; none by default."""
    public_url: str = field(default="", repr=False)
    """The address at which phones reach the service, for links; by default that of the request."""
    allowed_hosts: tuple[str, ...] = field(default=(), repr=False)
    """Names of this service that links may contain, beside its IP addresses and the name of the machine."""
    allow_data_loss: bool = field(default=False, repr=False)
    """Whether to start on a PostgreSQL server that can lose committed records in a crash, for tests."""
    database: str = field(init=False)
    """The URL of the database without its password."""

    def __post_init__(self) -> None:
        """Validate the URLs and the name of the queue."""
        service = _database("OFC_DATABASE_URL", self.database_url)
        owner = _database("OFC_OWNER_URL", self.owner_url) if self.owner_url else service
        if self.broker_url and self.broker_url.partition("://")[0] not in BROKERS:
            scheme = self.broker_url.partition("://")[0] if "://" in self.broker_url else "no scheme"
            raise ConfigError(
                f"OFC_BROKER_URL begins with {scheme}; expected a URL like amqp://login:password@host or redis://host, "
                "or no value to use the database as the message queue."
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
        Read OFC_DATABASE_URL, OFC_OWNER_URL and the variables of `read_settings`.

        Raises:
            ConfigError: OFC_DATABASE_URL is missing, or a value is invalid.
        """
        if not environment.get("OFC_DATABASE_URL"):
            raise ConfigError(
                "OFC_DATABASE_URL is not set; expected a URL like postgresql://login:password@host/database "
                "(only `ofc-server up` works without: it starts an embedded PostgreSQL)."
            )
        return cls(environment["OFC_DATABASE_URL"], environment.get("OFC_OWNER_URL", ""), **read_settings(environment))


def read_settings(environment: Mapping[str, str]) -> dict[str, Any]:
    """
    Read the settings other than the database URLs, as arguments of `Config`.

    >>> settings = read_settings({"OFC_BROKER_URL": "redis://localhost"})
    >>> settings["broker_url"], settings["queue"], settings["rate_limit"]
    ('redis://localhost', 'ofc', 6000)
    >>> settings["trusted_proxies"], settings["signing_key_file"]
    (0, None)

    Raises:
        ConfigError: a value is invalid.
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
        "webhook_allow": read_webhook_allow(environment.get("OFC_WEBHOOK_ALLOW", "")),
        "cors_origins": read_origins(environment.get("OFC_CORS_ORIGINS", "")),
        "public_url": read_public_url(environment.get("OFC_PUBLIC_URL", "")),
        "allowed_hosts": read_hosts(environment.get("OFC_ALLOWED_HOSTS", "")),
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
    The settings of `ofc-server up`.

    >>> Hosting.from_environment({"OFC_PORT": "8080", "OFC_DATA": "/srv/ofc"}, port=9000)
    Hosting(host='127.0.0.1', port=9000, workers=2, concurrency=1, directory=PosixPath('/srv/ofc'))
    """

    host: str
    port: int
    """0 selects a free port."""
    workers: int
    concurrency: int
    """Number of chunks processed at the same time; 0 starts no job worker."""
    directory: Path
    """The data directory with the embedded PostgreSQL and the first key."""
    is_lan: bool = field(default=False, repr=False)
    """Whether to listen on the local network, and to show the address that phones use."""
    tls: tuple[Path, Path] | None = field(default=None, repr=False)
    """The files of the certificate and its key, for HTTPS; None for HTTP."""

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
        is_lan: bool = False,
        tls: tuple[Path, Path] | None = None,
    ) -> Self:
        """
        Read OFC_HOST, OFC_PORT, OFC_WORKERS, OFC_CONCURRENCY and OFC_DATA; arguments take precedence.

        Raises:
            ConfigError: a value is invalid.
        """
        named = environment.get("OFC_DATA")
        return cls(
            host=host or environment.get("OFC_HOST") or "127.0.0.1",
            port=read_number(environment, "OFC_PORT", 8000, 0, 65535) if port is None else port,
            workers=read_number(environment, "OFC_WORKERS", 2, 1, MOST_WORKERS) if workers is None else workers,
            concurrency=read_concurrency(environment) if concurrency is None else concurrency,
            directory=(directory or (Path(named) if named else default_directory())).expanduser().absolute(),
            is_lan=is_lan,
            tls=tls and (tls[0].absolute(), tls[1].absolute()),
        )


def read_concurrency(environment: Mapping[str, str]) -> int:
    """
    Read OFC_CONCURRENCY, the number of chunks that a worker processes at the same time.

    Raises:
        ConfigError: it is not an integer, or out of range.
    """
    return read_number(environment, "OFC_CONCURRENCY", 1, 0, MOST_WORKERS)


def read_transfer_seconds(environment: Mapping[str, str]) -> int:
    """
    Read OFC_TRANSFER_SECONDS, the time in which a body must be received, and a piece of a response be taken.

    Raises:
        ConfigError: it is not an integer, or out of range.
    """
    return read_number(environment, "OFC_TRANSFER_SECONDS", 60, 1, 3600)


def default_directory() -> Path:
    """Return the default data directory of the user: `~/.local/share/tablestakes` on Linux."""
    return platformdirs.user_data_path("tablestakes", appauthor=False)


def read_number(environment: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    """
    Read an integer from the environment.

    Raises:
        ConfigError: the value is not an integer, or out of range.
    """
    text = environment.get(name) or str(default)
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise ConfigError(f"{name} is {text!r}; expected an integer from {least} to {most}.")
    return int(text)


def read_origins(text: str) -> tuple[str, ...]:
    """
    Read a list of origins, separated by commas or spaces.

    >>> read_origins("https://club.example, http://localhost:5173")
    ('https://club.example', 'http://localhost:5173')

    Raises:
        ConfigError: one of them is not an origin.
    """
    origins = tuple(text.replace(",", " ").split())
    for origin in origins:
        if not _ORIGIN.fullmatch(origin):
            raise ConfigError(
                f"OFC_CORS_ORIGINS has {origin!r}; expected origins like https://club.example, separated by commas,"
                " without a path and without *."
            )
    return origins


def read_public_url(text: str) -> str:
    """
    Validate the public address of the service, and return it without a final slash; empty if it is not set.

    >>> read_public_url("https://ofc.club.example/"), read_public_url("http://192.168.1.20:8000"), read_public_url("")
    ('https://ofc.club.example', 'http://192.168.1.20:8000', '')

    Raises:
        ConfigError: it is not an address, or it has a path.
    """
    url = text.strip().rstrip("/").lower()
    if url and not _ORIGIN.fullmatch(url):
        raise ConfigError(
            f"OFC_PUBLIC_URL is {text!r}; expected an address like https://ofc.club.example, without a path."
        )
    return url


def read_hosts(text: str) -> tuple[str, ...]:
    """
    Read a list of names of hosts, separated by commas or spaces.

    >>> read_hosts("ofc.club.example, cardroom")
    ('ofc.club.example', 'cardroom')

    Raises:
        ConfigError: one of them is not the name of a host.
    """
    hosts = tuple(text.lower().replace(",", " ").split())
    for host in hosts:
        if not _HOST.fullmatch(host):
            raise ConfigError(
                f"OFC_ALLOWED_HOSTS has {host!r}; expected names of hosts like ofc.club.example, separated by commas,"
                " without a port."
            )
    return hosts


def read_webhook_allow(text: str) -> str:
    """
    Validate a list of hosts and networks, separated by commas or spaces, and return it.

    >>> read_webhook_allow("hooks.internal, 10.1.0.0/16")
    'hooks.internal, 10.1.0.0/16'

    Raises:
        ConfigError: one of them is neither a host nor a network.
    """
    for part in text.replace(",", " ").split():
        if not _HOST.fullmatch(part.lower()) and not _is_network(part):
            raise ConfigError(
                f"OFC_WEBHOOK_ALLOW has {part!r}; expected names of hosts and networks, separated by commas, for"
                " example hooks.internal,10.1.0.0/16."
            )
    return text


def _is_network(text: str) -> bool:
    try:
        ip_network(text, strict=False)
    except ValueError:
        return False
    return True


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
    """Parse a database URL. Errors do not contain it, because it can contain a password."""
    from sqlalchemy.exc import ArgumentError

    expected = "expected a URL like postgresql://login:password@host/database"
    try:
        url = parse_database_url(text)
    except (ArgumentError, ValueError):
        raise ConfigError(f"{name} is not a URL; {expected}.") from None
    if url.drivername not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise ConfigError(f"{name} begins with {url.drivername}://; {expected}.")
    if not url.database:
        raise ConfigError(f"{name} names no database; {expected}.")
    # SQLAlchemy and libpq both accept this scheme.
    return url.set(drivername="postgresql")
