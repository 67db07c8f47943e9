"""The commands for API keys, one row for each, and the one that signs in to the console."""

import webbrowser
from collections.abc import Mapping
from typing import Final

import click

from client.commands.base import Command, Group, Session, json_option, pass_session, print_json
from client.commands.verbs import Verb, add_commands
from client.lookup import find_key
from client.render.console import make_console
from client.render.links import show_sign_in_link
from client.render.reports import KEYS, show_new_key

EXAMPLE_PREFIX: Final = "ofc_7q2mx40a"
_LOOPBACK: Final = "link-loopback"

KEY_VERBS: Final[Mapping[str, Verb]] = {
    "key create": Verb(
        operation="create_key",
        help="""Create a key. It is printed once, alone on stdout.

        It has the scopes of a preset, or those that --scope names, and no more than the key in use. It ends no later
        than the key in use, and has no end without --expires-in. With --player, it decides no dispute of a round that
        this player sat in. --json prints the key as `secret`.""",
        examples=[
            'ofc key create "table tablet" --preset scorekeeper --expires-in 90d',
            "ofc key create scoreboard --scope read > scoreboard-key",
            "ofc key create auditor-1 --preset auditor --player ann",
        ],
        arguments=("name",),
        options={"scopes": "scope", "expires_at": "expires-in"},
        metavars={"scopes": "SCOPE", "expires_at": "TIME"},
        from_now=("expires_at",),
        show=show_new_key,
    ),
    "key list": Verb(
        operation="list_keys",
        help="List the keys of the club, newest first, revoked and expired ones included.",
        examples=["ofc key list", "ofc key list --json"],
        columns=KEYS,
        items="keys",
        limit=50,
    ),
    "key revoke": Verb(
        operation="revoke_key",
        help="""Revoke a key at once. It may be the key of this request.

        PREFIX is the beginning of the key that `ofc key list` shows, and ID its id or the end of that. A whole
        key, such as a leaked one, is accepted too. Keys that it has created remain.""",
        examples=[f"ofc key revoke {EXAMPLE_PREFIX}"],
        metavars={"key_id": "PREFIX|ID"},
        finds={"key_id": find_key},
        done="the key {prefix} ({name}) is revoked",
    ),
}
"""The rows, by the names of their commands."""


@click.group(
    name="key",
    cls=Group,
    examples=["ofc key create scoreboard --scope read", "ofc key list", f"ofc key revoke {EXAMPLE_PREFIX}"],
)
def keys() -> None:
    """
    Create, list and revoke the API keys of the club.

    This needs a key of the scope `admin`. `ofc-server key create` creates the first key of a club.
    """


add_commands(keys, KEY_VERBS)


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
        show_sign_in_link(make_console(), issued, draws_code=not (is_local or opens))
    if opens and not webbrowser.open(issued["url"]):
        click.echo("warning: no browser could be opened; open the address yourself", err=True)
