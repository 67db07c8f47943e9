"""Commands for webhooks: add, list, show, update, remove and test them, and manage their secrets and deliveries."""

from itertools import islice
from typing import Any, Final

import click

from client.commands.base import (
    Command,
    Group,
    Session,
    json_option,
    limit_option,
    pass_session,
    print_json,
    yes_option,
)
from client.entry.prompt import confirm, make_asker
from client.lookup import find_delivery_id, find_webhook_id
from client.render.console import make_console
from client.render.webhooks import list_deliveries, list_webhooks, show_webhook

Document = dict[str, Any]

EXAMPLE_ID: Final = "01a1fbf4-2b7e-7c11-8a40-5d3f9e6b1c02"
EXAMPLE_DELIVERY: Final = "01a1fbf4-91d3-7f52-9c08-7a1b2c3d4e5f"
_EXAMPLE_URL: Final = "https://club.example/webhooks"

id_argument = click.argument("webhook_id", metavar="ID")


@click.group(
    name="webhook",
    cls=Group,
    examples=[f"ofc webhook add {_EXAMPLE_URL} --kind round.completed", f"ofc webhook deliveries {EXAMPLE_ID}"],
)
def webhooks() -> None:
    """
    Manage webhooks, to which the service sends messages about what happens.

    This needs a key of the scope `webhooks`. ID is the id of a webhook, or its beginning.
    """


@webhooks.command(
    cls=Command, examples=[f"ofc webhook add {_EXAMPLE_URL} --kind round.completed --kind settlement.finalized"]
)
@click.argument("url", metavar="URL")
@click.option(
    "--kind", "kinds", multiple=True, required=True, metavar="KIND", help="A kind of message; can be repeated."
)
@click.option("--description", metavar="TEXT", help="What the webhook is used for.")
@json_option
@pass_session
def add(session: Session, url: str, kinds: tuple[str, ...], description: str | None, as_json: bool) -> None:
    """Create a webhook. `ofc webhook secret show` prints the secret that signs its messages."""
    request: Any = {"url": url, "kinds": list(kinds), **({"description": description} if description else {})}
    with session.client() as client:
        _show(client.add_webhook(request), as_json=as_json)


@webhooks.command(name="list", cls=Command, examples=["ofc webhook list", "ofc webhook list --json"])
@json_option
@pass_session
def list_(session: Session, as_json: bool) -> None:
    """List the webhooks of the club, newest first."""
    with session.client() as client:
        found = list(client.list_webhooks())
    if as_json:
        print_json({"webhooks": found})
    else:
        list_webhooks(make_console(), found)


@webhooks.command(cls=Command, examples=[f"ofc webhook show {EXAMPLE_ID}"])
@id_argument
@json_option
@pass_session
def show(session: Session, webhook_id: str, as_json: bool) -> None:
    """Show a webhook, without its secret."""
    with session.client() as client:
        _show(client.get_webhook(find_webhook_id(client, webhook_id)), as_json=as_json)


@webhooks.command(
    cls=Command,
    examples=[
        f"ofc webhook update {EXAMPLE_ID} --kind hand.recorded --kind hand.withdrawn",
        f"ofc webhook update {EXAMPLE_ID} --state active",
    ],
)
@id_argument
@click.option("--url", metavar="URL", help="Another URL.")
@click.option("--kind", "kinds", multiple=True, metavar="KIND", help="All kinds of messages; can be repeated.")
@click.option("--description", metavar="TEXT", help="Another description.")
@click.option("--state", type=click.Choice(["active", "disabled"]), help="Whether messages are sent.")
@json_option
@pass_session
def update(
    session: Session,
    webhook_id: str,
    url: str | None,
    kinds: tuple[str, ...],
    description: str | None,
    state: str | None,
    as_json: bool,
) -> None:
    """Change a webhook. What no option names stays as it is."""
    given = {"url": url, "kinds": list(kinds) or None, "description": description, "state": state}
    changes: Any = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise click.UsageError("Give at least one of --url, --kind, --description and --state.")
    with session.client() as client:
        _show(client.update_webhook(find_webhook_id(client, webhook_id), changes), as_json=as_json)


