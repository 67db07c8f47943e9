"""The command that signs in to the console."""

import webbrowser
from typing import Final

import click

from client.commands.base import Command, Session, json_option, pass_session, print_json
from client.render.console import make_console
from client.render.links import show_sign_in_link

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
        show_sign_in_link(make_console(), issued, draws_code=not (is_local or opens))
    if opens and not webbrowser.open(issued["url"]):
        click.echo("warning: no browser could be opened; open the address yourself", err=True)
