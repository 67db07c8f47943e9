import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import Any, Final

import click

from service.commands.options import Commands, NamedPath, data_option, read_tls, tls_options
from service.commands.output import refuse_existing, write_atomically
from service.config import MOST_WORKERS, Config, ConfigError, Hosting, read_concurrency
from service.errors import ServiceError
from service.secret_files import read_secret_files
from service.server.address import UpError

LAZY_COMMANDS: Final = {
    "backup": ("backup:backup", "Copy the data directory of the embedded PostgreSQL while the service runs."),
    "club": ("club:club", "Create, set up, list and close clubs, and revoke their links."),
    "completion": ("completion:completion", "Print the script with which a shell completes commands and options."),
    "console-link": (
        "console_link:console_link",
        "Create a link that signs in to the console once, with a key of a club.",
    ),
    "doctor": ("doctor:doctor", "Check the service and its machine, and show what to do about each problem."),
    "key": ("key:key", "Create, list, revoke and rotate API keys of clubs."),
    "signing-key": ("signing_key:signing_key", "Create, show and rotate the key that signs checkpoints."),
    "status": (
        "status:status",
        "Show workers, unfinished jobs, the durability of the database, and checkpoints.",
    ),
    "verify": ("verify:verify", "Find records that were changed without the service."),
}
"""Commands of other modules, with their summaries. They are imported on use, because importing all takes long."""

_OUTPUT_FAILS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


class MainCommands(Commands):
    """The commands of `ofc-server`. Errors are one sentence on stderr; commands are imported on use."""

    def list_commands(self, context: click.Context) -> list[str]:
        """List the names of all commands."""
        return sorted({*self.commands, *LAZY_COMMANDS})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Return a command, after importing it if necessary."""
        if name in LAZY_COMMANDS and name not in self.commands:
            module, _, attribute = LAZY_COMMANDS[name][0].partition(":")
            self.add_command(getattr(import_module(f"service.commands.{module}"), attribute))
        return super().get_command(context, name)

    def summaries(self) -> dict[str, str]:
        """Return the summary of each command without importing it."""
        return super().summaries() | {name: summary for name, (_, summary) in LAZY_COMMANDS.items()}

    def make_context(self, *arguments: Any, **others: Any) -> click.Context:
        """Parse the arguments, and print help and version."""
        with _report_errors():
            return super().make_context(*arguments, **others)

    def invoke(self, context: click.Context) -> object:
        """Run the command; errors that the operator can fix end it with a sentence and exit code 1."""
        with _report_errors():
            return super().invoke(context)


@contextmanager
def _report_errors() -> Iterator[None]:
    try:
        yield
    except (ConfigError, UpError, ServiceError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        if error.filename is not None or error.errno not in _OUTPUT_FAILS:
            raise
        _discard_stdout()
        raise click.ClickException(f"The output cannot be written: {os.strerror(error.errno).lower()}.") from error


def _discard_stdout() -> None:
    """Redirect stdout to /dev/null, so that flushing it at the exit does not fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(
    cls=MainCommands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start here:  ofc-server up",
)
@click.version_option(package_name="tablestakes", prog_name="ofc-server")
def main() -> None:
    """
    Tablestakes: scores and settles Open Face Chinese poker.

    The records are stored in PostgreSQL: an embedded one, or the database of OFC_DATABASE_URL.
    """
    read_secret_files(os.environ)


@main.command()
@click.option("--host", help="Address to listen on.  [OFC_HOST; 127.0.0.1]")
@click.option(
    "--lan", is_flag=True, help="Listen on the local network, and show a QR code that makes a phone a scorekeeper."
)
@tls_options
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 selects a free one.  [OFC_PORT; 8000]")
@data_option
@click.option("--workers", type=click.IntRange(1, MOST_WORKERS), help="Web processes.  [OFC_WORKERS; 2]")
@click.option(
    "--concurrency",
    type=click.IntRange(0, MOST_WORKERS),
    help="Chunks of jobs processed at the same time; 0 starts no job worker.  [OFC_CONCURRENCY; 1]",
)
def up(
    host: str | None,
    lan: bool,
    tls_cert: Path | None,
    tls_key: Path | None,
    port: int | None,
    directory: Path | None,
    workers: int | None,
    concurrency: int | None,
) -> None:
    """
    Run database, migrations, web server and job worker until Ctrl-C.

    The first start creates the club `home`, and writes a key with all scopes to DIR/api-key. Every start prints two
    links that sign in with this key, once within ten minutes: one to the console, and one that makes a phone a
    scorekeeper of the club, with a QR code where phones can reach the service.

    With OFC_DATABASE_URL set, that PostgreSQL (15 to 18) is used instead of the embedded one. OFC_OWNER_URL is the
    login that migrates it, if the login of the service cannot.

    \b
    Examples:
      ofc-server up
      ofc-server up --lan
      ofc-server up --lan --tls-cert game.pem --tls-key game.key
      ofc-server up --port 0 --data /tmp/try-it
      OFC_DATABASE_URL=postgresql://ofc@db.example/ofc  ofc-server up
    """
    from service.logs import start_logging
    from service.server.up import up as run_everything

    if lan and host is not None:
        raise click.UsageError("--lan and --host were given; expected one of them")
    start_logging(os.environ)
    hosting = Hosting.from_environment(
        os.environ,
        host=host,
        port=port,
        workers=workers,
        concurrency=concurrency,
        directory=directory,
        is_lan=lan,
        tls=read_tls(tls_cert, tls_key),
    )
    run_everything(hosting, os.environ, click.echo)


