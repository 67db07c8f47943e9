import contextlib
import shlex
import signal
import ssl
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import NoReturn
from urllib.parse import urlsplit

from service.config import Config, Hosting, read_settings, read_transfer_seconds
from service.console.actions import LINK_LIFETIME
from service.db import SERVICE_ROLE, Database, migrate
from service.errors import KeyUnknown
from service.http.public_address import is_loopback
from service.logs import get_log
from service.server.address import EVERYWHERE, Address, UpError, address_of, draw_code, find_lan_host, listen
from service.server.embedded import OWNER, Cluster, EmbeddedError
from service.server.first_key import HOME, ensure_key, ensure_signing_key, read_key
from service.server.processes import Child, Web, start_worker
from service.version import VERSION

_log = get_log(__name__)
_MOST_DEATHS, _WITHIN_SECONDS = 5, 60.0
_READABLE = "; without https, they can also read keys and links that are sent"


class Stopped(BaseException):
    """A signal asked the service to stop."""


def up(hosting: Hosting, environment: Mapping[str, str], report: Callable[[str], None]) -> None:
    """
    Run database, migrations, web server and job worker until a signal.

    The port is opened first, because a port in use is the most frequent error and quickly found. Then come the
    database, the migrations and the first key. The service is reported as ready after its first response.

    Raises:
        UpError, EmbeddedError, ConfigError, ServiceError: a step failed; the message is for the operator.
    """
    # The settings of the web processes are validated before anything is started.
    read_transfer_seconds(environment)
    scheme = "http"
    if hosting.tls is not None:
        check_certificate(*hosting.tls)
        scheme = "https"
    raise_stopped_on_signals()
    with contextlib.suppress(Stopped), contextlib.ExitStack() as stack:
        listener = stack.enter_context(listen(EVERYWHERE if hosting.is_lan else hosting.host, hosting.port))
        lan_url = ""
        if hosting.is_lan:
            lan_url = (
                environment.get("OFC_PUBLIC_URL") or Address(find_lan_host(), address_of(listener).port, scheme).url
            )
            environment = {**environment, "OFC_PUBLIC_URL": lan_url}
        cluster: Cluster | None = None
        if environment.get("OFC_DATABASE_URL"):
            config = Config.from_environment(environment)
            report(f"Starting on {config.database} ...")
        else:
            cluster = Cluster(hosting.directory)
            # The other settings are validated before anything is created.
            config = Config(cluster.url(SERVICE_ROLE), cluster.url(OWNER), **read_settings(environment))
            report(f"Starting on the embedded PostgreSQL in {hosting.directory} ...")
            stack.enter_context(cluster)
            # The path of its socket is known after its start.
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
        web = stack.enter_context(Web(config, hosting.workers, listener, environment, hosting.tls))
        web.wait_until_ready()
        worker: Child | None = None
        if hosting.concurrency:
            worker = stack.enter_context(start_worker(config, hosting.concurrency, environment))
        _log.info("ready", url=web.address.url, workers=hosting.workers, database=config.database, version=VERSION)
        report(f"Ready on {web.address.url}")
        report(f"The key of the club `{HOME}` is in {key_file}")
        if lan_url:
            readable = "" if lan_url.startswith("https:") else _READABLE
            report(f"Anyone in this network can reach it{readable}.")
        _report_sign_in(web, key_file, key, report)
        report(_describe_offline_use(lan_url or environment.get("OFC_PUBLIC_URL") or web.address.url, sys.argv))
        if web.is_without_tables(key):
            report(f"The club `{HOME}` has no table yet: the scorekeeper's page creates one with its first round.")
        report("Press Ctrl-C to stop.")
        _supervise(web, worker, cluster)


def _report_sign_in(web: Web, key_file: Path, key: str, report: Callable[[str], None]) -> None:
    """
    Report two links that sign in with the key of the data directory, or that the key is not valid.

    One is to the console, the other to the scorekeeper's page, as a QR code too if a phone can open it.
    """
    once = f"once within {int(LINK_LIFETIME.total_seconds() // 60)} minutes"
    try:
        to_console = web.issue_sign_in_link(key, "/v1/console-links")
        to_phone = web.issue_sign_in_link(key, "/v1/phone-links")
    except KeyUnknown:
        report(f"That key is not valid in this database; move {key_file} away and start again to create one.")
        return
    if to_console is not None:
        report(f"Console, to sign in {once}: {to_console}")
    if to_phone is not None:
        report(f"Scorekeeper's page, for one phone, {once}: {to_phone}")
        if not is_loopback(urlsplit(to_phone).hostname or ""):
            report(draw_code(to_phone))


