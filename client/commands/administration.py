"""The administrative commands: one row for each, over the operations of the contract."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from client.api import Client
from client.commands.base import Command, Group, Session, json_option, pass_session, print_json
from client.commands.names import complete_rulesets
from client.commands.verbs import Find, Verb, add_commands, make_command
from client.lookup import add_names_of_payments, add_table_names, find_any_table, find_id
from client.render.console import make_console
from client.render.hands import show_hand_summary
from client.render.links import LINKS
from client.render.reports import CHECKPOINTS, IMPORTS, RECOMPUTATIONS, show_recomputation
from client.render.rounds import show_club_statement, show_table
from client.render.rulesets import RULESETS, differences, show_difference, show_ruleset
from client.render.statistics import STATISTICS
from client.render.webhooks import DELIVERIES, WEBHOOKS, show_webhook

if TYPE_CHECKING:
    from client.models import IdKind

EXAMPLE_WEBHOOK: Final = "01a1fbf4-2b7e-7c11-8a40-5d3f9e6b1c02"
EXAMPLE_DELIVERY: Final = "01a1fbf4-91d3-7f52-9c08-7a1b2c3d4e5f"
EXAMPLE_JOB: Final = "01a1fb5b-de71-72b0-b398-2e268dab7c37"
EXAMPLE_LINK: Final = "01a1fa84-64a0-7085-97f3-41c5dbd26f08"
EXAMPLE_LINK_ADDRESS: Final = "https://ofc.example/links/ofc_link_SECRET"
_URL: Final = "https://club.example/webhooks"
_LINK_SECRET: Final = re.compile(r"ofc_link_[0-9A-Za-z]+", re.ASCII)

Document = Mapping[str, Any]


def _finder(kind: "IdKind") -> Find:
    """Return the function that finds records of a kind by their ids, or the ends of these."""

    def find(client: Client, *texts: str) -> Document:
        return {"id": find_id(client, kind, texts[-1])}

    return find


def _find_link(client: Client, text: str) -> Document:
    """Find a link by its id, the end of its id, or its address, with whose secret the link can be read."""
    secret = _LINK_SECRET.search(text)
    if secret is None:
        return {"id": find_id(client, "link", text)}
    session = click.get_current_context().find_object(Session)
    assert session is not None
    with replace(session, key=secret[0]).client() as holder:
        return holder.get_link()


_WEBHOOK: Final[Mapping[str, Any]] = {"finds": {"webhook_id": _finder("webhook"), "delivery_id": _finder("delivery")}}
_JOB: Final[Mapping[str, Any]] = {
    "finds": {"recomputation_id": _finder("recomputation")},
    "show": show_recomputation,
    "extend": add_names_of_payments,
}
_JOB_VERBS: Final = {
    "cancel": "Cancel a recomputation. What was found and applied remains.",
    "pause": "Pause a recomputation.",
    "resume": "Resume a paused recomputation.",
}

VERBS: Final[Mapping[str, Verb]] = {
    "link list": Verb(
        operation="list_links",
        help="List links, newest first, with expired and revoked ones.",
        examples=["ofc link list --table friday", "ofc link list --state valid --json"],
        metavars={"round": "ROUND"},
        columns=LINKS,
        extend=add_table_names,
        items="links",
        limit=50,
    ),
    "link revoke": Verb(
        operation="revoke_link",
        help="""Revoke a link immediately. Other links stay valid.

        LINK is its id, which `ofc link list` lists, its last six or more characters, or the address of a link that is
        valid.""",
        examples=[f"ofc link revoke {EXAMPLE_LINK}", f"ofc link revoke {EXAMPLE_LINK_ADDRESS}"],
        metavars={"link_id": "LINK"},
        finds={"link_id": _find_link},
        done="the link is revoked",
    ),
    "webhook add": Verb(
        operation="add_webhook",
        help="Create a webhook. `ofc webhook secret show` prints the secret that signs its messages.",
        examples=[f"ofc webhook add {_URL} --kind round.completed --kind settlement.finalized"],
        arguments=("url",),
        options={"kinds": "kind"},
        metavars={"kinds": "KIND"},
        show=show_webhook,
    ),
    "webhook list": Verb(
        operation="list_webhooks",
        help="List the webhooks of the club, newest first.",
        examples=["ofc webhook list", "ofc webhook list --json"],
        columns=WEBHOOKS,
        items="webhooks",
    ),
    "webhook show": Verb(
        operation="get_webhook",
        help="Show a webhook, without its secret.",
        examples=[f"ofc webhook show {EXAMPLE_WEBHOOK}"],
        show=show_webhook,
        **_WEBHOOK,
    ),
    "webhook update": Verb(
        operation="update_webhook",
        help="Change a webhook. What no option names stays as it is.",
        examples=[
            f"ofc webhook update {EXAMPLE_WEBHOOK} --kind hand.recorded --kind hand.withdrawn",
            f"ofc webhook update {EXAMPLE_WEBHOOK} --state active",
        ],
        options={"kinds": "kind"},
        metavars={"kinds": "KIND"},
        show=show_webhook,
        needs_option=True,
        **_WEBHOOK,
    ),
    "webhook remove": Verb(
        operation="remove_webhook",
        help="Delete a webhook with its deliveries. Messages that wait are not sent.",
        examples=[f"ofc webhook remove {EXAMPLE_WEBHOOK} --yes"],
        show=show_webhook,
        confirms=("get_webhook", "Delete the webhook?"),
        done="Deleted: webhook {id}.",
        **_WEBHOOK,
    ),
    "webhook test": Verb(
        operation="test_webhook",
        help="Send a message of the kind `webhook.test`. `ofc webhook deliveries` shows its result.",
        examples=[f"ofc webhook test {EXAMPLE_WEBHOOK}"],
        columns=DELIVERIES,
        **_WEBHOOK,
    ),
    "webhook deliveries": Verb(
        operation="list_webhook_deliveries",
        help="List the messages to a webhook, newest first.",
        examples=[
            f"ofc webhook deliveries {EXAMPLE_WEBHOOK}",
            f"ofc webhook deliveries {EXAMPLE_WEBHOOK} --state dead_lettered",
        ],
        columns=DELIVERIES,
        items="deliveries",
        limit=50,
        **_WEBHOOK,
    ),
    "webhook redeliver": Verb(
        operation="redeliver_message",
        help="Send a message again, at once. DELIVERY is its id, or its last six or more characters.",
        examples=[f"ofc webhook redeliver {EXAMPLE_WEBHOOK} {EXAMPLE_DELIVERY}"],
        metavars={"delivery_id": "DELIVERY"},
        columns=DELIVERIES,
        **_WEBHOOK,
    ),
    "webhook secret show": Verb(
        operation="get_webhook_secret",
        help="Print the secret of a webhook, and nothing else.",
        examples=[f"ofc webhook secret show {EXAMPLE_WEBHOOK}"],
        show=lambda console, secret: console.print(secret["secret"], soft_wrap=True),
        **_WEBHOOK,
    ),
    "webhook secret rotate": Verb(
        operation="rotate_webhook_secret",
        help="Replace the secret of a webhook by a new one. `ofc webhook secret show` prints it.",
        examples=[f"ofc webhook secret rotate {EXAMPLE_WEBHOOK} --overlap 3600"],
        options={"overlap_seconds": "overlap"},
        metavars={"overlap_seconds": "SECONDS"},
        show=show_webhook,
        **_WEBHOOK,
    ),
    "checkpoint list": Verb(
        operation="list_checkpoints",
        help="List checkpoints, newest first.",
        examples=["ofc checkpoint list", "ofc checkpoint list --json"],
        columns=CHECKPOINTS,
        items="checkpoints",
        limit=50,
        is_patient=True,
    ),
    "checkpoint keys": Verb(
        operation="list_checkpoint_keys",
        help="""Print every public key that has signed a checkpoint, one a line.

        `ofc verify` and other verifiers accept these lines. Store them together with the checkpoints: a key that is
        fetched only when there is a doubt proves nothing.""",
        examples=["ofc checkpoint keys", "ofc checkpoint keys > club.key"],
        show=lambda _console, key: click.echo(key["verifier"]),
        items="keys",
        empty="",
        is_patient=True,
    ),
    "statement": Verb(
        operation="get_club_statement",
        help="""Show what players won and lost over several tables, and who pays whom.

        All tables of the club, unless --table is given. Amounts of different units are not added up.""",
        examples=[
            "ofc statement --from today",
            "ofc statement --player ann --from 2026-11-01 --to 2026-12-01",
            "ofc statement --table kitchen --csv > kitchen.csv",
            "ofc statement --from today --settle-up pairs",
        ],
        options={"tables": "table"},
        show=show_club_statement,
        has_csv=True,
    ),
    "statistics": Verb(
        operation="get_player_statistics",
        operation_for_all="list_statistics",
        help="""Show statistics of a player, or of all players, most hands first.

        Only the revisions in force count, so statistics follow corrections.""",
        examples=["ofc statistics", "ofc statistics --table kitchen --ruleset pineapple --from 2026-11-01"],
        metavars={"player": "[PLAYER]"},
        columns=STATISTICS,
        records="players",
        note="Points a hand with their 95 % interval; royalties of top/middle/bottom.",
        empty="No hands have been played.",
    ),
    "hand find": Verb(
        operation="find_hands",
        help="""Find hands of all rounds, newest recorded first.

        A hand that was undone or corrected is not listed; the record that replaces it is.""",
        examples=["ofc hand find --player ann --from -7d --foul", "ofc hand find --table kitchen --no-fantasyland"],
        show=show_hand_summary,
        items="hands",
        limit=50,
    ),
    "imports": Verb(
        operation="list_imports",
        help="List the imports of the club, newest first.",
        examples=["ofc imports", "ofc imports --state succeeded --json"],
        columns=IMPORTS,
        items="imports",
        empty="No jobs.",
        limit=50,
    ),
    "recompute list": Verb(
        operation="list_recomputations",
        help="List the recomputations of the club, newest first.",
        examples=["ofc recompute list", "ofc recompute list --state running"],
        columns=RECOMPUTATIONS,
        items="recomputations",
        empty="No jobs.",
        limit=50,
    ),
    "recompute status": Verb(
        operation="get_recomputation",
        help="Show the progress and the results of a recomputation.",
        examples=[f"ofc recompute status {EXAMPLE_JOB}"],
        **_JOB,
    ),
    **{
        f"recompute {verb}": Verb(
            operation=f"{verb}_recomputation", help=text, examples=[f"ofc recompute {verb} {EXAMPLE_JOB}"], **_JOB
        )
        for verb, text in _JOB_VERBS.items()
    },
    "ruleset list": Verb(
        operation="list_rulesets",
        help="List the presets and, with a key, the custom rulesets of the club.",
        examples=["ofc ruleset list", "ofc ruleset list --json"],
        columns=RULESETS,
        items="rulesets",
    ),
    "ruleset show": Verb(
        operation="get_ruleset",
        help="Show every rule of a ruleset.",
        examples=["ofc ruleset show progressive", "ofc ruleset show progressive@1 --json > mine.json"],
        metavars={"reference": "NAME[@VERSION]"},
        show=show_ruleset,
    ),
    "table list": Verb(
        operation="list_tables",
        help="List the tables of the club, newest first.",
        examples=["ofc table list", "ofc table list --archived", "ofc table list --json"],
        show=show_table,
        items="tables",
        limit=50,
    ),
    "table create": Verb(
        operation="add_table",
        help="""Create a table.

        A round uses the ruleset, point value, unit and standing charge that its table has when it is opened.""",
        examples=[
            "ofc table create friday --ruleset progressive --point-value 50 --unit EUR",
            "ofc table create club --ruleset pineapple --charge-per hand --charge-amount 1",
        ],
        arguments=("name",),
        options={"correction_window_minutes": "correction-window"},
        metavars={"correction_window_minutes": "MINUTES", "unit": "CODE"},
        show=show_table,
    ),
    "table update": Verb(
        operation="update_table",
        help="Change a table for its next rounds, archive it, or bring it back. What no option names stays as it is.",
        examples=["ofc table update friday --minimum-stack 100", "ofc table update friday --archived"],
        options={"correction_window_minutes": "correction-window", "is_archived": "archived"},
        metavars={"table_id": "TABLE", "correction_window_minutes": "MINUTES", "unit": "CODE"},
        finds={"table_id": find_any_table},
        show=show_table,
        needs_option=True,
        clears=("metadata",),
    ),
}
"""The rows, by the names of their commands."""


def get_verb(name: str) -> click.Command:
    """Build the command of a row, for example `webhook list`."""
    return make_command(name.rpartition(" ")[2], VERBS[name])


def add_verbs(group: click.Group, *names: str) -> None:
    """Add the rows of a group to it, or those of the given names."""
    add_commands(group, VERBS, *names)


@click.group(
    name="webhook",
    cls=Group,
    examples=[f"ofc webhook add {_URL} --kind round.completed", f"ofc webhook deliveries {EXAMPLE_WEBHOOK}"],
)
def webhooks() -> None:
    """
    Manage webhooks, to which the service sends messages about what happens.

    This needs a key of the scope `webhooks`. ID is the id of a webhook, or its last six or more characters.
    """


@webhooks.group(cls=Group, name="secret", examples=[f"ofc webhook secret show {EXAMPLE_WEBHOOK}"])
def secret() -> None:
    """Show or rotate the secret that signs the messages of a webhook."""


add_verbs(webhooks)
add_verbs(secret, "webhook secret show", "webhook secret rotate")
find_hands = get_verb("hand find")
imports = get_verb("imports")
statement = get_verb("statement")
statistics = get_verb("statistics")


@click.group(name="ruleset", cls=Group, examples=["ofc ruleset list", "ofc ruleset diff pineapple progressive"])
def rulesets() -> None:
    """Show rulesets: the presets, and the custom ones of the club."""


add_verbs(rulesets)


@rulesets.command(name="diff", cls=Command, examples=["ofc ruleset diff pineapple progressive"])
@click.argument("first", metavar="A", shell_complete=complete_rulesets)
@click.argument("second", metavar="B", shell_complete=complete_rulesets)
@json_option
@pass_session
def show_ruleset_difference(session: Session, first: str, second: str, as_json: bool) -> None:
    """Show the differences between two rulesets."""
    with session.client() as client:
        one, other = client.get_ruleset(first), client.get_ruleset(second)
    if as_json:
        print_json({path: [a, b] for path, a, b in differences(one, other)})
    else:
        show_difference(make_console(), one, other)
