"""Links to tables, to rounds and to the console: their addresses as QR codes, and the columns of links."""

from collections.abc import Mapping
from io import BytesIO, StringIO
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from client.render.console import Column
from client.render.format import format_minute

Document = Mapping[str, Any]

_TERMINAL_MARGIN: Final = 2
_PRINT_SCALE: Final = 8

LINKS: Final = (
    Column("id", "id", is_unbroken=True),
    Column("label", "label"),
    Column("kind", "kind"),
    Column("shows", lambda link: _describe_place(link)),
    Column("expires (UTC)", lambda link: format_minute(link["expires_at"])),
    Column("last used (UTC)", lambda link: format_minute(link["last_used_at"])),
    Column("revoked", lambda link: "no" if link["revoked_at"] is None else "yes"),
)
"""Of links with the names of their tables."""


def _describe_place(link: Document) -> str:
    if link["table"] is None:
        return "all tables"
    return str(link["table_name"]) if link["round"] is None else f"a round at {link['table_name']}"


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


def show_sign_in_link(console: Console, link: Document, *, draws_code: bool) -> None:
    """Print a new link that signs in once, with its QR code if it is for another device."""
    if draws_code:
        console.print(Text(draw_terminal_code(link["url"])), soft_wrap=True)
    console.print(Text(link["url"]), soft_wrap=True)
    console.print(Text(f"signs in once, until {format_minute(link['expires_at'])} UTC"), soft_wrap=True)


def draw_terminal_code(address: str) -> str:
    """
    Draw a QR code with block characters, light on a dark background.

    >>> len(draw_terminal_code("https://ofc.example/scorekeeper/#ofc_link_" + "x" * 43).splitlines())
    21
    """
    import segno  # slow to import, and lists of links do not need it

    drawn = StringIO()
    segno.make(address, error="l", micro=False).terminal(drawn, border=_TERMINAL_MARGIN, compact=True)
    return drawn.getvalue().rstrip("\n")


def draw_svg_code(address: str) -> bytes:
    """Draw a QR code as an SVG image, for print."""
    import segno

    drawn = BytesIO()
    segno.make(address, error="m", micro=False).save(drawn, kind="svg", scale=_PRINT_SCALE, light="white")
    return drawn.getvalue()
