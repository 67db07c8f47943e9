from pathlib import Path
from shlex import quote
from typing import Any

import click

from schemas.fields import show_time
from service.clubs.actions import create_club, find_club, list_clubs
from service.clubs.queries.clubs import StoredClub
from service.commands.database_owner import open_as_owner
from service.commands.options import Commands, data_option, json_option, read_name
from service.commands.output import print_json, print_message, print_table, show_moment
from service.links.actions import revoke_links as revoke


@click.group(cls=Commands)
def club() -> None:
    """
    Create and list clubs, and revoke their links.

    Each club has its own tables, rounds, players and keys, and cannot see those of other clubs.

    The commands work whether or not `ofc-server up` runs on the same data directory. With OFC_DATABASE_URL set, they
    use that database with the login of OFC_OWNER_URL.

    \b
    Examples:
      ofc-server club create riverside
      ofc-server club list
    """


@club.command()
@click.argument("name")
@data_option
@json_option
def create(name: str, directory: Path | None, as_json: bool) -> None:
    """
    Create a club. `ofc-server key create` creates its first key.

    \b
    Examples:
      ofc-server club create riverside
      ofc-server club create "Riverside Poker" --data /srv/ofc
    """
    with open_as_owner(directory) as database:
        made = create_club(database, read_name("The club's name", name))
    if as_json:
        print_json(_dump(made))
    else:
        print_message(
            f"Created the club {made.name!r}; `ofc-server key create --club {quote(made.name)}` creates a key for it."
        )


@club.command("revoke-links")
@click.argument("name")
@data_option
def revoke_links(name: str, directory: Path | None) -> None:
    """
    Revoke all viewer links of a club immediately.

    \b
    Example:
      ofc-server club revoke-links riverside
    """
    with open_as_owner(directory) as database:
        found = find_club(database, read_name("The club's name", name))
        revoke(database, found)
    print_message(f"All links of the club {found.name!r} are revoked; new links can be created.")


@club.command("list")
@data_option
@json_option
def list_(directory: Path | None, as_json: bool) -> None:
    """
    List the clubs in the order of their creation.

    \b
    Examples:
      ofc-server club list
      ofc-server club list --json
    """
    with open_as_owner(directory) as database:
        clubs = list_clubs(database)
    if as_json:
        print_json({"clubs": [_dump(each) for each in clubs]})
    else:
        print_table(
            ("NAME", "CREATED (UTC)", "ID"), [(each.name, show_moment(each.created_at), str(each.id)) for each in clubs]
        )


def _dump(made: StoredClub) -> dict[str, Any]:
    return {"id": str(made.id), "name": made.name, "created_at": show_time(made.created_at)}
