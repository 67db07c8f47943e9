"""Commands of a witness, which cosigns checkpoints of clubs on a machine of its own."""

import logging
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from client.commands.base import Command, Group, NamedPath, Session, pass_session
from client.errors import TransportError
from client.files import write_file
from client.render.console import make_console
from client.render.format import plural

if TYPE_CHECKING:
    from client.offline.witness.watching import WatchedCheckpoint

EXAMPLE_NAME: Final = "friend.example/witness"
_REFUSED: Final = 1

config_option = click.option(
    "--config",
    "file",
    type=NamedPath(),
    required=True,
    metavar="FILE",
    help="The configuration: the key, the store and the logs of the witness.",
)


@click.group(
    name="witness",
    cls=Group,
    examples=[
        f"ofc witness create-key {EXAMPLE_NAME} -o witness.key",
        "ofc witness serve --config witness.toml",
        "ofc witness conflicts --config witness.toml",
    ],
)
def witness() -> None:
    """
    Cosign checkpoints of clubs, so that nobody can be shown another history.

    A witness cosigns a checkpoint only if its events begin with those of the one before. It needs neither the events
    nor a database, and one witness can serve many clubs.
    """


@witness.command(name="create-key", cls=Command, examples=[f"ofc witness create-key {EXAMPLE_NAME} -o witness.key"])
@click.argument("name")
@click.option(
    "-o", "--output", type=NamedPath(), required=True, metavar="FILE", help="Write the private key to this new file."
)
def create_key(name: str, output: Path) -> None:
    """
    Create the key of a witness, and print its public key.

    Clubs and players need the public key. NAME is the name of the witness, by convention an address without `https://`.
    Use the key for nothing else.
    """
    from client.offline.witness.configuration import make_witness_key

    click.echo(make_witness_key(output, name))


@witness.command(cls=Command, examples=["ofc witness serve --config witness.toml"])
@config_option
def serve(file: Path) -> None:
    """
    Cosign the checkpoints that clubs submit.

    The protocol is C2SP tlog-witness. Runs until it is stopped. Put it behind a proxy with HTTPS. Never restore the
    store from a backup: the witness could then cosign a second history. Create a new key instead.
    """
    from client.offline.witness.application import serve_witness
    from client.offline.witness.configuration import read_configuration

    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO, stream=sys.stdout)
    configuration = read_configuration(file)
    click.echo(f"witness {configuration.key.verifier.written}")
    click.echo(f"cosigns {plural(len(configuration.logs), 'log')}; press Ctrl-C to stop")
    sys.stdout.flush()
    serve_witness(configuration)


@witness.command(
    cls=Command,
    examples=[
        "ofc witness watch http://127.0.0.1:8000 --config witness.toml",
        "ofc witness watch http://127.0.0.1:8000 --config witness.toml --once -o seen.checkpoint",
    ],
)
@click.argument("url")
@config_option
@click.option("--every", type=click.IntRange(1), default=60, show_default=True, metavar="SECONDS", help="How often.")
@click.option("--once", is_flag=True, help="Look once, and end.")
@click.option(
    "-o",
    "--output",
    type=NamedPath(),
    metavar="FILE",
    help="Write each cosigned checkpoint to this file, which it replaces.",
)
@pass_session
def watch(session: Session, url: str, file: Path, every: int, once: bool, output: Path | None) -> None:
    """
    Fetch the checkpoints of a club, and cosign them.

    It is for a machine that cannot be reached. URL is the address of the service. This needs a key of the club with the
    scope `audit`. Exit code 1 means that the club showed a history that contradicts the one that the witness has
    cosigned; both are stored.
    """
    from client.offline.witness.configuration import read_configuration
    from client.offline.witness.store import SqliteStore
    from client.offline.witness.watching import watch_once

    configuration = read_configuration(file)
    store = SqliteStore(configuration.database)
    with replace(session, url=url).client(is_patient=True) as client:
        while True:
            try:
                seen = watch_once(client, configuration, store)
            except TransportError as error:
                if once:
                    raise
                click.echo(f"Waiting: {error}", err=True)
                seen = None
            if seen is not None:
                _report_decision(seen, output)
            if once:
                return
            time.sleep(every)


def _report_decision(seen: "WatchedCheckpoint", output: Path | None) -> None:
    if not seen.decision.is_cosigned:
        click.echo(f"Error: not cosigned: {seen.decision.body.strip()}", err=True)
        click.echo("  `ofc witness conflicts` prints what is evidence against the club.", err=True)
        sys.exit(_REFUSED)
    click.echo(f"cosigned {plural(seen.tree.size, 'event')} of {seen.tree.origin}")
    sys.stdout.flush()
    if output is not None:
        write_file(output, (seen.note.written + seen.decision.body).encode(), overwrites=True)


@witness.command(cls=Command, examples=["ofc witness conflicts --config witness.toml"])
@config_option
def conflicts(file: Path) -> None:
    """
    Print signed checkpoints that were not cosigned.

    Two checkpoints of one size that differ prove that the operator has signed two histories. Exit code 1 means that
    there are such checkpoints, or some that were not proved to be consistent.
    """
    from client.offline.witness.configuration import read_configuration
    from client.offline.witness.store import SqliteStore

    refused = SqliteStore(read_configuration(file).database).list_refused()
    console = make_console()
    for each in refused:
        at = each.received_at.isoformat().replace("+00:00", "Z")
        console.print(f"{each.origin}: a checkpoint of {plural(each.size, 'event')} was not cosigned, {at}")
        click.echo(each.note)
        if each.cosigned is not None:
            console.print("It contradicts this checkpoint of the same size:")
            click.echo(each.cosigned)
    if refused:
        sys.stdout.flush()
        sys.exit(_REFUSED)
    console.print("no conflicts")
