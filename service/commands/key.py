from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import click

from schemas.fields import show_time
from service.clubs.actions import NewKey, create_key, find_club, list_keys, revoke_key, rotate_key
from service.clubs.queries.keys import IssuedKey
from service.clubs.scopes import EVERY_SCOPE, SCOPE_DESCRIPTIONS
from service.commands.database_owner import open_as_owner
from service.commands.options import Commands, data_option, json_option, read_duration, read_name
from service.commands.output import print_json, print_table, say, show_moment

MOST_OVERLAP: Final = 60 * 24 * 30
"""Minutes in thirty days."""


@click.group(cls=Commands)
def key() -> None:
    """
    Make, list, revoke and rotate the keys of clubs.

    The commands work while `ofc-server up` runs on the same data directory and while none does; where OFC_DATABASE_URL
    is set, on that database, as the login of OFC_OWNER_URL.

    \b
    Examples:
      ofc-server key create --club riverside
      ofc-server key list
    """


@key.command()
@click.option("--club", required=True, help="Name of the club that the key opens.")
@click.option("--name", default="key", show_default=True, help="What it is for, to know it again.")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice([str(scope) for scope in SCOPE_DESCRIPTIONS]),
    multiple=True,
    default=(EVERY_SCOPE,),
    show_default=True,
    help="What it may do; can be given several times.",
)
@click.option("--expires-in", metavar="TIME", help="How long it opens anything, as in 12h, 90d or 52w.  [for ever]")
@data_option
@json_option
def create(
    club: str, name: str, scopes: tuple[str, ...], expires_in: str | None, directory: Path | None, as_json: bool
) -> None:
    """
    Make a key. It is printed this once, alone on stdout; only its hash is kept.

    \b
    Examples:
      ofc-server key create --club riverside --name "table tablet" --scope read --scope write
      ofc-server key create --club riverside --scope read --expires-in 90d > scoreboard-key
    """
    lifetime = None if expires_in is None else read_duration("The key's time", expires_in)
    with open_as_owner(directory) as database:
        found = find_club(database, read_name("The club's name", club))
        named = read_name("The key's name", name)
        made = create_key(database, found, name=named, scopes=tuple(dict.fromkeys(scopes)), lifetime=lifetime)
    _print_new(made, as_json)


@key.command("list")
@click.option("--club", help="Name of the club; without it the keys of all clubs are listed.")
@data_option
@json_option
def list_(club: str | None, directory: Path | None, as_json: bool) -> None:
    """
    List keys in the order in which they were made, those revoked too. The last use is noted once a minute.

    \b
    Examples:
      ofc-server key list --club riverside
      ofc-server key list --json
    """
    with open_as_owner(directory) as database:
        found = None if club is None else find_club(database, read_name("The club's name", club))
        keys = list_keys(database, found)
    if as_json:
        print_json({"keys": [_dump(each) for each in keys]})
    else:
        print_table(("PREFIX", "CLUB", "NAME", "SCOPE", "MADE (UTC)", "LAST USED", "STATE"), map(_row, keys))


@key.command()
@click.argument("key", metavar="PREFIX|ID")
@data_option
@json_option
def revoke(key: str, directory: Path | None, as_json: bool) -> None:
    """
    Let a key open nothing any more, at once. A whole key is understood too, as one finds a leaked one.

    \b
    Example:
      ofc-server key revoke ofc_7q2mx40a
    """
    with open_as_owner(directory) as database:
        revoked = revoke_key(database, key)
    if as_json:
        print_json(_dump(revoked))
    else:
        say(f"The key {revoked.prefix} ({revoked.name}) of the club {revoked.club!r} is revoked.")


@key.command()
@click.argument("key", metavar="PREFIX|ID")
@click.option(
    "--overlap",
    metavar="MINUTES",
    type=click.IntRange(0, MOST_OVERLAP),
    default=0,
    help="How long the old key still works; up to thirty days.  [0: ends at once]",
)
@data_option
@json_option
def rotate(key: str, overlap: int, directory: Path | None, as_json: bool) -> None:
    """
    Replace a key by a new one that may do the same, for as long. The new one is printed this once, alone on stdout.

    \b
    Examples:
      ofc-server key rotate ofc_7q2mx40a
      ofc-server key rotate ofc_7q2mx40a --overlap 60 > new-key
    """
    with open_as_owner(directory) as database:
        rotated = rotate_key(database, key, timedelta(minutes=overlap))
    _print_new(rotated.new, as_json, replaces=rotated.old)


def _print_new(made: NewKey, as_json: bool, *, replaces: IssuedKey | None = None) -> None:
    if as_json:
        old = {} if replaces is None else {"replaces": _dump(replaces)}
        print_json({**_dump(made.key), "key": made.secret, **old})
        return
    click.echo(made.secret)
    say(f"This is the key {made.key.prefix} ({made.key.name}) of the club {made.key.club!r}; it is not shown again.")
    if replaces is not None:
        say(f"The key {replaces.prefix} that it replaces {_state(replaces)}.")


def _row(each: IssuedKey) -> tuple[str, ...]:
    used = "never" if each.last_used_at is None else show_moment(each.last_used_at)
    scopes = ", ".join(each.scopes)
    return each.prefix, each.club, each.name, scopes, show_moment(each.created_at), used, _state(each)


def _state(each: IssuedKey) -> str:
    end = each.ends_at
    if end is None:
        return "works"
    word = "worked" if end <= datetime.now(UTC) else "works"
    return f"{word} until {show_moment(end)}"


def _dump(each: IssuedKey) -> dict[str, Any]:
    return {
        "id": str(each.id),
        "club": each.club,
        "name": each.name,
        "prefix": each.prefix,
        "scopes": list(each.scopes),
        "created_at": show_time(each.created_at),
        "expires_at": show_time(each.expires_at),
        "revoked_at": show_time(each.revoked_at),
        "last_used_at": show_time(each.last_used_at),
    }
