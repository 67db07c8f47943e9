"""Webhooks and their deliveries."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from client.render.console import make_grid
from client.render.format import format_minute

Document = Mapping[str, Any]


def list_webhooks(console: Console, webhooks: Sequence[Document]) -> None:
    """Print webhooks, one a line."""
    if not webhooks:
        console.print("No webhooks.")
        return
    grid = make_grid(console, "id", "state", "url", "kinds", unbroken=("id",))
    for webhook in webhooks:
        grid.add_row(webhook["id"], webhook["state"], webhook["url"], ", ".join(webhook["kinds"]))
    console.print(grid)


def show_webhook(console: Console, webhook: Document) -> None:
    """Print a webhook with everything that is known of it."""
    because = "" if webhook["disabled_because"] is None else f" ({webhook['disabled_because']})"
    lines = [f"webhook {webhook['id']}: {webhook['state']}{because}", f"  {webhook['url']}"]
    lines += [f"  {webhook['description']}"] if webhook["description"] else []
    lines.append(f"  receives {', '.join(webhook['kinds'])}")
    if webhook["failing_since"] is not None:
        lines.append(f"  failing since {format_minute(webhook['failing_since'])} UTC")
    if webhook["previous_secret_until"] is not None:
        lines.append(f"  the previous secret signs too until {format_minute(webhook['previous_secret_until'])} UTC")
    for line in lines:
        console.print(Text(line), soft_wrap=True)


def list_deliveries(console: Console, deliveries: Sequence[Document]) -> None:
    """Print deliveries, one a line, with the reason of the last failure."""
    if not deliveries:
        console.print("No deliveries.")
        return
    grid = make_grid(console, "id", "kind", "state", "attempts", "created (UTC)", "last error", unbroken=("id",))
    for each in deliveries:
        attempts, created = str(each["attempts"]), format_minute(each["created_at"])
        grid.add_row(each["id"], each["kind"], each["state"], attempts, created, each["last_error"] or "–")
    console.print(grid)
