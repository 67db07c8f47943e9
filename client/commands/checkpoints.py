"""Commands for checkpoints: signed statements about all events so far, stored away from the service."""

import sys
from pathlib import Path
from typing import Final

import click

from client.commands.administration import add_verbs
from client.commands.base import (
    Command,
    Group,
    NamedPath,
    Session,
    overwrite_option,
    pass_session,
    refuse_output,
)
from client.commands.names import complete_files
from client.files import read_text, standard_output, write_file
from client.lookup import find_id
from client.render.console import make_console
from client.render.format import plural

EXAMPLE_ADDRESS: Final = "01a1fb6e-2c40-7f0e-8a53-6d1b9c0e4f72"

_NO_QUORUM: Final = 1

output_option = click.option(
    "-o", "--output", type=NamedPath(), metavar="FILE", help="Write the checkpoint to this file."
)


@click.group(
    name="checkpoint",
    cls=Group,
    lazy_commands={
        "prove-consistency": ("verify:prove_consistency", "Prove that nothing was changed between two checkpoints."),
        "prove-inclusion": ("verify:prove_inclusion", "Prove that an event is among those of a checkpoint."),
    },
    examples=["ofc checkpoint make -o today.checkpoint", "ofc checkpoint keys > club.key"],
)
def checkpoints() -> None:
    """
    Store signed checkpoints away from the service.

    A checkpoint covers all events of the club so far. With it, anyone can detect later whether an
    event was changed, removed or inserted.
    """


@checkpoints.command(
    cls=Command,
    examples=[
        "ofc checkpoint make",
        "ofc checkpoint make -o today.checkpoint",
        "ofc checkpoint make -o today.checkpoint --policy friends.policy",
    ],
)
@output_option
@overwrite_option
@click.option(
    "--policy",
    "policy_file",
    metavar="FILE",
    help="Submit the checkpoint to the witnesses of this policy that have a URL there, and add their cosignatures.",
    shell_complete=complete_files,
)
@pass_session
def make(session: Session, output: Path | None, overwrites: bool, policy_file: str | None) -> None:
    """
    Sign all events so far, and print the signed note.

    Without events since the newest checkpoint, that one is printed. With --policy, exit code 1 means that its quorum of
    witnesses has not cosigned; the note is printed or written with the cosignatures that there are.
    """
    from client.offline.verify import read_trust_policy
    from client.offline.witness.collecting import collect

    refuse_output(output, overwrites=overwrites)
    policy = read_trust_policy(read_text(policy_file).encode(), policy_file) if policy_file else None
    with session.client(is_patient=True) as client:
        record = client.make_checkpoint()
        collected = collect(record["id"], policy, client) if policy else None
        note = client.get_checkpoint(record["id"])
    if collected is not None:
        for failure in collected.failures:
            click.echo(f"warning: not cosigned by {failure}", err=True)
    if _write_note(note, output, overwrites):
        make_console().print(
            f"checkpoint of {plural(record['size'], 'event')} written to {output}; its address is {record['id']}"
        )
    if collected is not None and not collected.is_quorum:
        by = ", ".join(collected.names) or "no witness of the policy"
        click.echo(f"Error: cosigned by {by}; expected the quorum of the policy", err=True)
        sys.stdout.flush()
        sys.exit(_NO_QUORUM)


@checkpoints.command(
    cls=Command,
    examples=[
        f"ofc checkpoint show {EXAMPLE_ADDRESS}",
        f"ofc checkpoint show {EXAMPLE_ADDRESS} -o friday.checkpoint",
    ],
)
@click.argument("address", metavar="ADDRESS")
@output_option
@overwrite_option
@pass_session
def show(session: Session, address: str, output: Path | None, overwrites: bool) -> None:
    """
    Print a checkpoint as it was signed.

    ADDRESS is the address that `ofc checkpoint list` shows. With the whole address no key is needed; with a key, its
    last six characters are enough.
    """
    refuse_output(output, overwrites=overwrites)
    with session.client(is_patient=True) as client:
        note = client.get_checkpoint(find_id(client, "checkpoint", address))
    if _write_note(note, output, overwrites):
        make_console().print(f"written to {output}")


add_verbs(checkpoints)


def _write_note(note: str, output: Path | None, overwrites: bool) -> bool:
    """
    Write a note into the file, or print it, byte for byte because the signature is over bytes.

    Return whether it is in a file.
    """
    if output is None:
        standard_output().write(note.encode())
        return False
    write_file(output, note.encode(), overwrites=overwrites)
    return True
