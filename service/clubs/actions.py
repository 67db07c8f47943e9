"""Create and find clubs and their API keys."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from hashlib import sha256
from uuid import UUID
from zoneinfo import available_timezones

from uuid_utils.compat import uuid7

from evidence.events import ClubChanged, ClubCreated
from schemas.base import WireError
from schemas.clubs import ClubView, KeyRequest
from schemas.fields import show_time
from schemas.problems import summarize
from scoring.errors import Mistake
from service.clubs.new_keys import NewKey, draw_key
from service.clubs.queries import clubs, keys
from service.clubs.queries.clubs import StoredClub
from service.clubs.queries.keys import IssuedKey
from service.clubs.scopes import EVERY_SCOPE, PRESET_SCOPES, has_scope
from service.db import Database, Transaction
from service.db.pages import Page, cut_page
from service.errors import ClubTaken, NotFound, OperatorError, ScopeMissing, SecondAuditorRequired


def find_club(database: Database, name: str) -> StoredClub:
    """
    Find a club by its name, as the owner of the tables.

    Raises:
        NotFound: no club has this name.
    """
    with database.reading(uuid7()) as transaction:
        club = clubs.find(transaction, name)
    if club is None:
        raise NotFound(f"There is no club named {name!r}; `ofc-server club list` lists all clubs.")
    return club


def create_club(database: Database, name: str) -> StoredClub:
    """
    Create a club without keys.

    Args:
        database: with the login of the owner of the tables; the role of the service cannot create clubs.
        name: the unique name of the club.

    Raises:
        ClubTaken: another club has this name.
    """
    with database.transaction(uuid7()) as transaction:
        event = ClubCreated(club=transaction.club_id, name=name)
        return clubs.add(transaction, name, event.encode())


def get_club(transaction: Transaction) -> ClubView:
    """Return the club of the transaction."""
    club = clubs.get(transaction)
    return ClubView(club.name, club.time_zone, club.evening_begins, club.second_auditor)


def set_up_club(
    database: Database,
    name: str,
    *,
    time_zone: str | None = None,
    evening_begins: time | None = None,
    second_auditor: bool | None = None,
) -> StoredClub:
    """
    Change settings of a club, as the owner of the tables; those that are None stay as they are.

    Args:
        database: with the login of the owner of the tables.
        name: the name of the club.
        time_zone: its time zone.
        evening_begins: when its evenings begin there.
        second_auditor: whether a second auditor confirms what changes a final settlement.

    Raises:
        NotFound: no club has this name.
        OperatorError: the time zone is not known.
    """
    club = find_club(database, name)
    if time_zone is not None and time_zone not in available_timezones():
        raise OperatorError(
            f"The time zone {time_zone!r} is not known; expected one of the IANA database, such as Europe/Berlin."
        )
    with database.transaction(club.id) as transaction:
        club = clubs.lock(transaction)
        changed = replace(
            club,
            time_zone=time_zone or club.time_zone,
            evening_begins=club.evening_begins if evening_begins is None else evening_begins,
            second_auditor=club.second_auditor if second_auditor is None else second_auditor,
        )
        if changed != club:
            event = ClubChanged(
                club=club.id,
                time_zone=changed.time_zone,
                evening_begins=f"{changed.evening_begins:%H:%M}",
                second_auditor=changed.second_auditor,
            )
            clubs.change(transaction, changed, event.encode())
    return changed


def refuse_single_auditor(transaction: Transaction, expected: str) -> None:
    """
    Check that one key alone can change a final settlement of the transaction's club.

    Raises:
        SecondAuditorRequired: another key must confirm it; `expected` is what to do instead.
    """
    if clubs.get(transaction).second_auditor:
        raise SecondAuditorRequired(
            f"the club requires a second auditor for what changes a final settlement; {expected}"
        )


def list_clubs(database: Database) -> list[StoredClub]:
    """List all clubs, as the owner of the tables."""
    with database.reading(uuid7()) as transaction:
        return clubs.list_all(transaction)


_LONGEST_SHOWN = len(str(UUID(int=0)))


def find_key(database: Database, known_as: str) -> IssuedKey:
    """
    Find a key by its prefix, its ID or the complete key (for leaked keys), as the owner of the tables.

    Raises:
        NotFound: no key matches.
        OperatorError: several keys have this prefix.
    """
    with database.reading(uuid7()) as transaction:
        matches = keys.list_known_as(
            transaction,
            prefix=known_as.encode(errors="replace").decode(),
            key_id=_id_or_none(known_as),
            secret_sha256=sha256(known_as.encode(errors="replace")).digest(),
        )
    # A text longer than an ID can be a secret.
    shown = known_as if len(known_as) <= _LONGEST_SHOWN else f"{known_as[:12]}…"
    if not matches:
        raise NotFound(f"There is no key {shown!r}; `ofc-server key list` lists prefixes and IDs.")
    if len(matches) > 1:
        raise OperatorError(
            f"{len(matches)} keys have the prefix {shown!r}; expected an ID from `ofc-server key list --json`."
        )
    return matches[0]


def _id_or_none(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def create_key(
    database: Database,
    club: StoredClub,
    *,
    name: str,
    scopes: Sequence[str] = (EVERY_SCOPE,),
    lifetime: timedelta | None = None,
    player: str | None = None,
) -> NewKey:
    """
    Create a key of a club.

    The secret is returned once; only its hash is stored.

    Args:
        database: with the login of the owner of the tables; the role of the service creates keys with a key only.
        club: the club of the key.
        name: a name for the operator.
        scopes: the scopes of the key.
        lifetime: the time until it expires; None if it does not.
        player: the operator's ID of the player who uses it; None if it is no player's.
    """
    with database.transaction(club.id) as transaction:
        return issue_key(transaction, club.name, name, scopes, lifetime, player=player)


def issue_key(
    transaction: Transaction,
    club: str,
    name: str,
    scopes: Sequence[str],
    lifetime: timedelta | None,
    *,
    player: str | None = None,
    replaces: UUID | None = None,
) -> NewKey:
    """Create a key of the transaction's club, and record the event, with the key that it replaces, if any."""
    expires_at = None if lifetime is None else transaction.now + lifetime
    new_key = draw_key(transaction, club, name, scopes, expires_at, player=player, replaces=replaces)
    keys.add(transaction, new_key.key, new_key.name_salt, new_key.secret_sha256, new_key.event)
    return new_key


