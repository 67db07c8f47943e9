"""Secrets of links, and revoked links."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Key, references


class LinkSecretRecord(Base):
    """A secret that signs the links of a club. Only the newest one is valid."""

    __tablename__ = "link_secrets"

    club_id: Mapped[UUID] = mapped_column(ForeignKey("clubs.id"), primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    secret: Mapped[bytes]
    created_at: Mapped[datetime]


class RevokedLinkRecord(Base):
    """A revoked link, identified by its round and its expiry."""

    __tablename__ = "revoked_links"
    __table_args__ = (references("rounds", "club_id", "round_id", to=("club_id", "id")),)

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    expires_at: Mapped[datetime] = mapped_column(primary_key=True)
    revoked_at: Mapped[datetime]
