"""Texts of people, each with the key of its digest: events have the digest, so that the text can be erased."""

import hmac
from dataclasses import dataclass
from secrets import token_bytes
from typing import Final, Self

SALT_BYTES: Final = 32


def digest_text(text: str, salt: bytes) -> bytes:
    """
    Return the HMAC-SHA-256 of a text, whose key is a random salt.

    Salt and text are erased together, so that nobody can then find the text by trying texts.

    >>> digest_text("cash", bytes(32)).hex()[:16]
    'fab08bea195f99fc'
    """
    return hmac.digest(salt, text.encode(), "sha256")


@dataclass(frozen=True, slots=True)
class SaltedText:
    """A text with the salt of its digest."""

    text: str
    salt: bytes

    @classmethod
    def of(cls, text: str) -> Self:
        """Return a text with a new salt."""
        return cls(text, token_bytes(SALT_BYTES))

    @property
    def digest(self) -> bytes:
        """The digest, which events have."""
        return digest_text(self.text, self.salt)
