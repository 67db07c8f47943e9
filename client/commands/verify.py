"""Commands that verify evidence files and the proofs of checkpoints."""

import json
import sys
from pathlib import Path
from typing import Final

import click

from client.commands.base import Command, Session, json_option, pass_session, print_json
from client.commands.names import complete_files
from client.commands.rounds import EXAMPLE_ID, round_argument
from client.files import parse_object, read_text, standard_output
from client.import_export import find_event
from client.lookup import find_round
from client.offline.verify import (
    PROOF_HEADER,
    Outcome,
    SignedTree,
    check_growth,
    check_inclusion,
    read_checkpoint,
    read_keys,
    read_trust_policy,
    require_one_club,
    verify_log_proof,
    write_hand_proof,
)
from client.offline.verify import verify as verify_evidence
from client.render.console import make_console
from client.render.format import plural
from client.render.reports import show_report

FAILED: Final = 1
INCOMPLETE: Final = 4
SO_FAR: Final = 5
_CODES: Final = {
    Outcome.PASSED: 0,
    Outcome.FAILED: FAILED,
    Outcome.INCOMPLETE: INCOMPLETE,
    Outcome.PASSED_SO_FAR: SO_FAR,
}


@click.command(
    cls=Command,
    examples=[
        "ofc verify evidence.json --key club.key",
        "ofc verify evidence.json --key club.key --checkpoint checkpoint.txt --json",
        "ofc verify evidence.json --policy friends.policy",
        "ofc verify hand-1.tlog-proof --policy friends.policy",
    ],
)
@click.argument("file", shell_complete=complete_files)
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="KEY",
    help="A public key that you trust, or a file that contains it.",
    shell_complete=complete_files,
)
@click.option(
    "--checkpoint",
    "retained",
    metavar="FILE",
    help="A checkpoint that you have retained; FILE must be consistent with it.",
    shell_complete=complete_files,
)
@click.option(
    "--policy",
    "policy_file",
    metavar="FILE",
    help="A trust policy (C2SP tlog-policy): its quorum of witnesses must have cosigned the checkpoint.",
    shell_complete=complete_files,
)
@json_option
def verify(file: str, keys: tuple[str, ...], retained: str | None, policy_file: str | None, as_json: bool) -> None:
    """
    Verify the evidence of a round or a hand, without a service or a network.

    Every revision is replayed from its cards and every figure compared. The chain of the events, their proofs and the
    signature are verified. FILE is written by `ofc round evidence`.

    Exit codes: 0 passed, complete as of its checkpoint; 1 failed; 2 not readable; 4 incomplete, something could not be
    checked; 5 passed up to the last signed event, later events are not excluded.
    """
    trusted = read_keys([line for key in keys for line in _lines(key)])
    policy = read_trust_policy(read_text(policy_file).encode(), policy_file) if policy_file else None
    written = read_text(file)
    is_proof = written.startswith(PROOF_HEADER)
    if is_proof and retained:
        raise click.UsageError("--checkpoint compares the evidence of a round; FILE is the proof of one event")
    if is_proof:
        report = verify_log_proof(written, trusted, policy)
    else:
        older = read_checkpoint(read_text(retained), retained) if retained else None
        report = verify_evidence(parse_object(written, file), trusted, older, policy)
    if as_json:
        print_json(report.document)
    else:
        show_report(make_console(), report.document, what="proof" if is_proof else "file")
    if sys.stdout is not None:
        sys.stdout.flush()
    sys.exit(_CODES[report.outcome])


def _lines(key: str) -> list[str]:
    """Return the keys in the named file, one a line, or the key itself."""
    return read_text(key).split() if Path(key).is_file() else [key]


@click.command(
    name="evidence",
    cls=Command,
    examples=[
        "ofc round evidence friday > evidence.json",
        f"ofc round evidence {EXAMPLE_ID} --since 1 > evidence.json",
        "ofc round evidence friday --hand 1 > hand-1.tlog-proof",
    ],
)
@round_argument
@click.option(
    "--since", type=click.IntRange(0), metavar="SIZE", help="Prove consistency with a checkpoint of this size."
)
@click.option("--hand", type=click.IntRange(1), metavar="NUMBER", help="Print the proof of one hand alone.")
@pass_session
def get_evidence(session: Session, round_: str, since: int | None, hand: int | None) -> None:
    """
    Print the evidence of a round, for `ofc verify`.

    ROUND is its id or, for the newest round of a table, the table's name. With --hand, a small file (C2SP tlog-proof)
    that a player retains: the event of the hand, its proof, and the signed checkpoint.
    """
    with session.client(is_patient=True) as client:
        evidence = client.get_evidence(find_round(client, round_)["id"], since=since)
    if hand is not None:
        document = parse_object(json.dumps(evidence), "the evidence")
        standard_output().write(write_hand_proof(document, hand).encode())
        return
    print_json(evidence)
    if since is not None and evidence.get("consistency") is None:
        click.echo(
            f"The evidence proves nothing about a checkpoint of {since} events: fewer events are signed now, or none.",
            err=True,
        )


@click.command(
    name="prove-consistency",
    cls=Command,
    examples=[
        "ofc checkpoint prove-consistency older.checkpoint newer.checkpoint",
        "ofc checkpoint prove-consistency older.checkpoint newer.checkpoint --json",
    ],
)
@click.argument("older", metavar="OLDER", shell_complete=complete_files)
@click.argument("newer", metavar="NEWER", shell_complete=complete_files)
@json_option
@pass_session
def prove_consistency(session: Session, older: str, newer: str, as_json: bool) -> None:
    """
    Prove that nothing was changed between two checkpoints.

    OLDER and NEWER are files that `ofc checkpoint make -o` wrote. The service proves that the events of the older
    checkpoint are the first events of the newer one, and the proof is verified here. Exit code 1 means that the proof
    is not valid.
    """
    old, new = _read(older), _read(newer)
    require_one_club(old, new)
    sizes = old.checkpoint.size, new.checkpoint.size
    with session.client(is_patient=True) as client:
        proof = client.prove_consistency(from_=sizes[0], to=sizes[1])
    check_growth(proof, old, new)
    if as_json:
        print_json(proof)
    else:
        grown = f"its first {sizes[0]} of {plural(sizes[1], 'event')} are those of {older}, unchanged"
        make_console().print(f"{newer} is consistent with {older}: {grown}")


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

    POSITION is the event's, as `ofc events` prints it; CHECKPOINT is a file that `ofc checkpoint make -o` wrote. The
    proof and the bytes of the event come from the service, and are verified here. Exit code 1 means that the proof is
    not valid.
    """
    tree = _read(checkpoint)
    size = tree.checkpoint.size
    with session.client(is_patient=True) as client:
        proof = client.prove_inclusion(position=position, size=size)
        event = find_event(client, position)
    what = check_inclusion(proof, str(event.get("bytes")), position, tree)
    if as_json:
        print_json(proof)
    else:
        among = f"is among the {plural(size, 'event')} of {checkpoint}"
        make_console().print(f"the event at position {position}, {what}, {among}")


def _read(name: str) -> SignedTree:
    return read_checkpoint(read_text(name), name)