@main.command()
@click.option("--host", help="Address to listen on.  [OFC_HOST; 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 selects a free one.  [OFC_PORT; 8000]")
@tls_options
@click.option("--workers", type=click.IntRange(1, MOST_WORKERS), help="Web processes.  [OFC_WORKERS; 2]")
def web(host: str | None, port: int | None, tls_cert: Path | None, tls_key: Path | None, workers: int | None) -> None:
    """
    Run the web server alone until Ctrl-C or SIGTERM, on the migrated database of OFC_DATABASE_URL.

    `ofc-server up` starts a web server itself. Jobs need an `ofc-server worker` beside it.

    \b
    Examples:
      OFC_DATABASE_URL=postgresql://ofc@db.example/ofc  ofc-server web --port 8000 --workers 4
      ofc-server web --tls-cert game.pem --tls-key game.key
    """
    from service.logs import start_logging
    from service.server.up import serve

    start_logging(os.environ)
    hosting = Hosting.from_environment(
        os.environ, host=host, port=port, workers=workers, tls=read_tls(tls_cert, tls_key)
    )
    serve(hosting, Config.from_environment(), os.environ, click.echo)


@main.command()
@click.option(
    "--concurrency",
    type=click.IntRange(0, MOST_WORKERS),
    help="Chunks processed at the same time; 0 for webhooks and periodic tasks only.  [OFC_CONCURRENCY; 1]",
)
def worker(concurrency: int | None) -> None:
    """
    Process imports and other jobs until Ctrl-C or SIGTERM. Chunks in progress are finished first.

    `ofc-server up` starts a worker itself. Further workers, on any machine, need the same OFC_DATABASE_URL, and
    the same OFC_BROKER_URL if the web server has one.

    \b
    Examples:
      ofc-server worker --concurrency 4
      ofc-server worker --concurrency 0
      OFC_BROKER_URL=amqp://ofc@rabbit.example  ofc-server worker
    """
    from service.logs import start_logging
    from service.worker import run_worker

    start_logging(os.environ)
    if concurrency is None:
        concurrency = read_concurrency(os.environ)
    sys.exit(run_worker(Config.from_environment(), concurrency))


@main.command()
def migrate() -> None:
    """
    Migrate the tables of an external database.

    `ofc-server up` does this itself; the command is for migrations before a deployment. The login is that of
    OFC_OWNER_URL, or else of OFC_DATABASE_URL.

    \b
    Example:
      export OFC_DATABASE_URL=postgresql://ofc@db.example/ofc
      ofc-server migrate
    """
    from service import db

    config = Config.from_environment()
    db.migrate(config.owner_url)
    click.echo(f"{config.database} is up to date.")


@main.command()
@click.option(
    "-o",
    "--output",
    type=NamedPath(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the document to this file.",
)
@click.option("--overwrite", "overwrites", is_flag=True, help="Replace an existing file.")
@click.option(
    "--audit", "is_whole", is_flag=True, help="Also print examples, contents of events and operations of the pages."
)
@click.option(
    "--check",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Fail if this file differs.",
)
def openapi(output: Path | None, overwrites: bool, is_whole: bool, check: Path | None) -> None:
    """
    Print the OpenAPI 3.1 document of the HTTP API.

    \b
    Examples:
      ofc-server openapi
      ofc-server openapi --output openapi.yaml
      ofc-server openapi --check openapi.yaml
      ofc-server openapi --audit --output openapi-audit.yaml
    """
    if output is not None:
        refuse_existing(output, overwrites=overwrites)
    elif overwrites:
        raise click.UsageError("--overwrite is given without --output; expected --output FILE")

    from service.app import create_app
    from service.http.services import services_of
    from service.openapi import render

    # The document needs no database, but the configuration needs a URL.
    document = render(services_of(create_app(Config("postgresql:///ofc"))).contract, is_whole=is_whole)
    if check is not None and check.read_bytes() != document.encode():
        update = f"ofc-server openapi{' --audit' * is_whole} --output {quote(str(check))} --overwrite"
        raise click.ClickException(f"{check} is out of date; `{update}` updates it.")
    if output is not None:
        write_atomically(output, document)
    elif check is None:
        click.echo(document, nl=False)
