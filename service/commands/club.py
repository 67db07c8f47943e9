from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import Any

import click

from schemas.fields import show_time
from service.clubs.actions import create_club, find_club, list_clubs, revoke_keys, set_up_club
from service.clubs.queries.clubs import StoredClub
from service.commands.database_owner import open_as_owner
from service.commands.options import Commands, data_option, json_option, read_name
from service.commands.output import print_json, print_message, print_table, show_moment
from service.links.actions.links import revoke_links as revoke


@click.group(cls=Commands)
def club() -> None:
    """
    Create, set up, list and close clubs, and revoke their links.

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

    The records of a club are permanent. For tests, create another club, and close it afterwards.

    \b
    Examples:
      ofc-server club create riverside
      ofc-server club create "Riverside Poker" --data /srv/ofc
    """
    with open_as_owner(directory) as database:
        stored_club = create_club(database, read_name("The club's name", name))
    if as_json:
        print_json(_dump(stored_club))
    else:
        print_message(
            f"Created the club {stored_club.name!r}; "
            f"`ofc-server key create --club {quote(stored_club.name)}` creates a key for it."
        )


@club.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Close it without asking.")
@data_option
@json_option
def close(name: str, yes: bool, directory: Path | None, as_json: bool) -> None:
    """
    Revoke all keys and links of a club. Its records remain.

    Requests to the club are refused afterwards: links and sessions of the console end with their keys. Its
    webhooks and jobs in progress continue. `ofc-server key create` opens it again.

    \b
    Examples:
      ofc-server club close riverside-test
      ofc-server club close riverside-test --yes
    """
    with open_as_owner(directory) as database:
        stored_club = find_club(database, read_name("The club's name", name))
        if not yes:
            click.confirm(f"Revoke all keys and links of the club {stored_club.name!r}?", abort=True, err=True)
        revoked = revoke_keys(database, stored_club)
        revoke(database, stored_club)
    if as_json:
        print_json({"keys": revoked})
    else:
        keys = "1 key" if revoked == 1 else f"{revoked} keys"
        print_message(f"Closed the club {stored_club.name!r}: {keys} and all links are revoked. Its records remain.")


@club.command("set")
@click.argument("name")
@click.option("--time-zone", metavar="ZONE", help="Time zone of the IANA database, for example Europe/Berlin.")
@click.option("--evening-begins", type=click.DateTime(["%H:%M"]), metavar="HH:MM", help="When evenings begin there.")
@click.option(
    "--second-auditor/--no-second-auditor",
    default=None,
    help="Whether another key must confirm what changes a final settlement.",
)
@data_option
@json_option
def set_(
    name: str,
    time_zone: str | None,
    evening_begins: datetime | None,
    second_auditor: bool | None,
    directory: Path | None,
    as_json: bool,
) -> None:
    """
    Set the time zone of a club, when its evenings begin, and whether it requires a second auditor.

    Statements of an evening, and days such as `today` of `ofc`, use the time zone. New clubs have UTC and 06:00, and
    require no second auditor.

    \b
    Examples:
      ofc-server club set riverside --time-zone Europe/Berlin
      ofc-server club set riverside --evening-begins 05:30
      ofc-server club set riverside --second-auditor
    """
    if time_zone is None and evening_begins is None and second_auditor is None:
        raise click.UsageError(
            "nothing was given to set; expected --time-zone, --evening-begins, --second-auditor or several of them"
        )
    with open_as_owner(directory) as database:
        changed = set_up_club(
            database,
            read_name("The club's name", name),
            time_zone=time_zone,
            evening_begins=None if evening_begins is None else evening_begins.time(),
            second_auditor=second_auditor,
        )
    if as_json:
        print_json(_dump(changed))
        return
    print_message(f"Evenings of the club {changed.name!r} begin at {changed.evening_begins:%H:%M} {changed.time_zone}.")
    if changed.second_auditor:
        print_message("A second auditor confirms what changes a final settlement.")
    elif second_auditor is not None:
        print_message("No second auditor confirms what changes a final settlement.")


@club.command("revoke-links")
@click.argument("name")
@data_option
def revoke_links(name: str, directory: Path | None) -> None:
    """
    Revoke all links of a club immediately.

    \b
    Example:
      ofc-server club revoke-links riverside
    """
    with open_as_owner(directory) as database:
        stored_club = find_club(database, read_name("The club's name", name))
        revoke(database, stored_club)
    print_message(f"All links of the club {stored_club.name!r} are revoked; new links can be created.")


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
            ("NAME", "CREATED (UTC)", "TIME ZONE", "EVENINGS BEGIN", "ID"),
            [
                (
                    each.name,
                    show_moment(each.created_at),
                    each.time_zone,
                    f"{each.evening_begins:%H:%M}",
                    str(each.id),
                )
                for each in clubs
            ],
        )


def _dump(stored_club: StoredClub) -> dict[str, Any]:
    return {
        "id": str(stored_club.id),
        "name": stored_club.name,
        "created_at": show_time(stored_club.created_at),
        "time_zone": stored_club.time_zone,
        "evening_begins": f"{stored_club.evening_begins:%H:%M}",
        "second_auditor": stored_club.second_auditor,
    }
