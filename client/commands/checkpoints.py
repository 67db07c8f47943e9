"""Checkpoints: what the service has signed, kept where the service cannot reach it."""

from itertools import islice
from pathlib import Path
from typing import Final
from uuid import UUID

import click

from client.commands.common import (
    Command,
    Group,
    NamedPath,
    Session,
    json_option,
    overwrite_option,
    pass_session,
    print_json,
    refuse_output,
)
from client.render.cards import plural
from client.render.checkpoints import list_checkpoints
from client.render.console import make_console
from client.writing import standard_output, write_whole

EXAMPLE_ADDRESS: Final = "01a1fb6e-2c40-7f0e-8a53-6d1b9c0e4f72"

output_option = click.option("-o", "--output", type=NamedPath(), metavar="FILE", help="A file to keep it in.")


@click.group(
    name="checkpoint",
    cls=Group,
    elsewhere={
        "prove-consistency": ("proofs:prove_consistency", "Prove that nothing was changed between two checkpoints."),
        "prove-inclusion": ("proofs:prove_inclusion", "Prove that an event is among those of a checkpoint."),
    },
    examples=["ofc checkpoint make -o today.checkpoint", "ofc checkpoint keys > club.key"],
)
def checkpoints() -> None:
    """
    Keep what the service has signed, away from the service.

    A checkpoint stands for everything that has happened in the club so far: whoever keeps it can tell later whether any
    of that was changed, left out or put in.
    """


@checkpoints.command(cls=Command, examples=["ofc checkpoint make", "ofc checkpoint make -o today.checkpoint"])
@output_option
@overwrite_option
@pass_session
def make(session: Session, output: Path | None, overwrites: bool) -> None:
    """
    Sign all that has happened so far, and print the signed note.

    Where nothing has happened since the newest checkpoint, it is that one.
    """
    refuse_output(output, overwrites=overwrites)
    with session.client() as client:
        made = client.make_checkpoint()
        note = client.get_checkpoint(made["id"])
    if _keep(note, output, overwrites):
        make_console().print(f"{output} stands for {plural(made['size'], 'event')}; its address is {made['id']}")


@checkpoints.command(name="list", cls=Command, examples=["ofc checkpoint list", "ofc checkpoint list --json"])
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many.")
@json_option
@pass_session
def list_(session: Session, limit: int, as_json: bool) -> None:
    """List what was signed, the newest first."""
    with session.client() as client:
        found = list(islice(client.list_checkpoints(), limit))
    if as_json:
        print_json({"checkpoints": found})
    else:
        list_checkpoints(make_console(), found)


@checkpoints.command(
    cls=Command,
    examples=[
        f"ofc checkpoint show {EXAMPLE_ADDRESS}",
        f"ofc checkpoint show {EXAMPLE_ADDRESS} -o friday.checkpoint",
    ],
)
@click.argument("address", type=click.UUID)
@output_option
@overwrite_option
@pass_session
def show(session: Session, address: UUID, output: Path | None, overwrites: bool) -> None:
    """
    Print a checkpoint as it was signed.

    ADDRESS is as `ofc checkpoint list` has it; whoever knows it needs no key.
    """
    refuse_output(output, overwrites=overwrites)
    with session.client() as client:
        note = client.get_checkpoint(str(address))
    if _keep(note, output, overwrites):
        make_console().print(f"kept in {output}")


@checkpoints.command(cls=Command, examples=["ofc checkpoint keys", "ofc checkpoint keys > club.key"])
@json_option
@pass_session
def keys(session: Session, as_json: bool) -> None:
    """
    Print every public key that ever signed a checkpoint, one a line.

    The lines are what `ofc verify` and other verifiers take. Keep them with the checkpoints: a key that is asked for
    only when there is a doubt proves nothing.
    """
    with session.client() as client:
        found = client.list_checkpoint_keys()
    if as_json:
        print_json({"keys": found})
        return
    for key in found:
        click.echo(key["verifier"])


def _keep(note: str, output: Path | None, overwrites: bool) -> bool:
    """Write a note into the file, or print it: byte for byte, for a signature is of bytes. Say whether it is a file."""
    if output is None:
        standard_output().write(note.encode())
        return False
    write_whole(output, note.encode(), overwrites=overwrites)
    return True
