"""The word in a viewer link that opens one round: who may read what until when, signed with the club's secret."""

import binascii
import hmac
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Final
from uuid import UUID

TOKEN_LENGTH: Final = 96

_CLAIM: Final = struct.Struct(">16s16sQ")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_PURPOSE: Final = b"tablestakes viewer link 1\0"
"""Nothing that the secret may ever sign for another purpose opens a round."""


@dataclass(frozen=True, slots=True)
class Link:
    """What a link claims: a club, a round of it, and until when it opens it."""

    club_id: UUID
    round_id: UUID
    expires_at: datetime

    @property
    def claim(self) -> bytes:
        """Write the claim, its end in microseconds."""
        return _CLAIM.pack(self.club_id.bytes, self.round_id.bytes, (self.expires_at - _EPOCH) // _MICROSECOND)


@dataclass(frozen=True, slots=True)
class SignedLink:
    """A link as somebody sent it; its claim is true only where the signature is the club's."""

    link: Link
    signature: bytes

    def is_signed_with(self, secret: bytes) -> bool:
        """Say whether it was signed with a secret, in a time that tells nothing of the right signature."""
        return hmac.compare_digest(self.signature, _sign(self.link, secret))


def write_token(link: Link, secret: bytes) -> str:
    """
    Sign a link, and write it as one word that goes into an address as it is.

    >>> link = Link(UUID(int=1), UUID(int=2), datetime(2026, 11, 20, 20, 15, tzinfo=UTC))
    >>> token = write_token(link, b"a secret")
    >>> len(token), read_token(token).link == link, read_token(token).is_signed_with(b"a secret")
    (96, True, True)
    """
    return urlsafe_b64encode(link.claim + _sign(link, secret)).decode()


def read_token(token: str) -> SignedLink | None:
    """Read what a token claims; None where it is no token at all."""
    if len(token) != TOKEN_LENGTH:
        return None
    try:
        read = urlsafe_b64decode(token.encode("ascii"))
        club, round_, end = _CLAIM.unpack_from(read)
        link = Link(UUID(bytes=club), UUID(bytes=round_), _EPOCH + end * _MICROSECOND)
    except (binascii.Error, UnicodeEncodeError, struct.error, OverflowError):
        return None
    return SignedLink(link, read[_CLAIM.size :])


def _sign(link: Link, secret: bytes) -> bytes:
    return hmac.digest(secret, _PURPOSE + link.claim, sha256)
