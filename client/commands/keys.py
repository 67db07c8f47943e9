"""Commands that list and revoke the API keys of the club, and sign in to the console with one."""

import webbrowser
from itertools import islice
from typing import Any, Final

import click

from client.api import Client
from client.commands.base import Command, Group, Session, json_option, limit_option, pass_session, print_json
from client.errors import UnreadableError
from client.render.console import make_console
from client.render.reports import list_keys
from client.render.table_links import show_console_link

EXAMPLE_PREFIX: Final = "ofc_7q2mx40a"
_MIN_ID_PREFIX: Final = 4


@click.group(name="key", cls=Group, examples=["ofc key list", f"ofc key revoke {EXAMPLE_PREFIX}"])
def keys() -> None:
    """
    List and revoke the API keys of the club.

    This needs a key of the scope `admin`. The operator creates keys with `ofc-server key create`.
    """


@keys.command(name="list", cls=Command, examples=["ofc key list", "ofc key list --json"])
@limit_option
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


_LOOPBACK: Final = "link-loopback"


@click.command(cls=Command, examples=["ofc console", "ofc console --open", "ofc console --json"])
@click.option("--open", "opens", is_flag=True, help="Open the address in the browser of this machine.")
@json_option
@pass_session
def console(session: Session, opens: bool, as_json: bool) -> None:
    """
    Create a link that signs in to the console once, and print it with a QR code.

    The link is valid for ten minutes and signs in with the key in use, whose scopes decide what the console shows. Its
    page has a button; only the button uses the link. The session ends after twelve hours at most, and with the key.
    """
    with session.client() as client:
        issued = client.issue_console_link()
    # On this machine itself, no phone is needed, and nobody else can read the link.
    is_local = any(warning["code"] == _LOOPBACK for warning in issued["warnings"])
    for warning in issued["warnings"]:
        if warning["code"] != _LOOPBACK:
            click.echo(f"warning: {warning['detail']}", err=True)
    if as_json:
        print_json(issued)
    else:
        show_console_link(make_console(), issued, draws_code=not (is_local or opens))
    if opens and not webbrowser.open(issued["url"]):
        click.echo("warning: no browser could be opened; open the address yourself", err=True)
