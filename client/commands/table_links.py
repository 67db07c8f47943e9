"""Commands that create, list and revoke links to one table."""

import re
from pathlib import Path
from typing import Any, Final

import click

from client.commands.base import Command, NamedPath, Session, json_option, pass_session, print_json, refuse_output
from client.commands.names import complete_players, complete_tables
from client.errors import UnreadableError
from client.files import write_file
from client.lookup import find_table, find_table_link_id
from client.render.console import make_console
from client.render.table_links import draw_svg_code, list_table_links, show_table_link

EXAMPLE_ID: Final = "01a1fa84-64a0-7085-97f3-41c5dbd26f08"
_LIFETIME: Final = re.compile(r"(?P<number>[1-9][0-9]{0,5})(?P<unit>[mhd])", re.ASCII)
_SECONDS: Final = {"m": 60, "h": 60 * 60, "d": 24 * 60 * 60}

table_argument = click.argument("table", metavar="TABLE", shell_complete=complete_tables)


class Lifetime(click.ParamType[int]):
    """
    A time such as `90m`, `24h` or `7d`, as seconds.

    >>> Lifetime().convert("24h", None, None)
    86400
    """

    name = "lifetime"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the seconds of a time."""
        found = _LIFETIME.fullmatch(str(value))
        if found is None:
            self.fail(
                f"{value!r} is not a time; expected minutes, hours or days, for example 90m, 24h or 7d", param, ctx
            )
        return int(found["number"]) * _SECONDS[found["unit"]]


@click.command(
    cls=Command,
    examples=[
        'ofc table link friday --scorekeeper --label "Anna\'s phone"',
        "ofc table link friday",
        "ofc table link friday --player ben",
        "ofc table link friday --scorekeeper --expires-in 12h --svg friday.svg",
    ],
)
@table_argument
@click.option("--scorekeeper", is_flag=True, help="A link that records the rounds of the table; else it only reads.")
@click.option(
    "--player",
    metavar="PLAYER",
    help="A link for one player, who also confirms and disputes their results.",
    shell_complete=complete_players,
)
@click.option("--label", metavar="TEXT", help="What the link is used for, for example whose phone has it.")
@click.option(
    "--expires-in",
    type=Lifetime(),
    metavar="TIME",
    help="How long it is valid, such as 90m, 12h or 7d; 24h by default.",
)
@click.option("--svg", type=NamedPath(), metavar="FILE", help="Write the QR code to this file too, for print.")
@click.option("--overwrite", is_flag=True, help="Replace an existing FILE.")
@json_option
@pass_session
def link(
    session: Session,
    table: str,
    scorekeeper: bool,
    player: str | None,
    label: str | None,
    expires_in: int | None,
    svg: Path | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """
    Create a link to one table, and print it with a QR code.

    Whoever opens a scorekeeper's link on a phone can open and close rounds of this table, record and undo hands, and
    correct what is not final, without a key; nothing else. Whoever opens a viewer's link reads the table, its rounds
    and its scoreboard. Whoever opens a player's link can also confirm and dispute results for this player. The link
    ends with the key that creates it. It is shown only once.
    """
    if scorekeeper and player is not None:
        raise click.UsageError("--scorekeeper and --player were given; expected one of them")
    refuse_output(svg, overwrites=overwrite)
    with session.client() as client:
        found = find_table(client, table)
        kind = "scorekeeper" if scorekeeper else "viewer" if player is None else "player"
        options = {"kind": kind, "label": label, "player": player, "expires_in": expires_in}
        request: Any = {name: value for name, value in options.items() if value is not None}
        issued = client.issue_table_link(found["id"], request)
    for warning in issued["warnings"]:
        click.echo(f"warning: {warning['detail']}", err=True)
    if svg is not None:
        write_file(svg, draw_svg_code(issued["url"]), overwrites=overwrite)
    if as_json:
        print_json(issued)
    else:
        show_table_link(make_console(), issued, found["name"])


@click.command(cls=Command, examples=["ofc table links friday", "ofc table links friday --json"])
@table_argument
@json_option
@pass_session
def links(session: Session, table: str, as_json: bool) -> None:
    """List the links to a table, newest first, with expired and revoked ones."""
    with session.client() as client:
        found = list(client.list_table_links(find_table(client, table)["id"]))
    if as_json:
        print_json({"links": found})
    else:
        list_table_links(make_console(), found)


@click.command(cls=Command, examples=[f"ofc table unlink friday {EXAMPLE_ID}"])
@table_argument
@click.argument("link_id", metavar="LINK")
@pass_session
def unlink(session: Session, table: str, link_id: str) -> None:
    """Revoke a link to a table. LINK is its id, or the beginning of it; `ofc table links` lists ids."""
    if "#" in link_id or "ofc_" in link_id:
        raise UnreadableError(
            "LINK is the secret of a link or its address; expected its id, which `ofc table links` lists"
        )
    with session.client() as client:
        found = find_table(client, table)["id"]
        client.revoke_table_link(found, find_table_link_id(client, found, link_id))
    make_console().print("the link is revoked")
