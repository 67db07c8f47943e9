from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from service.models.base import Base, Key, leads_to


class RevokedLinkRecord(Base):
    """A viewer link, known by its round and its end, that opens nothing any more."""

    __tablename__ = "revoked_links"
    __table_args__ = (leads_to("rounds", "club_id", "round_id", to=("club_id", "id")),)

    club_id: Mapped[Key]
    round_id: Mapped[Key]
    expires_at: Mapped[datetime] = mapped_column(primary_key=True)
    revoked_at: Mapped[datetime]
