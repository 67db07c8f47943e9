"""Commands that list and revoke the API keys of the club."""

from itertools import islice
from typing import Any, Final

import click

from client.api import Client
from client.commands.base import Command, Group, Session, json_option, pass_session, print_json
from client.errors import UnreadableError
from client.render.console import make_console
from client.render.reports import list_keys

EXAMPLE_PREFIX: Final = "ofc_7q2mx40a"
_MIN_ID_PREFIX: Final = 4


@click.group(name="key", cls=Group, examples=["ofc key list", f"ofc key revoke {EXAMPLE_PREFIX}"])
def keys() -> None:
    """
    List and revoke the API keys of the club.

    This needs a key of the scope `admin`. The operator creates keys with `ofc-server key create`.
    """


@keys.command(name="list", cls=Command, examples=["ofc key list", "ofc key list --json"])
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most this many.")
@json_option
@pass_session
def list_(session: Session, limit: int, as_json: bool) -> None:
    """List the keys of the club, newest first, revoked and expired ones included."""
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
    Revoke a key at once. It may be the key of this request.

    PREFIX is the beginning of the key that `ofc key list` shows, and ID its id or the beginning of that. A whole key,
    such as a leaked one, is accepted too.
    """
    with session.client() as client:
        found = _find(client, key)
        client.revoke_key(found["id"])
    make_console().print(f"the key {found['prefix']} ({found['name']}) is revoked")


def _find(client: Client, known_as: str) -> dict[str, Any]:
    """
    Find a key of the club.

    Raises:
        UnreadableError: no key matches, or several do.
    """
    found = [key for key in client.list_keys() if _is_meant(key, known_as)]
    if not found:
        raise UnreadableError(f"there is no key {known_as!r}; `ofc key list` lists the keys of the club")
    if len(found) > 1:
        ids = ", ".join(key["id"] for key in found)
        raise UnreadableError(f"{len(found)} keys of the club begin with this prefix; expected the id of one: {ids}")
    return found[0]


def _is_meant(key: dict[str, Any], known_as: str) -> bool:
    """Return whether a text is the prefix of a key, the whole key, its id, or the beginning of its id."""
    is_id = len(known_as) >= _MIN_ID_PREFIX and key["id"].startswith(known_as.lower())
    return is_id or known_as.startswith(key["prefix"])
