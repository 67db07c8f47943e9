from datetime import datetime

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from service.db.base import Base, Big, Key, NumberKey, references


class ImportPieceRecord(Base):
    """Whole lines of a received file, until they are processed."""

    __tablename__ = "import_pieces"
    __table_args__ = (references("jobs", "club_id", "job_id", to=("club_id", "id")),)

    club_id: Mapped[Key]
    job_id: Mapped[Key]
    number: Mapped[NumberKey]
    first_line: Mapped[Big]
    lines: Mapped[int]
    content: Mapped[bytes]
    received_at: Mapped[datetime]


class ImportResultRecord(Base):
    """The results of the lines of a piece, by the number of its first line."""

    __tablename__ = "import_results"
    __table_args__ = (references("jobs", "club_id", "job_id", to=("club_id", "id")),)

    club_id: Mapped[Key]
    job_id: Mapped[Key]
    first_line: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    content: Mapped[bytes]
