"""What people write about records: display names, metadata, and the erasure of texts."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self
from uuid import UUID

from evidence.codec import OMITTED
from evidence.events.payload import EventKind, EventPayload
from evidence.texts import digest_text


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerNamed(EventPayload):
    """
    A display name was set for a player. No event contains the name.

    Attributes:
        digest: of the name, as `digest_text` returns it.
    """

    kind = EventKind.PLAYER_NAMED

    player: str
    digest: bytes

    @classmethod
    def of(cls, player: str, display_name: str, salt: bytes) -> Self:
        """
        Build the event of a name.

        >>> PlayerNamed.of("ann", "Ann Example", bytes(32)).digest.hex()[:16]
        '0e431debe58049c7'
        """
        return cls(player=player, digest=digest_text(display_name, salt))


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerErased(EventPayload):
    """
    The display name of a player was erased, with the texts by them and about them.

    Attributes:
        texts: the digests of the other texts that were erased.
    """

    kind = EventKind.PLAYER_ERASED

    player: str
    texts: tuple[bytes, ...] = field(default=(), metadata=OMITTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextsErased(EventPayload):
    """
    The texts of a record were erased.

    Attributes:
        record: the ID of the record, such as a round, a dispute, a payment, a key or a link.
        texts: their digests.
    """

    kind = EventKind.TEXTS_ERASED

    record: UUID
    texts: tuple[bytes, ...]


class MetadataOf(StrEnum):
    """The kinds of records that have metadata."""

    TABLE = "table"
    ROUND = "round"
    HAND = "hand"
    PLAYER = "player"


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataChanged(EventPayload):
    """
    The metadata of a record were set, replaced or removed.

    Attributes:
        of: the kind of the record.
        record: the ID of the table, the round or the hand; None for a player.
        round: the round itself, or that of the hand.
        player: the operator's ID of the player.
        metadata: the digest of their canonical JSON, as `digest_text` returns it; None if it has none now.
        replaced: the digest of those that it had; None if it had none. It orders changes whatever the clocks.
    """

    kind = EventKind.METADATA_CHANGED

    of: MetadataOf
    record: UUID | None = field(default=None, metadata=OMITTED)
    round: UUID | None = field(default=None, metadata=OMITTED)
    player: str | None = field(default=None, metadata=OMITTED)
    metadata: bytes | None
    replaced: bytes | None = field(default=None, metadata=OMITTED)
