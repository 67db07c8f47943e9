from dataclasses import dataclass, replace
from datetime import timedelta

from service.database import Database
from service.errors import OperatorError
from service.repository import keys
from service.repository.keys import IssuedKey
from service.usecases.create_key import NewKey, issue_key
from service.usecases.find_key import find_key


@dataclass(frozen=True, slots=True)
class RotatedKey:
    """The key that was, with its end, and the one that takes its place."""

    old: IssuedKey
    new: NewKey


def rotate_key(database: Database, known_as: str, overlap: timedelta = timedelta(0)) -> RotatedKey:
    """
    Replace a key by a new one that may do the same for as long; the old one opens its club until the overlap ends.

    Raises:
        NotFound: there is no such key.
        OperatorError: there is more than one, or its end is set already.
    """
    found = find_key(database, known_as)
    with database.transaction(found.club_id) as transaction:
        old = keys.lock(transaction, found.id)
        if old.revoked_at is not None:
            raise OperatorError(
                f"The key {old.prefix} was revoked or replaced before, to end at {old.revoked_at:%Y-%m-%d %H:%M} UTC; "
                "rotate the one in its place, or make another with `ofc-server key create`."
            )
        lifetime = None if old.expires_at is None else old.expires_at - old.created_at
        new = issue_key(transaction, old.club, old.name, old.scopes, lifetime, replaces=old.id)
        return RotatedKey(replace(old, revoked_at=keys.end(transaction, old, overlap)), new)