def _describe_offline_use(url: str, command: Sequence[str]) -> str:
    """
    Return what phones need to keep score without a network.

    Args:
        url: the address for phones.
        command: the command that started the service.
    """
    address = urlsplit(url)
    host = address.hostname or ""
    if is_loopback(host):
        return f"Phones cannot reach {url}; with --lan they can."
    if address.scheme == "https":
        return "Phones keep score without a network too, because the address has HTTPS."
    certificate = ["--tls-cert", "game.pem", "--tls-key", "game.key"]
    return (
        "Phones keep score without a network only over HTTPS with a certificate that they trust (docs/deployment.md):\n"
        f"mkcert -cert-file game.pem -key-file game.key {host} && {shlex.join([*command, *certificate])}"
    )


def serve(hosting: Hosting, config: Config, environment: Mapping[str, str], report: Callable[[str], None]) -> None:
    """
    Run the web server alone until a signal.

    Raises:
        UpError, ServiceError: a step failed; the message is for the operator.
    """
    if hosting.tls is not None:
        check_certificate(*hosting.tls)
    raise_stopped_on_signals()
    with (
        contextlib.suppress(Stopped),
        listen(hosting.host, hosting.port) as listener,
        Web(config, hosting.workers, listener, environment, hosting.tls) as web,
    ):
        web.wait_until_ready()
        report(f"Ready on {web.address.url}")
        _supervise(web, None, None)


def _check_server(config: Config) -> None:
    """
    Check that the server accepts writes and is durable, before anything is written.

    Raises:
        DatabaseError: the server is read-only, or a crash can lose records.
    """
    database = Database(config.owner_url, role=None, pool_size=1)
    try:
        database.check_server(allows_data_loss=config.allow_data_loss)
    finally:
        database.close()


def _check_login(config: Config) -> None:
    """
    Check that the login of the service can use the database.

    Raises:
        DatabaseError: a check failed.
    """
    database = Database(config.database_url, pool_size=1)
    try:
        database.check_head()
        database.check_schema()
    finally:
        database.close()


def _supervise(web: Web, worker: Child | None, cluster: Cluster | None) -> NoReturn:
    deaths: deque[float] = deque(maxlen=_MOST_DEATHS)
    while True:
        time.sleep(0.1)
        web.restart_dead()
        if worker is not None:
            worker.restart_if_dead()
        if cluster is not None and cluster.restart_if_dead():
            _log.warning("postgresql_restarted")
            deaths.append(time.monotonic())
            if len(deaths) == _MOST_DEATHS and deaths[-1] - deaths[0] < _WITHIN_SECONDS:
                raise EmbeddedError(f"PostgreSQL crashed {_MOST_DEATHS} times within a minute: {cluster.last_error()}")


def raise_stopped_on_signals() -> None:
    """Raise `Stopped` at the first Ctrl-C, SIGTERM or SIGHUP, and ignore further ones."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def stop(_number: int, _frame: FrameType | None) -> NoReturn:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise Stopped

    for number in numbers:
        signal.signal(number, stop)


def check_certificate(certificate: Path, key: Path) -> None:
    """
    Check that the web server can use a certificate and its private key.

    Raises:
        UpError: a file cannot be read, is not PEM or is encrypted, or the key is that of another certificate.
    """
    _check_file("--tls-cert", certificate, "CERTIFICATE", "a certificate")
    _check_file("--tls-key", key, "PRIVATE KEY", "a private key")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=_refuse_password)
    except _EncryptedError:
        raise UpError(
            f"The private key {key} of --tls-key is encrypted; expected one without a passphrase, for example of"
            f" `openssl pkey -in {key.name} -out plain.key`."
        ) from None
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise UpError(
                f"The private key {key} does not belong to the certificate {certificate}; expected the key with which"
                " the certificate was requested."
            ) from None
        raise UpError(
            f"The certificate {certificate} and the key {key} cannot be used ({error.reason or error}); expected PEM"
            " files of a certificate and its private key."
        ) from None


class _EncryptedError(Exception):
    """The private key is encrypted."""


def _refuse_password() -> str:
    raise _EncryptedError


def _check_file(option: str, path: Path, mark: str, content: str) -> None:
    try:
        text = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UpError(f"The file {path} of {option} cannot be read: {reason}.") from None
    if f"{mark}-----".encode() not in text:
        raise UpError(
            f"The file {path} of {option} has no {content}; expected a PEM file with `-----BEGIN … {mark}-----`."
        )