def create_own_key(transaction: Transaction, request: KeyRequest, creator_id: UUID) -> NewKey:
    """
    Create a key of the transaction's club with the rights of another one, and record the event.

    The secret is returned once; only its hash is stored. The database checks again, with its own clock, what the other
    key can give.

    Args:
        transaction: of the service.
        request: the name, the scopes and the end of the key.
        creator_id: the key that creates it, which has the scope `admin`.

    Raises:
        ScopeMissing: the key that creates it lacks a scope of the new one.
        WireError: the new key would end later than the one that creates it, or has already ended.
        KeyUnknown: the key that creates it has just ended.
        Busy: the key that creates it was changed at the same time.
    """
    creator = keys.get(transaction, creator_id)
    if mistakes := tuple(_find_unheld(creator, request)):
        raise ScopeMissing(summarize(mistakes), mistakes)
    if creator.ends_at is not None and creator.ends_at <= transaction.now:
        raise keys.refuse_ended(creator)
    if mistakes := tuple(_find_invalid_end(creator, request.expires_at, transaction.now)):
        raise WireError(mistakes)
    scopes = tuple(dict.fromkeys(map(str, _list_scopes(request))))
    new_key = draw_key(
        transaction,
        creator.club,
        request.name,
        scopes,
        request.expires_at,
        player=request.player,
        created_by=creator.id,
    )
    keys.add_own(transaction, creator, new_key.key, new_key.name_salt, new_key.secret_sha256, new_key.event)
    return new_key


def _list_scopes(request: KeyRequest) -> Sequence[str]:
    return (request.scopes or ()) if request.preset is None else PRESET_SCOPES[request.preset]


def _find_unheld(creator: IssuedKey, request: KeyRequest) -> Iterator[Mistake]:
    """Yield a mistake for each scope of a request that the key that creates lacks; for a preset, one for all."""
    unheld = {
        index: scope for index, scope in enumerate(_list_scopes(request)) if not has_scope(creator.scopes, (scope,))
    }
    lacks = f"which the key {creator.name!r} lacks; expected scopes that it has: {', '.join(creator.scopes)}"
    if request.preset is None:
        for index, scope in unheld.items():
            yield Mistake("scope-not-held", ("scopes", index), f"is {str(scope)!r}, {lacks}")
    elif unheld:
        named = ", ".join(repr(str(scope)) for scope in unheld.values())
        yield Mistake("scope-not-held", ("preset",), f"is {request.preset.value!r}, with {named}, {lacks}")


