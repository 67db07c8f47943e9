import os
from pathlib import Path
from urllib.parse import urlsplit

import click

from schemas.fields import show_time
from service.clubs.actions import find_club
from service.commands.database_owner import open_as_owner
from service.commands.options import data_option, json_option, read_name
from service.commands.output import print_json, print_message
from service.config import Hosting, read_public_url
from service.console.actions import LINK_LIFETIME, issue_console_link_for
from service.http.public_address import is_loopback
from service.server.address import Address, draw_code


@click.command("console-link")
@click.argument("key", metavar="NAME|PREFIX|ID", default="first")
@click.option("--club", help="Name of the club of the key.  [any club]")
@click.option("--url", help="Address of the service for the browser.  [OFC_PUBLIC_URL; http://OFC_HOST:OFC_PORT]")
@data_option
@json_option
def console_link(key: str, club: str | None, url: str | None, directory: Path | None, as_json: bool) -> None:
    """
    Create a link that signs in to the console once, with a key of a club.

    The key is given by its name, its prefix or its ID; by default it is the key `first`, which the first start creates.
    The link is valid for ten minutes; its page has a button that signs in. The address is printed alone on stdout.

    \b
    Examples:
      ofc-server console-link
      ofc-server console-link auditor --club riverside
      ofc-server console-link ofc_7q2mx40a --url https://ofc.club.example
    """
    address = _find_address(url, directory)
    with open_as_owner(directory) as database:
        stored_club = None if club is None else find_club(database, read_name("The club's name", club))
        new_secret, used = issue_console_link_for(database, key, stored_club)
    link = f"{address}/console/sign-in/{new_secret.secret}"
    if as_json:
        print_json({"url": link, "key": used.prefix, "club": used.club, "expires_at": show_time(new_secret.expires_at)})
        return
    if not is_loopback(urlsplit(address).hostname or ""):
        print_message(draw_code(link))
    click.echo(link)
    minutes = int(LINK_LIFETIME.total_seconds() // 60)
    print_message(f"It signs in once within {minutes} minutes, with the key {used.prefix} of the club {used.club!r}.")


def _find_address(url: str | None, directory: Path | None) -> str:
    """
    Return the address of the service for a browser.

    Raises:
        ConfigError: it is not an address, or a variable of the environment is invalid.
    """
    if named := read_public_url(url or os.environ.get("OFC_PUBLIC_URL", "")):
        return named
    hosting = Hosting.from_environment(directory=directory)
    return Address(hosting.host, hosting.port).url
