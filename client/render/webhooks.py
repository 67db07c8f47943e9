"""Webhooks, and the columns of webhooks and of their deliveries."""

from collections.abc import Mapping
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from client.render.console import Column
from client.render.format import format_minute

Document = Mapping[str, Any]

WEBHOOKS: Final = (
    Column("id", "id", is_unbroken=True),
    Column("state", "state"),
    Column("url", "url"),
    Column("kinds", lambda webhook: ", ".join(webhook["kinds"])),
)
DELIVERIES: Final = (
    Column("id", "id", is_unbroken=True),
    Column("kind", "kind"),
    Column("state", "state"),
    Column("attempts", "attempts"),
    Column("created (UTC)", lambda delivery: format_minute(delivery["created_at"])),
    Column("last error", "last_error"),
)


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
