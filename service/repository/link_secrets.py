"""The secrets with which a club's links are signed; the newest one counts."""

import secrets
from typing import Final

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import Insert, insert

from service.database import Transaction
from service.errors import Busy
from service.models import LinkSecretRecord
from service.repository.conflicts import conflicts

_FIRST: Final = 1
_LENGTH: Final = 32


def find(transaction: Transaction) -> tuple[int, bytes] | None:
    """Give the version of the secret that counts, and the secret; None where the club never had one."""
    record = LinkSecretRecord
    newest = (
        select(record.version, record.secret)
        .where(record.club_id == transaction.club_id)
        .order_by(record.version.desc())
        .limit(1)
    )
    found = transaction.execute(newest).one_or_none()
    return None if found is None else (found.version, found.secret)


def get_or_make(transaction: Transaction) -> bytes:
    """Give the secret that counts; where the club has none yet, of several that want one at once all get the same."""
    found = find(transaction)
    if found is None:
        transaction.execute(_insert(transaction, _FIRST).on_conflict_do_nothing())
        found = find(transaction)
        assert found is not None
    return found[1]


def renew(transaction: Transaction) -> int:
    """
    Give the club another secret, and say which it is by now.

    Raises:
        Busy: somebody else is doing the same.
    """
    found = find(transaction)
    version = _FIRST if found is None else found[0] + 1
    with conflicts(link_secrets_pkey=Busy("Somebody else is revoking the links of this club at this moment.")):
        transaction.execute(_insert(transaction, version))
    return version


def _insert(transaction: Transaction, version: int) -> Insert:
    return insert(LinkSecretRecord).values(
        club_id=transaction.club_id, version=version, secret=secrets.token_bytes(_LENGTH), made_at=transaction.now
    )
