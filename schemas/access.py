"""API keys and viewer links: who can read what."""

import binascii
import hmac
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from schemas.base import Dumped, WireSchema
from schemas.fields import Inner, Integer, Listing, Text, Time, UuidField, show_time
from schemas.pages import PageSchema
from schemas.round_settlements import RoundSettlementSchema, dump_round_settlement, view_round_settlement
from schemas.rounds import RoundSchema, RoundView, dump_round
from schemas.settlements import SettlementView


class ScopeField(Text):
    """The name of a scope. New scopes can be added, so it is a text."""

    def __init__(self, **options: Any) -> None:
        super().__init__(longest=20, **options)


class ApiKeySchema(WireSchema):
    """An API key of the club, without its secret, which is not stored."""

    id = UuidField(required=True, description="ID of the key.")
    prefix = Text(
        required=True, longest=12, description="First characters of the key, which identify it in lists and logs."
    )
    name = Text(required=True, longest=100, description="What the key is used for, as its creator named it.")
    scopes = Listing(ScopeField(), most=20, required=True, description="What the key is allowed to do.")
    created_at = Time(required=True, description="Time when the key was created.")
    expires_at = Time(
        required=True, allow_none=True, description="Time when the key expires. Null if it does not expire."
    )
    revoked_at = Time(
        required=True,
        allow_none=True,
        description="Time from which the key is revoked, which can be in the future. Null if it is not revoked.",
    )
    last_used_at = Time(
        required=True,
        allow_none=True,
        description="Time of the last request with the key, to the minute. Null if it was never used.",
    )


class ApiKeyPageSchema(PageSchema):
    """One page of API keys, newest first."""

    keys = Listing(Inner(ApiKeySchema), most=100, required=True, description="The keys of this page, newest first.")


TOKEN_LENGTH: Final = 96
_CLAIM: Final = struct.Struct(">16s16sQ")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_PURPOSE: Final = b"tablestakes viewer link 1\0"
"""Separates link signatures from anything else signed with the same secret."""


@dataclass(frozen=True, slots=True)
class Link:
    """The claim of a viewer link: it shows one round of one club until it expires."""

    club_id: UUID
    round_id: UUID
    expires_at: datetime

    @property
    def claim(self) -> bytes:
        """Return the claim as bytes; the expiry time is in microseconds."""
        return _CLAIM.pack(self.club_id.bytes, self.round_id.bytes, (self.expires_at - _EPOCH) // _MICROSECOND)


@dataclass(frozen=True, slots=True)
class SignedLink:
    """A link as received. Its claim is valid only if the signature is the club's."""

    link: Link
    signature: bytes

    def is_signed_with(self, secret: bytes) -> bool:
        """Return whether the link was signed with a secret, compared in constant time."""
        return hmac.compare_digest(self.signature, _sign(self.link, secret))


def write_token(link: Link, secret: bytes) -> str:
    """
    Return the signed link as a token that is safe in a URL.

    >>> link = Link(UUID(int=1), UUID(int=2), datetime(2026, 11, 20, 20, 15, tzinfo=UTC))
    >>> token = write_token(link, b"a secret")
    >>> len(token), parse_token(token).link == link, parse_token(token).is_signed_with(b"a secret")
    (96, True, True)
    """
    return urlsafe_b64encode(link.claim + _sign(link, secret)).decode()


def parse_token(token: str) -> SignedLink | None:
    """Parse a token without checking its signature; return None if it is malformed."""
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


DEFAULT_LIFETIME: Final = timedelta(days=7)
MIN_LIFETIME: Final = timedelta(minutes=1)
MAX_LIFETIME: Final = timedelta(days=366)


def _seconds(life: timedelta) -> int:
    return int(life.total_seconds())


class ViewerLinkRequestSchema(WireSchema):
    """A viewer link to create. It is valid for a week by default."""

    expires_in = Integer(
        least=_seconds(MIN_LIFETIME),
        most=_seconds(MAX_LIFETIME),
        load_default=_seconds(DEFAULT_LIFETIME),
        description="Seconds until the link expires.",
    )


class ViewerLinkSchema(WireSchema):
    """A link that shows one round without a key. This response is the only one that contains it."""

    url = Text(required=True, longest=200, description="Path of the link at this service.")
    expires_at = Time(required=True, description="Time when the link expires.")


class LinkedRoundSchema(WireSchema):
    """A round and its settlement, as a viewer link shows them."""

    expires_at = Time(required=True, description="Time when the link expires.")
    round = Inner(RoundSchema, required=True, description="The round as it is now.")
    settlement = Inner(RoundSettlementSchema, required=True, description="The newest settlement of the round.")


@dataclass(frozen=True, slots=True)
class IssuedLink:
    """A new viewer link."""

    token: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class LinkedRoundView:
    """A round and its settlement, shown by a viewer link."""

    expires_at: datetime
    round: RoundView
    settlement: SettlementView


def dump_link(issued: IssuedLink) -> Dumped:
    """Encode a new viewer link."""
    return {"url": f"/v1/links/{issued.token}", "expires_at": show_time(issued.expires_at)}


def dump_linked_round(view: LinkedRoundView) -> Dumped:
    """Encode a round and its settlement, as a viewer link shows them."""
    return {
        "expires_at": show_time(view.expires_at),
        "round": dump_round(view.round),
        "settlement": dump_round_settlement(view_round_settlement(view.round, view.settlement)),
    }
