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

from service.commands.options import Commands, NamedPath, data_option
from service.commands.output import refuse_existing, write_whole
from service.config import MOST_WORKERS, Config, ConfigError, Hosting, read_concurrency
from service.errors import ServiceError
from service.server.address import UpError

ELSEWHERE: Final = {
    "backup": ("backup:backup", "Copy the data directory of the embedded PostgreSQL while the service runs."),
    "club": ("club:club", "Make and list clubs, and revoke their links."),
    "key": ("key:key", "Make, list, revoke and rotate the keys of clubs."),
    "signing-key": ("signing_key:signing_key", "Make, show and rotate the key that checkpoints are signed with."),
    "status": (
        "status:status",
        "Show which workers live, which jobs are under way and for how long the oldest has waited, and what is signed.",
    ),
    "verify": ("verify:verify", "Look for records that were changed behind the service's back."),
}
"""Commands of other modules, where they are and what they do: to load them all takes longer than most of them work."""

_OUTPUT_FAILS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})


class OneSentence(Commands):
    """Says an operator's mistake in one sentence on stderr, without a traceback; loads commands once asked for."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Name them all, loaded or not."""
        return sorted({*self.commands, *ELSEWHERE})

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Find one, and load it where it is not yet."""
        if name in ELSEWHERE and name not in self.commands:
            module, _, attribute = ELSEWHERE[name][0].partition(":")
            self.add_command(getattr(import_module(f"service.commands.{module}"), attribute))
        return super().get_command(context, name)

    def sentences(self) -> dict[str, str]:
        """Say of each command what it does, and load none."""
        return super().sentences() | {name: says for name, (_, says) in ELSEWHERE.items()}

    def make_context(self, *arguments: Any, **others: Any) -> click.Context:
        """Read what was typed; help and the version are printed here."""
        with _in_one_sentence():
            return super().make_context(*arguments, **others)

    def invoke(self, context: click.Context) -> object:
        """Run the command; what the operator can put right becomes a sentence and exit code 1."""
        with _in_one_sentence():
            return super().invoke(context)


@contextmanager
def _in_one_sentence() -> Iterator[None]:
    try:
        yield
    except (ConfigError, UpError, ServiceError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        if error.filename is not None or error.errno not in _OUTPUT_FAILS:
            raise
        _let_go_of_stdout()
        raise click.ClickException(f"The output cannot be written: {os.strerror(error.errno).lower()}.") from error


def _let_go_of_stdout() -> None:
    """Send what is still to be written nowhere, or Python would fail with it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@click.group(
    cls=OneSentence,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start here:  ofc-server up",
)
@click.version_option(package_name="tablestakes", prog_name="ofc-server")
def main() -> None:
    """
    Tablestakes: scores and settles Open Face Chinese poker.

    The service keeps its records in PostgreSQL: one of its own, or the one that OFC_DATABASE_URL names.
    """


@main.command()
@click.option("--host", help="Address to listen on.  [OFC_HOST; 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port; 0 takes any free one.  [OFC_PORT; 8000]")
@data_option
@click.option("--workers", type=click.IntRange(1, MOST_WORKERS), help="Web processes.  [OFC_WORKERS; 2]")
@click.option(
    "--concurrency",
    type=click.IntRange(0, MOST_WORKERS),
    help="Chunks of jobs done at once; 0 does none here.  [OFC_CONCURRENCY; 1]",
)
def up(
    host: str | None, port: int | None, directory: Path | None, workers: int | None, concurrency: int | None
) -> None:
    """
    Run everything until Ctrl-C: database, migrations, web, and a worker for imports and other jobs.

    The first start makes the club `home` and writes a key that may do everything to DIR/api-key.

    With OFC_DATABASE_URL set, that PostgreSQL (15 to 18) is used instead of the embedded one; OFC_OWNER_URL names the
    login that migrates it, where the service's own may not.

    \b
    Examples:
      ofc-server up
      ofc-server up --port 0 --data /tmp/try-it
      OFC_DATABASE_URL=postgresql://ofc@db.example/ofc  ofc-server up
    """
    from service.logs import start_logging
    from service.server.up import up as run_everything

    start_logging(os.environ)
    hosting = Hosting.from_environment(
        os.environ, host=host, port=port, workers=workers, concurrency=concurrency, directory=directory
    )
    run_everything(hosting, os.environ, click.echo)


@main.command()
@click.option("--concurrency", type=click.IntRange(1, MOST_WORKERS), help="Chunks done at once.  [OFC_CONCURRENCY; 1]")
def worker(concurrency: int | None) -> None:
    """
    Do imports and other jobs until Ctrl-C or SIGTERM; chunks under way are then done first.

    `ofc-server up` starts one itself; further ones, here or on other machines, need the database's OFC_DATABASE_URL,
    and the OFC_BROKER_URL that the web has too, where it has one.

    \b
    Examples:
      ofc-server worker --concurrency 4
      OFC_BROKER_URL=amqp://ofc@rabbit.example  ofc-server worker
    """
    from service.logs import start_logging
    from service.worker import run_worker

    start_logging(os.environ)
    sys.exit(run_worker(Config.from_environment(), concurrency or read_concurrency(os.environ)))


@main.command()
def migrate() -> None:
    """
    Bring the tables of an external database up to date.

    `ofc-server up` does this itself; alone it is for those who migrate before they deploy. The login is that of
    OFC_OWNER_URL, or else OFC_DATABASE_URL.

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
    "-o", "--output", type=NamedPath(dir_okay=False, path_type=Path), metavar="FILE", help="Write it to this file."
)
@click.option("--overwrite", "overwrites", is_flag=True, help="Write the file also where one is already.")
@click.option(
    "--check",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Fail if this file says otherwise.",
)
def openapi(output: Path | None, overwrites: bool, check: Path | None) -> None:
    """
    Print the contract of the HTTP API, an OpenAPI 3.1 document.

    \b
    Examples:
      ofc-server openapi
      ofc-server openapi --output openapi.yaml
      ofc-server openapi --check openapi.yaml
    """
    if output is not None:
        refuse_existing(output, overwrites=overwrites)
    elif overwrites:
        raise click.UsageError("--overwrite is of a file to write, and none is named")

    from service.app import create_app
    from service.openapi import render

    # The contract is written without a database, but an application must name one.
    document = render(create_app(Config("postgresql:///ofc")).extensions["ofc_contract"])
    if check is not None and check.read_bytes() != document.encode():
        renewing = f"ofc-server openapi --output {quote(str(check))} --overwrite"
        raise click.ClickException(f"{check} is not what the code says; `{renewing}` renews it.")
    if output is not None:
        write_whole(output, document)
    elif check is None:
        click.echo(document, nl=False)
