from sqlalchemy.orm import Mapped

from service.db.base import Base, Key, references


class EntryNoteRecord(Base):
    """The note of a payment, or the reason of a charge or reversal. They are stored only here, and can be erased."""

    __tablename__ = "entry_notes"
    __table_args__ = (references("entries", "club_id", "entry_id", to=("club_id", "id")),)

    club_id: Mapped[Key]
    entry_id: Mapped[Key]
    note: Mapped[str]
    salt: Mapped[bytes]