def _find_invalid_end(creator: IssuedKey, expires_at: datetime | None, now: datetime) -> Iterator[Mistake]:
    """Yield the mistake of the end of a new key: it has passed, or is later than that of the key that creates it."""
    latest = creator.ends_at
    if expires_at is not None and expires_at <= now:
        yield Mistake("end-passed", ("expires_at",), f"is {show_time(expires_at)}; expected a time in the future")
    if latest is not None and expires_at is None:
        detail = f"is required, because the key {creator.name!r} ends; expected {show_time(latest)} or earlier"
        yield Mistake("field-missing", ("expires_at",), detail)
    elif latest is not None and expires_at is not None and expires_at > latest:
        detail = f"is {show_time(expires_at)}, after the end of the key {creator.name!r}"
        yield Mistake("end-too-late", ("expires_at",), f"{detail}; expected {show_time(latest)} or earlier")


@dataclass(frozen=True, slots=True)
class RotatedKey:
    """The replaced key with the time of its end, and the new key."""

    old: IssuedKey
    new: NewKey


def rotate_key(database: Database, known_as: str, overlap: timedelta = timedelta(0)) -> RotatedKey:
    """
    Replace a key by a new one with the same scopes, lifetime and player; the old one is revoked after the overlap.

    Raises:
        NotFound: no key matches.
        OperatorError: several keys match, or the key was revoked or replaced before.
    """
    key = find_key(database, known_as)
    with database.transaction(key.club_id) as transaction:
        old = keys.lock(transaction, key.id)
        if old.revoked_at is not None:
            raise OperatorError(
                f"The key {old.prefix} was revoked or replaced before, as of {old.revoked_at:%Y-%m-%d %H:%M} UTC; "
                "rotate the key that replaced it, or create one with `ofc-server key create`."
            )
        lifetime = None if old.expires_at is None else old.expires_at - old.created_at
        new = issue_key(transaction, old.club, old.name, old.scopes, lifetime, player=old.player, replaces=old.id)
        return RotatedKey(replace(old, revoked_at=keys.end(transaction, old, overlap)), new)


def revoke_key(database: Database, known_as: str) -> IssuedKey:
    """
    Revoke a key immediately; a key that was revoked before does not change.

    Raises:
        NotFound: no key matches.
        OperatorError: several keys match.
    """
    key = find_key(database, known_as)
    with database.transaction(key.club_id) as transaction:
        ended = keys.end(transaction, key, timedelta(0))
    return key if ended is None else replace(key, revoked_at=ended)


def revoke_keys(database: Database, club: StoredClub) -> int:
    """Revoke all keys of a club immediately, as the owner of the tables, and return how many were valid."""
    with database.transaction(club.id) as transaction:
        valid = [
            key for key in keys.list_all(transaction, club.id) if (key.ends_at or transaction.now) >= transaction.now
        ]
        ended = [keys.end(transaction, key, timedelta(0)) for key in valid]
    return sum(moment is not None for moment in ended)


def revoke_own_key(transaction: Transaction, key_id: UUID) -> None:
    """
    Revoke a key of the transaction's club immediately; a key that was revoked before does not change.

    Raises:
        NotFound: the club has no key with this ID.
    """
    keys.end_own(transaction, keys.get(transaction, key_id))


def list_keys(database: Database, club: StoredClub | None = None) -> list[IssuedKey]:
    """List the keys of one club or of all clubs, with revoked ones, as the owner of the tables."""
    with database.reading(uuid7()) as transaction:
        return keys.list_all(transaction, None if club is None else club.id)


def list_own_keys(
    transaction: Transaction, *, after: UUID | None, limit: int, oldest_first: bool = False
) -> Page[IssuedKey]:
    """List the keys of the transaction's club, the newest or the oldest first, with revoked ones."""
    listed = keys.list_page(transaction, after=after, limit=limit + 1, oldest_first=oldest_first)
    return cut_page(listed, limit, lambda key: key)


def count_own_keys(transaction: Transaction, limit: int) -> int:
    """Count the keys of the transaction's club, up to a limit."""
    return keys.count(transaction, limit)


def create_club_with_key(owner_url: str, name: str) -> str:
    """
    Create a club, unless it exists, and a key with all scopes; return the key.

    The key is returned once; only its hash is stored.

    Args:
        owner_url: URL with the login that owns the tables.
        name: the name of the club.

    Raises:
        DatabaseError: the database cannot be reached, or the login does not own the tables.
    """
    database = Database(owner_url, role=None, pool_size=1)
    try:
        database.check_owner()
        return create_key(database, _ensure_club(database, name), name="first").secret
    finally:
        database.close()


def _ensure_club(database: Database, name: str) -> StoredClub:
    try:
        return create_club(database, name)
    except ClubTaken:
        return find_club(database, name)
