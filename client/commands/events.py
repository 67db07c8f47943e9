"""What happened in the club, for operators' own systems."""

import select
import sys
from typing import Final

import click

from client.commands.common import Command, Session, pass_session, tell_waiting
from client.following import follow_events, pages_of_events
from client.writing import standard_output

_GONE: Final = select.POLLERR | select.POLLHUP


@click.command(
    cls=Command,
    examples=["ofc events > events.ndjson", "ofc events --after 41", "ofc events --after 41 --follow >> events.ndjson"],
)
@click.option("--after", type=click.IntRange(0), metavar="POSITION", help="Only what came after this position.")
@click.option("--follow", "follows", is_flag=True, help="Go on with what happens from now on, until Ctrl-C.")
@pass_session
def events(session: Session, after: int | None, follows: bool) -> None:
    """
    Print what happened in the club, one event a line, as JSON.

    Each has its position in the tree that checkpoints sign, its hash, its bytes and what they say. With --follow a
    connection that breaks is waited for, and nothing is left out or printed twice.
    """
    output = standard_output()
    with session.client() as client:
        for page in follow_events(client, after, tell_waiting) if follows else pages_of_events(client, after):
            output.write(page.content)
            output.flush()
            if follows and _is_closed():
                raise BrokenPipeError


def _is_closed() -> bool:
    """Say whether whoever read has gone: while nothing happens nothing is written, and so no writing fails."""
    output = select.poll()
    output.register(sys.stdout.fileno(), 0)
    return any(found & _GONE for _, found in output.poll(0))
