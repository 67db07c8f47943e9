"""The keys of the club, for whoever looks after them."""

from itertools import islice
from typing import Any, Final

import click

from client.api import Client
from client.commands.common import Command, Group, Session, json_option, pass_session, print_json
from client.errors import UnreadableError
from client.render.console import make_console
from client.render.keys import list_keys

EXAMPLE_PREFIX: Final = "ofc_7q2mx40a"


@click.group(name="key", cls=Group, examples=["ofc key list", f"ofc key revoke {EXAMPLE_PREFIX}"])
def keys() -> None:
    """
    See which keys the club has, and revoke them.

    That needs a key of the scope `admin`. Keys are made by the operator, with `ofc-server key create`.
    """


@keys.command(name="list", cls=Command, examples=["ofc key list", "ofc key list --json"])
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many.")
@json_option
@pass_session
def list_(session: Session, limit: int, as_json: bool) -> None:
    """List the club's keys, the newest first, those that open nothing any more too."""
    with session.client() as client:
        found = list(islice(client.list_keys(), limit))
    if as_json:
        print_json({"keys": found})
    else:
        list_keys(make_console(), found)


@keys.command(cls=Command, examples=[f"ofc key revoke {EXAMPLE_PREFIX}"])
@click.argument("key", metavar="PREFIX|ID")
@pass_session
def revoke(session: Session, key: str) -> None:
    """
    Let a key open nothing any more, at once; it may be the one that asks.

    PREFIX is how the key begins, as `ofc key list` has it. A whole key is understood too, as one finds a leaked one.
    """
    with session.client() as client:
        found = _find(client, key)
        client.revoke_key(found["id"])
    make_console().print(f"the key {found['prefix']} ({found['name']}) opens nothing any more")


def _find(client: Client, known_as: str) -> dict[str, Any]:
    """
    Find a key of the club.

    Raises:
        UnreadableError: there is none, or more than one.
    """
    found = [key for key in client.list_keys() if known_as.lower() == key["id"] or known_as.startswith(key["prefix"])]
    if not found:
        raise UnreadableError(f"the club has no key {known_as!r}; `ofc key list` lists those that there are")
    if len(found) > 1:
        ids = ", ".join(key["id"] for key in found)
        raise UnreadableError(f"{len(found)} keys of the club begin so; the id of one is right: {ids}")
    return found[0]
