"""What is paid because a final settlement was corrected."""

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from client.render.cards import plural

Document = Mapping[str, Any]


def show_adjustment(console: Console, adjustment: Document | None) -> None:
    """Show who pays whom because a settlement that was final is another now."""
    if adjustment is None:
        return
    paid = [
        f"{each['payer']} pays {each['payee']} {plural(each['points'], 'point')}" for each in adjustment["transfers"]
    ]
    told = "; ".join(paid) or "nobody pays anybody"
    console.print(Text(f"Revision {adjustment['from_revision']} was final. To adjust it: {told}.", style="yellow"))
