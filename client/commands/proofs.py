"""What the service proves of its tree of events, checked here against checkpoints that were kept."""

import click

from client.commands.common import Command, Session, json_option, pass_session, print_json
from client.following import find_event
from client.offline.proofs import SignedTree
from client.offline.trees import check_growth, check_inclusion, require_one_club
from client.offline.verify import read_kept
from client.reading import read_text
from client.render.cards import plural
from client.render.console import make_console


@click.command(
    name="prove-consistency",
    cls=Command,
    examples=[
        "ofc checkpoint prove-consistency older.checkpoint newer.checkpoint",
        "ofc checkpoint prove-consistency older.checkpoint newer.checkpoint --json",
    ],
)
@click.argument("older", metavar="OLDER")
@click.argument("newer", metavar="NEWER")
@json_option
@pass_session
def prove_consistency(session: Session, older: str, newer: str, as_json: bool) -> None:
    """
    Prove that nothing was changed between two checkpoints.

    OLDER and NEWER are files that `ofc checkpoint make -o` wrote. The service proves that the one's events are the
    first of the other's, and the proof is checked here. Exit code 1 says that it is none.
    """
    old, new = _read(older), _read(newer)
    require_one_club(old, new)
    sizes = old.checkpoint.size, new.checkpoint.size
    with session.client() as client:
        proof = client.prove_consistency(*sizes)
    check_growth(proof, old, new)
    if as_json:
        print_json(proof)
    else:
        grown = f"the {plural(sizes[0], 'event')} of that are the first of its {sizes[1]}, unchanged"
        make_console().print(f"{newer} has grown from {older}: {grown}")


@click.command(
    name="prove-inclusion",
    cls=Command,
    examples=[
        "ofc checkpoint prove-inclusion 2 newer.checkpoint",
        "ofc checkpoint prove-inclusion 2 newer.checkpoint --json",
    ],
)
@click.argument("position", type=click.IntRange(0))
@click.argument("checkpoint", metavar="CHECKPOINT")
@json_option
@pass_session
def prove_inclusion(session: Session, position: int, checkpoint: str, as_json: bool) -> None:
    """
    Prove that an event is among those of a checkpoint.

    POSITION is the event's, as `ofc events` prints it; CHECKPOINT a file that `ofc checkpoint make -o` wrote. The proof
    and the event's bytes are the service's, and are checked here. Exit code 1 says that they prove nothing.
    """
    tree = _read(checkpoint)
    size = tree.checkpoint.size
    with session.client() as client:
        proof = client.prove_inclusion(position, size)
        event = find_event(client, position)
    what = check_inclusion(proof, str(event.get("bytes")), position, tree)
    if as_json:
        print_json(proof)
    else:
        among = f"is among the {size} that {checkpoint} stands for"
        make_console().print(f"the event at position {position}, {what}, {among}")


def _read(name: str) -> SignedTree:
    return read_kept(read_text(name), name)
