from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import click

from schemas.fields import show_time
from service.clubs.actions import create_key, find_club, list_keys, revoke_key, rotate_key
from service.clubs.new_keys import NewKey
from service.clubs.queries.keys import IssuedKey
from service.clubs.scopes import EVERY_SCOPE, PRESET_SCOPES, SCOPE_DESCRIPTIONS, KeyPreset
from service.commands.database_owner import open_as_owner
from service.commands.options import Commands, data_option, json_option, read_duration, read_name, read_player
from service.commands.output import print_json, print_message, print_table, show_moment

MOST_OVERLAP: Final = 60 * 24 * 30
"""Minutes in thirty days."""


@click.group(cls=Commands)
def key() -> None:
    """
    Create, list, revoke and rotate API keys of clubs.

    The commands work whether or not `ofc-server up` runs on the same data directory. With OFC_DATABASE_URL set, they
    use that database with the login of OFC_OWNER_URL.

    \b
    Examples:
      ofc-server key create --club riverside
      ofc-server key list
    """


@key.command()
@click.option("--club", required=True, help="Name of the club.")
@click.option("--name", default="key", show_default=True, help="Name of the key, for example its purpose.")
@click.option(
    "--preset", type=click.Choice([str(preset) for preset in KeyPreset]), help="What the key is for, not with --scope."
)
@click.option(
    "--scope",
    "scopes",
    type=click.Choice([str(scope) for scope in SCOPE_DESCRIPTIONS]),
    multiple=True,
    help=f"Scope of the key; can be given several times.  [{EVERY_SCOPE}]",
)
@click.option("--expires-in", metavar="TIME", help="Time until it expires, for example 12h, 90d or 52w.  [never]")
@click.option("--player", help="ID of the player who uses it, who then decides no dispute of their own rounds.")
@data_option
@json_option
def create(
    club: str,
    name: str,
    preset: str | None,
    scopes: tuple[str, ...],
    expires_in: str | None,
    player: str | None,
    directory: Path | None,
    as_json: bool,
) -> None:
    """
    Create a key. It is printed once, alone on stdout; only its hash is stored.

    \b
    Examples:
      ofc-server key create --club riverside --name "table tablet" --preset scorekeeper
      ofc-server key create --club riverside --scope read --expires-in 90d > scoreboard-key
    """
    if preset is not None and scopes:
        raise click.UsageError("--preset and --scope were given; expected one of them")
    if preset is not None:
        scopes = tuple(scope.value for scope in PRESET_SCOPES[KeyPreset(preset)])
    lifetime = None if expires_in is None else read_duration("--expires-in", expires_in)
    with open_as_owner(directory) as database:
        stored_club = find_club(database, read_name("The club's name", club))
        named = read_name("The key's name", name)
        held = tuple(dict.fromkeys(scopes)) or (EVERY_SCOPE,)
        plays = None if player is None else read_player(player)
        new_key = create_key(database, stored_club, name=named, scopes=held, lifetime=lifetime, player=plays)
    _print_new(new_key, as_json)


@key.command("list")
@click.option("--club", help="Name of the club.  [all clubs]")
@data_option
@json_option
def list_(club: str | None, directory: Path | None, as_json: bool) -> None:
    """
    List keys in the order of their creation, including revoked ones. The last use is recorded once a minute.

    \b
    Examples:
      ofc-server key list --club riverside
      ofc-server key list --json
    """
    with open_as_owner(directory) as database:
        stored_club = None if club is None else find_club(database, read_name("The club's name", club))
        keys = list_keys(database, stored_club)
    if as_json:
        print_json({"keys": [_dump(each) for each in keys]})
    else:
        print_table(
            ("PREFIX", "CLUB", "NAME", "PLAYER", "SCOPE", "CREATED (UTC)", "LAST USED", "STATE"), map(_row, keys)
        )


@key.command()
@click.argument("key", metavar="PREFIX|ID")
@data_option
@json_option
def revoke(key: str, directory: Path | None, as_json: bool) -> None:
    """
    Revoke a key immediately. The complete key is accepted too, to revoke a leaked one.

    \b
    Example:
      ofc-server key revoke ofc_7q2mx40a
    """
    with open_as_owner(directory) as database:
        revoked = revoke_key(database, key)
    if as_json:
        print_json(_dump(revoked))
    else:
        print_message(f"The key {revoked.prefix} ({revoked.name}) of the club {revoked.club!r} is revoked.")


@key.command()
@click.argument("key", metavar="PREFIX|ID")
@click.option(
    "--overlap",
    metavar="MINUTES",
    type=click.IntRange(0, MOST_OVERLAP),
    default=0,
    help="Minutes until the old key is revoked; up to thirty days.  [0: immediately]",
)
@data_option
@json_option
def rotate(key: str, overlap: int, directory: Path | None, as_json: bool) -> None:
    """
    Replace a key by a new one with the same scopes, lifetime and player. It is printed once, alone on stdout.

    \b
    Examples:
      ofc-server key rotate ofc_7q2mx40a
      ofc-server key rotate ofc_7q2mx40a --overlap 60 > new-key
    """
    with open_as_owner(directory) as database:
        rotated = rotate_key(database, key, timedelta(minutes=overlap))
    _print_new(rotated.new, as_json, replaces=rotated.old)


def _print_new(new_key: NewKey, as_json: bool, *, replaces: IssuedKey | None = None) -> None:
    if as_json:
        old = {} if replaces is None else {"replaces": _dump(replaces)}
        print_json({**_dump(new_key.key), "key": new_key.secret, **old})
        return
    click.echo(new_key.secret)
    print_message(
        f"Created the key {new_key.key.prefix} ({new_key.key.name}) of the club {new_key.key.club!r}; "
        "it is not shown again."
    )
    if replaces is not None:
        print_message(f"The replaced key {replaces.prefix} is {_state(replaces)}.")


def _row(each: IssuedKey) -> tuple[str, ...]:
    used = "never" if each.last_used_at is None else show_moment(each.last_used_at)
    scopes = ", ".join(each.scopes)
    return (
        each.prefix,
        each.club,
        each.name,
        each.player or "",
        scopes,
        show_moment(each.created_at),
        used,
        _state(each),
    )


def _state(each: IssuedKey) -> str:
    end = each.ends_at
    if end is None:
        return "valid"
    return f"ended {show_moment(end)}" if end <= datetime.now(UTC) else f"valid until {show_moment(end)}"


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
        "player": each.player,
        "created_by": each.created_by and str(each.created_by),
    }
