"""Events, the nodes of clubs' trees, checkpoints and maps of rounds."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Big, Key, SmallKey, references


class EventRecord(Base):
    """
    An event: who made a change, when, and its payload as bytes.

    The hash is that of the heading followed by the content. The other columns repeat parts of the heading for queries.
    """

    __tablename__ = "events"
    __table_args__ = (
        UniqueConstraint("club_id", "round_id", "sequence", name="events_sequence_key"),
        references("rounds", "club_id", "round_id", to=("club_id", "id")),
        Index(
            "events_of_tables_and_rulesets",
            "club_id",
            "kind",
            postgresql_where=text("kind IN ('table.created', 'table.changed', 'ruleset.added')"),
        ),
        Index(
            "events_of_aliases",
            "club_id",
            "id",
            postgresql_where=text("kind IN ('player.joined', 'player.parted')"),
        ),
        Index(
            "events_of_erasures",
            "club_id",
            "kind",
            postgresql_where=text("kind IN ('player.erased', 'texts.erased')"),
        ),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    round_id: Mapped[UUID | None]
    sequence: Mapped[int | None]
    kind: Mapped[str]
    actor: Mapped[UUID | None]
    request_id: Mapped[str | None]
    at: Mapped[datetime]
    heading: Mapped[bytes]
    content: Mapped[bytes]
    hash: Mapped[bytes]


class WaitingEventRecord(Base):
    """An event that is not in its club's tree yet; the record is deleted when the event joins the tree."""

    __tablename__ = "waiting_events"

    club_id: Mapped[Key]
    event_id: Mapped[Key]


class TreeNodeRecord(Base):
    """A complete subtree of a club's tree of events: its hash and, for a leaf, its event."""

    __tablename__ = "tree_nodes"
    __table_args__ = (
        references("events", "club_id", "event_id", to=("club_id", "id")),
        Index(
            "tree_nodes_event_key",
            "club_id",
            "event_id",
            unique=True,
            postgresql_where=text("event_id IS NOT NULL"),
        ),
    )

    club_id: Mapped[Key]
    level: Mapped[SmallKey]
    position: Mapped[Big] = mapped_column(primary_key=True)
    hash: Mapped[bytes]
    event_id: Mapped[UUID | None]


class FeedEntryRecord(Base):
    """
    The kind and the table of the event at a position of its club's tree: the index of the event feed.

    It repeats what the event and its round say. An event outside of rounds has no table, except the one that created a
    table.
    """

    __tablename__ = "feed_entries"
    __table_args__ = (
        references("clubs", "club_id", to=("id",)),
        Index(
            "feed_entries_of_table", "club_id", "table_id", "position", postgresql_where=text("table_id IS NOT NULL")
        ),
    )

    club_id: Mapped[Key]
    kind: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[Big] = mapped_column(primary_key=True)
    table_id: Mapped[UUID | None]


class TreeHeadRecord(Base):
    """The size of a club's tree, its signed, served and mapped sizes, and when it was signed."""

    __tablename__ = "tree_heads"

    club_id: Mapped[Key]
    size: Mapped[Big]
    signed_size: Mapped[Big]
    signed_at: Mapped[datetime | None]
    served_size: Mapped[Big]
    mapped_size: Mapped[Big]


class RoundMapTileRecord(Base):
    """A tile of a club's map from rounds to their newest events, now and at the newest served checkpoint."""

    __tablename__ = "round_map_tiles"

    club_id: Mapped[Key]
    prefix: Mapped[str] = mapped_column(primary_key=True)
    tile: Mapped[bytes]
    since: Mapped[Big]
    signed_tile: Mapped[bytes | None]


class CheckpointRecord(Base):
    """A checkpoint: the signed note of a club's tree at one size, served to anyone who knows its id."""

    __tablename__ = "checkpoints"
    __table_args__ = (
        UniqueConstraint("club_id", "size", name="checkpoints_size_key"),
        UniqueConstraint("id", name="checkpoints_id_key"),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    size: Mapped[Big]
    root: Mapped[bytes]
    note: Mapped[str]
    created_at: Mapped[datetime]


class CosignatureRecord(Base):
    """The cosignature of a witness under a checkpoint of a size, verified by the public key beside it."""

    __tablename__ = "cosignatures"
    __table_args__ = (references("checkpoints", "club_id", "size", to=("club_id", "size")),)

    club_id: Mapped[Key]
    size: Mapped[Big] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    public_key: Mapped[bytes] = mapped_column(primary_key=True)
    signature: Mapped[bytes]
    received_at: Mapped[datetime]
