"""Commands that create links to tables and rounds, and sign a phone or a browser in."""

import webbrowser
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from rich.console import Console

from client.api import Client
from client.commands.administration import add_verbs
from client.commands.base import (
    Command,
    Group,
    Lifetime,
    NamedPath,
    Session,
    json_option,
    overwrite_option,
    pass_session,
    print_json,
    refuse_output,
)
from client.commands.names import complete_players, complete_rounds, complete_tables
from client.files import write_file
from client.lookup import describe_round, find_round, find_table
from client.render.console import make_console
from client.render.links import draw_svg_code, show_link, show_sign_in_link
from client.responses import Document

_LOOPBACK: Final = "link-loopback"

Function = TypeVar("Function", bound=Callable[..., Any])


def _link_options(command: Function) -> Function:
    """Add the options of commands that create a link."""
    for option in reversed(
        (
            click.option(
                "--player",
                metavar="PLAYER",
                help="A link for one player, who also confirms and disputes their results.",
                shell_complete=complete_players,
            ),
            click.option("--label", metavar="TEXT", help="What the link is used for, for example whose phone has it."),
            click.option("--svg", type=NamedPath(), metavar="FILE", help="Write the QR code to this file too."),
            overwrite_option,
            json_option,
        )
    ):
        command = option(command)
    return command


@click.group(
    name="link",
    cls=Group,
    examples=["ofc link phone", "ofc link table friday --scorekeeper", "ofc link round friday", "ofc link list"],
)
def links() -> None:
    """Share a table or a round by links, which need no key; list and revoke them."""


add_verbs(links)


@links.command(
    name="table",
    cls=Command,
    examples=[
        'ofc link table friday --scorekeeper --label "Anna\'s phone"',
        "ofc link table friday",
        "ofc link table friday --player ben",
        "ofc link table friday --scorekeeper --expires-in 12h --svg friday.svg",
    ],
)
@click.argument("table", metavar="TABLE", shell_complete=complete_tables)
@click.option("--scorekeeper", is_flag=True, help="A link that records the rounds of the table; else it only reads.")
@click.option(
    "--expires-in",
    type=Lifetime(),
    metavar="TIME",
    help="How long it is valid, such as 90m, 12h or 7d; 24h by default.",
)
@_link_options
@pass_session
def link_table(session: Session, /, table: str, scorekeeper: bool, player: str | None, **options: Any) -> None:
    """
    Create a link to one table, and print it with a QR code.

    Whoever opens a scorekeeper's link on a phone can open and close rounds of this table, record and undo hands, and
    correct what is not final, without a key; nothing else. Whoever opens a viewer's link reads the table, its rounds
    and its scoreboard. Whoever opens a player's link can also confirm and dispute results for this player. The link
    ends with the key that creates it. It is shown only once.
    """
    if scorekeeper and player is not None:
        raise click.UsageError("--scorekeeper and --player were given; expected one of them")
    kind = "scorekeeper" if scorekeeper else "viewer" if player is None else "player"

    def find(client: Client) -> tuple[dict[str, str], str]:
        record = find_table(client, table)
        return {"table": record["id"]}, f"at {record['name']}"

    _issue(session, find, kind, player, **options)


@links.command(
    name="round",
    cls=Command,
    examples=["ofc link round friday", "ofc link round friday --player ben --expires-in 30d"],
)
@click.argument("round_", metavar="ROUND", shell_complete=complete_rounds)
@click.option(
    "--expires-in",
    type=Lifetime(),
    metavar="TIME",
    help="How long it is valid, such as 90m, 12h or 7d; 7d by default.",
)
@_link_options
@pass_session
def link_round(session: Session, /, round_: str, player: str | None, **options: Any) -> None:
    """
    Create a link to one round, and print it with a QR code.

    Anyone with the link can read the round, its settlement and every point explained, in a browser and without a key.
    Whoever opens a player's link can also confirm and dispute results for this player. ROUND is its id or, for the
    newest round of a table, the table's name. The link ends with the key that creates it. It is shown only once.
    """

    def find(client: Client) -> tuple[dict[str, str], str]:
        record = find_round(client, round_)
        return {"round": record["id"]}, f"to the round of {describe_round(record)}"

    _issue(session, find, "viewer" if player is None else "player", player, **options)


@links.command(name="phone", cls=Command, examples=["ofc link phone", "ofc link phone --svg phone.svg"])
@click.option("--svg", type=NamedPath(), metavar="FILE", help="Write the QR code to this file too.")
@overwrite_option
@json_option
@pass_session
def link_phone(session: Session, /, *, svg: Path | None, overwrites: bool, as_json: bool) -> None:
    """
    Print a link that signs one phone in, to keep score at all tables.

    The link is valid once, for ten minutes. The phone that scans the QR code creates tables and records rounds at all
    tables, without a key and for 30 days. `ofc link list --kind club` lists the phones, and `ofc link revoke` revokes
    one. A phone ends with the key in use.
    """
    refuse_output(svg, overwrites=overwrites)
    with session.client() as client:
        issued = client.issue_phone_link()
    show = partial(show_sign_in_link, draws_code=True)
    _print_issued(issued, show, svg=svg, overwrites=overwrites, as_json=as_json)


def _issue(
    session: Session,
    find: Callable[[Client], tuple[dict[str, str], str]],
    kind: str,
    player: str | None,
    *,
    label: str | None,
    expires_in: int | None,
    svg: Path | None,
    overwrites: bool,
    as_json: bool,
) -> None:
    """Create a link to what `find` returns with a description of it, and print the link."""
    refuse_output(svg, overwrites=overwrites)
    with session.client() as client:
        place, description = find(client)
        options = {**place, "kind": kind, "label": label, "player": player, "expires_in": expires_in}
        request: Any = {name: value for name, value in options.items() if value is not None}
        issued = client.issue_link(request)
    show = partial(show_link, place=description)
    _print_issued(issued, show, svg=svg, overwrites=overwrites, as_json=as_json)


def _print_issued(
    issued: Document, show: Callable[[Console, Document], None], *, svg: Path | None, overwrites: bool, as_json: bool
) -> None:
    """Print a new link as JSON or as `show` does, and its warnings, and write its QR code to a file."""
    for warning in issued["warnings"]:
        click.echo(f"warning: {warning['detail']}", err=True)
    if svg is not None:
        write_file(svg, draw_svg_code(issued["url"]), overwrites=overwrites)
    if as_json:
        print_json(issued)
    else:
        show(make_console(), issued)


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
