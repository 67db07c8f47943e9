import sys
from pathlib import Path
from typing import Final

import click

from client.commands.common import Command, Session, json_option, pass_session, print_json
from client.commands.rounds import EXAMPLE_ID, round_argument
from client.finding import find_round
from client.offline.findings import Outcome
from client.offline.verify import read_kept, read_keys
from client.offline.verify import verify as verify_evidence
from client.reading import read_json, read_text
from client.render.console import make_console
from client.render.verified import show_report

FAILED: Final = 1
INCOMPLETE: Final = 4
_CODES: Final = {Outcome.PASSED: 0, Outcome.FAILED: FAILED, Outcome.INCOMPLETE: INCOMPLETE}


@click.command(
    cls=Command,
    examples=[
        "ofc verify evidence.json --key club.key",
        "ofc verify evidence.json --key club.key --checkpoint checkpoint.txt --json",
    ],
)
@click.argument("file")
@click.option("--key", "keys", multiple=True, metavar="KEY", help="A public key that you trust, or a file with it.")
@click.option("--checkpoint", "kept", metavar="FILE", help="A checkpoint that you have kept: FILE must agree with it.")
@json_option
def verify(file: str, keys: tuple[str, ...], kept: str | None, as_json: bool) -> None:
    """
    Check the evidence of a round, without a service or a network.

    Every revision is played again from its cards, and every figure compared; so are the chain of the events, their
    proofs and the signature. FILE is what `ofc round evidence` wrote.

    Exit codes: 0 passed, 1 failed, 2 not readable, 4 incomplete: something could not be checked.
    """
    report = verify_evidence(
        read_json(file),
        read_keys([line for key in keys for line in _lines(key)]),
        read_kept(read_text(kept), kept) if kept else None,
    )
    if as_json:
        print_json(report.document)
    else:
        show_report(make_console(), report.document)
    if sys.stdout is not None:
        sys.stdout.flush()
    sys.exit(_CODES[report.outcome])


def _lines(key: str) -> list[str]:
    """Give the keys in the file that is named, one a line, or the key as it is."""
    return read_text(key).split() if Path(key).is_file() else [key]


@click.command(
    name="evidence",
    cls=Command,
    examples=[
        "ofc round evidence friday > evidence.json",
        f"ofc round evidence {EXAMPLE_ID} --since 1 > evidence.json",
    ],
)
@round_argument
@click.option("--since", type=click.IntRange(0), metavar="SIZE", help="Prove that a checkpoint of this size has grown.")
@pass_session
def get_evidence(session: Session, round_: str, since: int | None) -> None:
    """
    Print all that proves a round, for `ofc verify` to check.

    ROUND is its id or, for the newest one of a table, the table's name.
    """
    with session.client() as client:
        evidence = client.get_evidence(find_round(client, round_)["id"], since)
    print_json(evidence)
    if since is not None and evidence.get("consistency") is None:
        click.echo(f"Nothing is proved of a checkpoint of {since} events: fewer are signed now, or none.", err=True)
