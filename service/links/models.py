from datetime import datetime
from uuid import UUID

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Key, TextList, references


class LinkRecord(Base):
    """A link to a table, to a round or to the club: its scopes and the hash of its secret. An erased label is None."""

    __tablename__ = "links"
    __table_args__ = (
        references("tables", "club_id", "table_id", to=("club_id", "id")),
        references("rounds", "club_id", "table_id", "round_id", to=("club_id", "table_id", "id")),
        references("api_keys", "club_id", "key_id", to=("club_id", "id")),
        Index("links_of_table", "club_id", "table_id", "id"),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    table_id: Mapped[UUID | None]
    round_id: Mapped[UUID | None]
    key_id: Mapped[UUID]
    kind: Mapped[str]
    player: Mapped[str | None]
    label: Mapped[str | None]
    label_salt: Mapped[bytes | None]
    secret_sha256: Mapped[bytes] = mapped_column(unique=True)
    scopes: Mapped[TextList]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
