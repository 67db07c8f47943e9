"""Checks of this machine: disk space, HTTPS, and backups."""

import http.client
import shutil
import socket
import ssl
import tempfile
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from sqlalchemy import text

from service.commands.checks.check import Check, describe_age
from service.config import Config, Hosting
from service.db import Database
from service.errors import ServiceError
from service.http.public_address import is_loopback
from service.server.address import UpError
from service.server.embedded.backup import BACKUP_RECORD
from service.server.up import check_certificate

LONGEST_WITHOUT_BACKUP: Final = 7 * 86_400.0
"""The longest time in seconds since the last backup."""
LEAST_DAYS_OF_CERTIFICATE: Final = 14
_GIB: Final = 2**30
_LEAST_SHARE: Final = 0.05
_LEAST_FREE: Final = 1 * _GIB
_ENOUGH_FREE: Final = 20 * _GIB
_SECONDS: Final = 5.0
_ARCHIVE: Final = text("""
    SELECT current_setting('archive_mode') <> 'off' AS is_on, last_archived_time, last_failed_time,
        extract(epoch FROM now() - last_archived_time)::double precision AS seconds FROM pg_stat_archiver
""")
_ENCRYPT: Final = (
    "Use a proxy with TLS or `ofc-server up --tls-cert FILE --tls-key FILE`, and set OFC_PUBLIC_URL to the https"
    " address."
)


def check_disk(directory: Path | None) -> Check:
    """
    Check the free space of the data directory, or of that of temporary files.

    Args:
        directory: the data directory with the embedded PostgreSQL; None if the database is elsewhere.
    """
    where = directory if directory is not None and directory.exists() else Path(tempfile.gettempdir())
    usage = shutil.disk_usage(where)
    summary = f"{usage.free / _GIB:.1f} GiB of {usage.total / _GIB:.1f} GiB are free in {where}."
    if usage.free < min(max(usage.total * _LEAST_SHARE, _LEAST_FREE), _ENOUGH_FREE):
        return Check.problem("disk", summary, "Free some space: a full disk stops the database.")
    return Check.ok("disk", summary)


def check_https(config: Config, hosting: Hosting) -> Check:
    """Check that keys and links are encrypted on their way, and the certificate of the public address."""
    if hosting.tls is not None:
        try:
            check_certificate(*hosting.tls)
        except UpError as error:
            return Check.problem("https", str(error))
    url = urlsplit(config.public_url)
    if url.scheme == "https":
        return _check_public_certificate(url.hostname or "", url.port or 443)
    if url.scheme == "http" and not is_loopback(url.hostname or ""):
        return Check.problem("https", f"The public address {config.public_url} is not encrypted.", _ENCRYPT)
    if hosting.tls is not None:
        return Check.ok("https", f"The certificate {hosting.tls[0]} and its key can be used.")
    if not is_loopback(hosting.host):
        return Check.problem("https", f"The service listens on {hosting.host} without TLS.", _ENCRYPT)
    return Check.ok("https", f"The service listens on {hosting.host} only, and OFC_PUBLIC_URL names no other address.")


def _check_public_certificate(host: str, port: int) -> Check:
    context = ssl.create_default_context()
    try:
        with (
            socket.create_connection((host, port), _SECONDS) as plain,
            context.wrap_socket(plain, server_hostname=host) as encrypted,
        ):
            certificate = encrypted.getpeercert() or {}
    except ssl.SSLError as error:
        reason = getattr(error, "verify_message", "") or error.reason or str(error)
        return Check.problem("https", f"The certificate of {host}:{port} is not valid: {reason}.", "Renew it.")
    except OSError as error:
        return Check.problem("https", f"{host}:{port} cannot be reached: {error}.", "Start the proxy or the service.")
    ends = datetime.fromtimestamp(ssl.cert_time_to_seconds(str(certificate["notAfter"])), UTC)
    days = (ends - datetime.now(UTC)).days
    summary = f"The certificate of {host}:{port} is valid for {days} days."
    if days < LEAST_DAYS_OF_CERTIFICATE:
        return Check.problem("https", summary, "Renew it, and check that it is renewed automatically.")
    return Check.ok("https", summary)


def check_web(config: Config) -> Check:
    """Check that the web server is ready at the public address."""
    if not config.public_url:
        return Check.unchecked("web", "OFC_PUBLIC_URL is not set, so the address of the web server is unknown.")
    url = urlsplit(config.public_url)
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = kind(url.hostname or "", url.port, timeout=_SECONDS)
    try:
        connection.request("GET", "/readyz")
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        reason = str(error) or type(error).__name__
        return Check.problem("web", f"{config.public_url} does not respond: {reason}.", "Start the web server.")
    finally:
        connection.close()
    if status != HTTPStatus.OK:
        return Check.problem("web", f"{config.public_url}/readyz has status {status}.", "Its response has the reason.")
    return Check.ok("web", f"{config.public_url} is ready.")


def check_embedded_backup(directory: Path) -> Check:
    """
    Check that the embedded PostgreSQL was backed up lately, or has only just been created.

    Args:
        directory: the data directory.
    """
    remedy = f"Run `ofc-server backup --data {directory} COPY` every night."
    now = datetime.now(UTC)
    try:
        written = (directory / BACKUP_RECORD).read_text(encoding="utf-8").strip()
        age = (now - datetime.fromisoformat(written)).total_seconds()
    except (OSError, ValueError):
        created = (directory / "postgres" / "PG_VERSION").stat().st_mtime
        summary = "`ofc-server backup` was not used yet."
        if now.timestamp() - created > LONGEST_WITHOUT_BACKUP:
            return Check.problem("backups", summary, remedy)
        return Check.ok("backups", f"{summary} The records are less than a week old.")
    summary = f"The last backup was made {describe_age(age)} ago."
    if age > LONGEST_WITHOUT_BACKUP:
        return Check.problem("backups", summary, remedy)
    return Check.ok("backups", summary)


def check_archive(database: Database) -> Check:
    """Check that an external PostgreSQL archives its WAL. A dump leaves no trace in a database."""
    try:
        with database.reading_outside_clubs() as connection:
            row = connection.execute(_ARCHIVE).one()
    except ServiceError as error:
        return Check.unchecked("backups", str(error))
    if not row.is_on:
        reason = "archive_mode is off, and whether dumps are made is not recorded in a database."
        return Check.unchecked("backups", reason, "See docs/operations.md, Backup.")
    if row.last_failed_time is not None and (
        row.last_archived_time is None or row.last_failed_time > row.last_archived_time
    ):
        return Check.problem("backups", "The last archiving of WAL failed.", "Read the log of PostgreSQL.")
    if row.seconds is None:
        return Check.unchecked("backups", "archive_mode is on, and no WAL was archived yet.")
    return Check.ok("backups", f"WAL was archived {describe_age(row.seconds)} ago.")
