"""The commands for API keys: one row for each, over the operations of the contract."""

from collections.abc import Mapping
from typing import Final

import click

from client.commands.base import Group
from client.commands.verbs import Verb, add_commands
from client.lookup import find_key
from client.render.reports import KEYS, show_new_key

EXAMPLE_PREFIX: Final = "ofc_7q2mx40a"

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
