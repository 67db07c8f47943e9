"""The journal's table `entries`, and the entries of rounds: what the change of a round adds to what players owe."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped

from evidence.charges import StandingCharge
from evidence.events import EventKind
from schemas.ledger.journal import HOUSE, Amounts, Counted, EntryKind, Posting, post_change
from schemas.ledger.settling import Worth, worth_of
from schemas.money import Unit, dump_unit, load_unit
from scoring.hand import Seat
from scoring.round_state import Round, RoundSeat
from scoring.ruleset import Points
from service.db import Transaction
from service.db.base import Base, Key, PointsList, Small, TextList, references
from service.rounds.queries.stored_round import StoredRound

PLAYING: Final = frozenset({EventKind.HAND_RECORDED, EventKind.DEPARTURE_RECORDED, EventKind.ROUND_CLOSED})
"""The events that go on with a revision of a round."""
REVISING: Final = frozenset({EventKind.HAND_WITHDRAWN, EventKind.ROUND_CORRECTED, EventKind.ROUND_RECOMPUTED})
"""The events that add a revision to a round."""
RESULTS: Final = PLAYING | REVISING
"""The events that change what a round adds; an entry has the ID of the last of them."""


class EntryRecord(Base):
    """
    What a round, a payment, a charge or a reversal adds to what is owed.

    Its ID is that of the event that it follows from. `amounts` are in the order of `accounts`: one above zero is owed
    to the account, one below zero by it. The account of the house is the empty text. `unit` is the code of a currency
    or of a unit of the club, or the ID of a table whose points have no value. `charges` is how much of each amount is
    the standing charge of a round.
    """

    __tablename__ = "entries"
    __table_args__ = (
        UniqueConstraint("club_id", "reverses", name="entries_reverses_key"),
        references("events", "club_id", "id"),
        references("entries", "club_id", "reverses", to=("club_id", "id")),
        references("tables", "club_id", "table_id", to=("club_id", "id")),
        references("rounds", "club_id", "table_id", "round_id", to=("club_id", "table_id", "id")),
        references("settlements", "club_id", "round_id", "revision"),
        references("settlements", "club_id", "round_id", "previous_revision", to=("club_id", "round_id", "revision")),
        Index(
            "entries_reference_key",
            "club_id",
            "reference",
            unique=True,
            postgresql_where=text("reference IS NOT NULL"),
        ),
        Index("entries_of_round", "club_id", "round_id", postgresql_where=text("round_id IS NOT NULL")),
        Index(
            "entries_with_charges",
            "club_id",
            "round_id",
            postgresql_where=text("round_id IS NOT NULL AND (revision IS NULL OR charges IS NOT NULL)"),
        ),
        Index("entries_of_unit", "club_id", "unit"),
        Index("entries_played_at", "club_id", "played_at"),
        Index("entries_without_revision", "club_id", "id", postgresql_where=text("revision IS NULL")),
    )

    club_id: Mapped[Key]
    id: Mapped[Key]
    kind: Mapped[str]
    posted_at: Mapped[datetime]
    played_at: Mapped[datetime]
    round_id: Mapped[UUID | None]
    revision: Mapped[int | None]
    previous_revision: Mapped[int | None]
    table_id: Mapped[UUID | None]
    unit: Mapped[str]
    unit_digits: Mapped[Small]
    accounts: Mapped[TextList]
    amounts: Mapped[PointsList]
    charges: Mapped[PointsList | None]
    reference: Mapped[str | None]
    reverses: Mapped[UUID | None]


@dataclass(frozen=True, slots=True)
class RoundAccount:
    """What all entries of a round have in common."""

    round_id: UUID
    table_id: UUID
    opened_at: datetime
    point_value: int | None
    unit: Unit | None
    charge: StandingCharge | None = None

    @property
    def worth(self) -> Worth:
        """What its points are worth."""
        return worth_of(self.point_value, self.unit, str(self.table_id))

    def count(self, round_: Round, dealt: Iterable[Iterable[Seat]]) -> Counted | None:
        """
        Return what a round adds to the accounts of its players; None while it is open.

        Args:
            round_: its players and stacks.
            dealt: of each of its hands, the seats that were dealt in; read only if the round has a standing charge.
        """
        return None if round_.is_open else self.add(round_.seats, round_.nets.values(), dealt)

    def add(self, seats: Sequence[RoundSeat], nets: Iterable[Points], dealt: Iterable[Iterable[Seat]]) -> Counted:
        """Return what net points, in the order of the seats, and hands add to the accounts of the players."""
        amount_of = self.worth.amount_of
        # Damaged records can have more seats or fewer, which verification finds elsewhere.
        won = {seat.player: amount_of(net) for seat, net in zip(seats, nets, strict=False)}
        return Counted(won) if self.charge is None else Counted(won, _charge(self.charge, seats, dealt))

    def entry(self, posting: Posting, revision: int) -> dict[str, Any]:
        """Return the columns of an entry, except those that are the event's."""
        return {
            "kind": posting.kind.value,
            "played_at": self.opened_at,
            "round_id": self.round_id,
            "revision": revision,
            "previous_revision": None if posting.kind is EntryKind.SETTLEMENT else revision - 1,
            "table_id": self.table_id,
            **dump_unit(self.worth.amount_unit),
            **posting.columns,
            "reference": None,
            "reverses": None,
        }


