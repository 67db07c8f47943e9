"""Draw new API keys: the secret, its prefix, and the event of the creation."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from string import ascii_letters, ascii_lowercase, digits
from typing import Final
from uuid import UUID

from uuid_utils.compat import uuid7

from evidence.events import KeyCreated
from evidence.texts import SaltedText, digest_text
from service.clubs.queries.keys import IssuedKey
from service.db import Transaction

_PREFIX_LENGTH: Final = 8
_SECRET_LENGTH: Final = 43
"""43 letters and digits have more than 255 bits."""


@dataclass(frozen=True, slots=True)
class NewKey:
    """A new key with its secret, which is not stored, and the salt of its name."""

    key: IssuedKey
    secret: str = field(repr=False)
    name_salt: bytes = field(repr=False)

    @property
    def secret_sha256(self) -> bytes:
        """The hash of the secret, which is stored."""
        # 255 random bits cannot be guessed, so a fast hash is as safe as a slow one.
        return sha256(self.secret.encode()).digest()

    @property
    def event(self) -> bytes:
        """The encoded event of the creation."""
        key = self.key
        event = KeyCreated(
            key=key.id,
            prefix=key.prefix,
            name=digest_text(key.name, self.name_salt),
            scopes=key.scopes,
            expires_at=key.expires_at,
            replaces=key.replaces,
            # The hash of the hash: the audit trail can be read by others, and authentication compares hashes.
            secret=sha256(self.secret_sha256).digest(),
            player=key.player,
        )
        return event.encode()


def draw_key(
    transaction: Transaction,
    club: str,
    name: str,
    scopes: Sequence[str],
    expires_at: datetime | None,
    *,
    player: str | None,
    created_by: UUID | None = None,
    replaces: UUID | None = None,
) -> NewKey:
    """Return a new key of the transaction's club, which is not stored yet."""
    prefix = f"ofc_{_draw(ascii_lowercase + digits, _PREFIX_LENGTH)}"
    secret = f"{prefix}_{_draw(ascii_letters + digits, _SECRET_LENGTH)}"
    key = IssuedKey(
        transaction.club_id,
        club,
        uuid7(),
        name,
        prefix,
        tuple(scopes),
        transaction.now,
        expires_at,
        player=player,
        created_by=created_by,
        replaces=replaces,
    )
    return NewKey(key, secret, SaltedText.of(name).salt)


def _draw(alphabet: str, length: int) -> str:
    return "".join(secrets.choice(alphabet) for _ in range(length))
