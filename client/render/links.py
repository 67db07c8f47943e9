"""Links to tables, to rounds and to the console, and their addresses as QR codes."""

from collections.abc import Mapping, Sequence
from io import BytesIO, StringIO
from typing import Any, Final

import segno
from rich.console import Console
from rich.text import Text

from client.render.console import make_grid
from client.render.format import format_minute

Document = Mapping[str, Any]

_TERMINAL_MARGIN: Final = 2
_PRINT_SCALE: Final = 8


def show_link(console: Console, link: Document, place: str) -> None:
    """
    Print a new link with its QR code, and how it is revoked.

    Args:
        console: where to print.
        link: the link.
        place: what it shows, such as `at friday`.
    """
    console.print(Text(draw_terminal_code(link["url"])), soft_wrap=True)
    console.print(Text(link["url"]), soft_wrap=True)
    lines = [
        *([f"scoreboard: {link['board_url']}"] if link["board_url"] else []),
        f"{link['label']} ({link['kind']}) {place}, until {format_minute(link['expires_at'])} UTC",
        f"revoke it: ofc link revoke {link['id']}",
    ]
    for line in lines:
        console.print(Text(line), soft_wrap=True)


def show_console_link(console: Console, link: Document, *, draws_code: bool) -> None:
    """Print a new link to the console, with its QR code if it is for another device."""
    if draws_code:
        console.print(Text(draw_terminal_code(link["url"])), soft_wrap=True)
    console.print(Text(link["url"]), soft_wrap=True)
    console.print(Text(f"signs in once, until {format_minute(link['expires_at'])} UTC"), soft_wrap=True)


def list_links(console: Console, links: Sequence[Document], tables: Mapping[str, str]) -> None:
    """
    Print links, one a line.

    Args:
        console: where to print.
        links: the links.
        tables: the names of tables, by their IDs.
    """
    if not links:
        console.print("No links.")
        return
    grid = make_grid(
        console, "id", "label", "kind", "shows", "expires (UTC)", "last used (UTC)", "revoked", unbroken=("id",)
    )
    for link in links:
        table = tables.get(link["table"], link["table"])
        shown = table if link["round"] is None else f"a round at {table}"
        used = format_minute(link["last_used_at"])
        revoked = "no" if link["revoked_at"] is None else "yes"
        grid.add_row(link["id"], link["label"], link["kind"], shown, format_minute(link["expires_at"]), used, revoked)
    console.print(grid)


def draw_terminal_code(address: str) -> str:
    """
    Draw a QR code with block characters, light on a dark background.

    >>> len(draw_terminal_code("https://ofc.example/scorekeeper/#ofc_link_" + "x" * 43).splitlines())
    21
    """
    drawn = StringIO()
    segno.make(address, error="l", micro=False).terminal(drawn, border=_TERMINAL_MARGIN, compact=True)
    return drawn.getvalue().rstrip("\n")


def draw_svg_code(address: str) -> bytes:
    """Draw a QR code as an SVG image, for print."""
    drawn = BytesIO()
    segno.make(address, error="m", micro=False).save(drawn, kind="svg", scale=_PRINT_SCALE, light="white")
    return drawn.getvalue()