def _charge(charge: StandingCharge, seats: Sequence[RoundSeat], dealt: Iterable[Iterable[Seat]]) -> Amounts:
    """Return what a standing charge adds to the accounts of the players and of the house."""
    by_seat = charge.charge(dealt)
    owed = {seat.player: -by_seat[seat.seat] for seat in seats if seat.seat in by_seat}
    return {**owed, HOUSE: -sum(owed.values())} if owed else {}


def load_worth(row: Any) -> Worth:
    """Return what points are worth, from a row with the point value, the unit and the table of their rounds."""
    return worth_of(row.point_value, load_unit(row.unit, row.unit_digits), str(row.table_id))


def post_round(counted: Counted | None, after: StoredRound, dealt: Iterable[Iterable[Seat]]) -> dict[str, Any] | None:
    """
    Return the columns of the entry for a change, except those that are the event's; None if it adds nothing.

    Args:
        counted: what the round has added so far; None if it counts nothing.
        after: the round after the change.
        dealt: of each of its hands, the seats that were dealt in.
    """
    charge = after.standing_charge
    account = RoundAccount(after.id, after.table_id, after.opened_at, after.point_value, after.unit, charge)
    posting = post_change(counted, account.count(after.round, dealt))
    return None if posting is None else account.entry(posting, after.revision)


_POSTED: Final = text("""
    SELECT part.account, sum(part.amount) AS amount, coalesce(sum(part.charge), 0) AS charge
    FROM entries AS entry
    CROSS JOIN unnest(entry.accounts, entry.amounts, entry.charges) AS part (account, amount, charge)
    WHERE entry.club_id = :club_id AND entry.round_id = :round_id AND entry.revision IS NOT NULL
    GROUP BY part.account
""")


def find_posted(transaction: Transaction, round_: StoredRound) -> Counted | None:
    """
    Return what the journal has of a round that has ended; None while it is open.

    It is what the round adds, unless the round's records were damaged. So a change that repairs them posts nothing that
    the journal has already.
    """
    if round_.round.is_open:
        return None
    rows = transaction.execute(_POSTED, {"club_id": transaction.club_id, "round_id": round_.id}).all()
    won = {row.account: int(row.amount - row.charge) for row in rows if row.amount != row.charge}
    charged = {row.account: int(row.charge) for row in rows if row.charge}
    return Counted({**dict.fromkeys((seat.player for seat in round_.round.seats), 0), **won}, charged)