@webhooks.command(cls=Command, examples=[f"ofc webhook remove {EXAMPLE_ID} --yes"])
@id_argument
@yes_option
@pass_session
def remove(session: Session, webhook_id: str, yes: bool) -> None:
    """Delete a webhook with its deliveries. Messages that wait are not sent."""
    console = make_console()
    with session.client() as client:
        found = client.get_webhook(find_webhook_id(client, webhook_id))
        show_webhook(console, found)
        if not yes and not confirm(make_asker(), "Delete the webhook?"):
            console.print("Nothing was changed.")
            return
        client.remove_webhook(found["id"])
    console.print(f"Deleted: webhook {found['id']}.", soft_wrap=True)


@webhooks.command(cls=Command, examples=[f"ofc webhook test {EXAMPLE_ID}"])
@id_argument
@json_option
@pass_session
def test(session: Session, webhook_id: str, as_json: bool) -> None:
    """Send a message of the kind `webhook.test`. `ofc webhook deliveries` shows its result."""
    with session.client() as client:
        _show_delivery(client.test_webhook(find_webhook_id(client, webhook_id)), as_json=as_json)


@webhooks.group(cls=Group, examples=[f"ofc webhook secret show {EXAMPLE_ID}"])
def secret() -> None:
    """Show or rotate the secret that signs the messages of a webhook."""


@secret.command(name="show", cls=Command, examples=[f"ofc webhook secret show {EXAMPLE_ID}"])
@id_argument
@json_option
@pass_session
def show_secret(session: Session, webhook_id: str, as_json: bool) -> None:
    """Print the secret of a webhook, and nothing else."""
    with session.client() as client:
        found = client.get_webhook_secret(find_webhook_id(client, webhook_id))
    if as_json:
        print_json(found)
    else:
        make_console().print(found["secret"], soft_wrap=True)


@secret.command(cls=Command, examples=[f"ofc webhook secret rotate {EXAMPLE_ID} --overlap 3600"])
@id_argument
@click.option(
    "--overlap",
    type=click.IntRange(0),
    metavar="SECONDS",
    help="How long the old secret signs messages too: 86400 (a day) if omitted.",
)
@json_option
@pass_session
def rotate(session: Session, webhook_id: str, overlap: int | None, as_json: bool) -> None:
    """Replace the secret of a webhook by a new one. `ofc webhook secret show` prints it."""
    request: Any = {} if overlap is None else {"overlap_seconds": overlap}
    with session.client() as client:
        _show(client.rotate_webhook_secret(find_webhook_id(client, webhook_id), request), as_json=as_json)


@webhooks.command(
    cls=Command,
    examples=[f"ofc webhook deliveries {EXAMPLE_ID}", f"ofc webhook deliveries {EXAMPLE_ID} --state dead_lettered"],
)
@id_argument
@click.option(
    "--state", type=click.Choice(["waiting", "delivered", "dead_lettered"]), help="List only items in this state."
)
@limit_option
@json_option
@pass_session
def deliveries(session: Session, webhook_id: str, state: Any, limit: int, as_json: bool) -> None:
    """List the messages to a webhook, newest first."""
    with session.client() as client:
        listed = client.list_webhook_deliveries(find_webhook_id(client, webhook_id), state=state)
        found = list(islice(listed, limit))
    if as_json:
        print_json({"deliveries": found})
    else:
        list_deliveries(make_console(), found)


@webhooks.command(cls=Command, examples=[f"ofc webhook redeliver {EXAMPLE_ID} {EXAMPLE_DELIVERY}"])
@id_argument
@click.argument("delivery_id", metavar="DELIVERY")
@json_option
@pass_session
def redeliver(session: Session, webhook_id: str, delivery_id: str, as_json: bool) -> None:
    """Send a message again, at once. DELIVERY is its id, or the beginning of it."""
    with session.client() as client:
        webhook = find_webhook_id(client, webhook_id)
        delivery = client.redeliver_message(webhook, find_delivery_id(client, webhook, delivery_id))
    _show_delivery(delivery, as_json=as_json)


def _show(webhook: Document, *, as_json: bool) -> None:
    if as_json:
        print_json(webhook)
    else:
        show_webhook(make_console(), webhook)


def _show_delivery(delivery: Document, *, as_json: bool) -> None:
    if as_json:
        print_json(delivery)
    else:
        list_deliveries(make_console(), [delivery])
