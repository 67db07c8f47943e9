"""A round as stored: its state, its settlement state, and its conversion to and from domain values."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import and_, bindparam, select

from schemas.settlements import SettlementState
from scoring.fantasyland import Fantasyland
from scoring.hand import Seat
from scoring.round_state import Round, RoundSeat, RoundStatus
from scoring.ruleset import Points, Ruleset
from service.db import Transaction
from service.metrics.counters import check_balance
from service.rounds.models import RoundHeadRecord, RoundRecord
from service.rulesets import queries as rulesets
from service.rulesets.models import RulesetRecord


@dataclass(frozen=True, slots=True)
class Firmness:
    """
    How firm the settlement in force is.

    The state follows from the rest and from whether hands can come.

    Attributes:
        settlement_state: open, provisional, disputed or final.
        provisional_until: when it is made final unless something happens; None in any other state.
        final_revision: the newest revision that has been final, which may have been corrected since.
        open_disputes: how many disputes of the round are not resolved.
    """

    settlement_state: SettlementState = SettlementState.OPEN
    provisional_until: datetime | None = None
    final_revision: int | None = None
    open_disputes: int = 0

    def after(self, revision: int, until: datetime, *, is_open: bool) -> "Firmness":
        """
        Give it after a change to the round.

        >>> from datetime import UTC
        >>> moment = datetime(2026, 11, 20, 22, tzinfo=UTC)
        >>> Firmness().after(1, moment, is_open=False).settlement_state.value
        'provisional'
        >>> Firmness(final_revision=1).after(1, moment, is_open=False).settlement_state.value
        'final'

        Args:
            revision: that is in force now.
            until: how long it is provisional, where it is.
            is_open: whether hands can come.
        """
        if is_open:
            state = SettlementState.OPEN
        elif self.open_disputes:
            state = SettlementState.DISPUTED
        elif self.final_revision == revision:
            state = SettlementState.FINAL
        else:
            state = SettlementState.PROVISIONAL
        kept_until = until if state is SettlementState.PROVISIONAL else None
        return replace(self, settlement_state=state, provisional_until=kept_until)


def dump_firmness(firmness: Firmness) -> dict[str, Any]:
    """Say what a round's head record holds of it."""
    return {**asdict(firmness), "settlement_state": firmness.settlement_state.value}


def load_firmness(head: Mapping[str, Any]) -> Firmness:
    """
    Read it from a round's head record.

    >>> final = Firmness(SettlementState.FINAL, final_revision=2)
    >>> load_firmness(dump_firmness(final)) == final
    True
    """
    return Firmness(
        SettlementState(head["settlement_state"]),
        head["provisional_until"],
        head["final_revision"],
        head["open_disputes"],
    )


def dump_round(round_: Round) -> dict[str, Any]:
    """
    Say what a round's head record holds of it: everything but its ruleset.

    Lists follow the round's seats, which rise.
    """
    seats = round_.seat_numbers
    return {
        "status": round_.status.value,
        "hands": round_.hands,
        "seats": list(seats),
        "players": [seat.player for seat in round_.seats],
        "opening_stacks": [seat.opening_stack for seat in round_.seats],
        "top_ups": in_order(seats, round_.top_ups),
        "stacks": in_order(seats, round_.stacks),
        "state": dump_state(round_),
    }


def dump_state(round_: Round) -> dict[str, Any]:
    """Say what the next hand has to know beside points."""
    return {
        "scope_stacks": in_order(round_.seat_numbers, round_.opening_stacks),
        "button": round_.button,
        "had_button": sorted(round_.had_button),
        "gone": sorted(round_.gone),
        "out": sorted(round_.out),
        "sequence": sorted(round_.sequence),
        "owed": [[seat, owed.cards, owed.stays] for seat, owed in sorted(round_.owed.items())],
        "totals": [[*pair, points] for pair, points in sorted(round_.totals.items())],
    }


def load_round(head: Mapping[str, Any], ruleset: Ruleset) -> Round:
    """
    Make a round again from its head record.

    >>> from scoring.presets import PRESETS
    >>> from scoring.round import open_round
    >>> round_ = open_round(PRESETS["turbo"], [RoundSeat(1, "ann", 200), RoundSeat(4, "bob", 150)])
    >>> load_round(dump_round(round_), round_.ruleset) == round_
    True
    """
    seats, state = head["seats"], head["state"]
    return Round(
        ruleset=ruleset,
        seats=tuple(map(RoundSeat, seats, head["players"], head["opening_stacks"])),
        stacks=dict(zip(seats, head["stacks"], strict=True)),
        opening_stacks=dict(zip(seats, state["scope_stacks"], strict=True)),
        top_ups=dict(zip(seats, head["top_ups"], strict=True)),
        status=RoundStatus(head["status"]),
        hands=head["hands"],
        button=state["button"],
        had_button=frozenset(state["had_button"]),
        gone=frozenset(state["gone"]),
        out=frozenset(state["out"]),
        sequence=frozenset(state["sequence"]),
        owed={seat: Fantasyland(cards, stays) for seat, cards, stays in state["owed"]},
        totals={(low, high): points for low, high, points in state["totals"]},
    )


def in_order(seats: Iterable[Seat], points: Mapping[Seat, Points]) -> list[Points]:
    """
    Put points in the order of seats.

    >>> in_order((1, 4), {4: 150, 1: 200})
    [200, 150]
    """
    return [points[seat] for seat in seats]


_HEAD: Final = RoundHeadRecord
_HEAD_COLUMNS: Final = [
    column for column in _HEAD.__table__.columns if column.name not in RoundRecord.__table__.columns
]

# The join to the rules is an outer one for those who lock a round: one that changes its rules while it is waited for
# would not be found by an inner one.
ROUNDS: Final = (
    select(RoundRecord.__table__, *_HEAD_COLUMNS, rulesets.CONTENT)
    .join(_HEAD, and_(_HEAD.club_id == RoundRecord.club_id, _HEAD.round_id == RoundRecord.id))
    .outerjoin(
        RulesetRecord,
        and_(
            RulesetRecord.club_id == _HEAD.club_id,
            RulesetRecord.name == _HEAD.ruleset_name,
            RulesetRecord.version == _HEAD.ruleset_version,
        ),
    )
    .where(RoundRecord.club_id == bindparam("club_id"))
)
"""All rounds of the club given as `club_id`, for `load_stored_round`."""


@dataclass(frozen=True, slots=True)
class StoredRound:
    """
    A round as it stands, and what is kept beside the game.

    Attributes:
        table_sequence: its number among the rounds of its table, in the order in which they were recorded.
        imported: whether it came by an import, so that no stack carries over from it.
        digest: of the content that it was opened with; the same content and reference is the same round.
        opened_at: when it was opened, which may be long before it was received.
        recorded_at: when it was received.
        version: raised by one with every change.
        revision: the settlement in force.
        correction_window_minutes: how long settlements are provisional, as the table said when the round was opened.
        firmness: how firm the settlement in force is.
        last_event: the hash of its last event, which the next one names; nothing before its first.
    """

    id: UUID
    table_id: UUID
    table_sequence: int
    imported: bool
    reference: str | None
    digest: bytes
    point_value: int | None
    currency: str | None
    opened_at: datetime
    recorded_at: datetime
    version: int
    revision: int
    round: Round
    correction_window_minutes: int
    firmness: Firmness = field(default_factory=Firmness)
    last_event: bytes = field(default=b"", compare=False)

    def changed(
        self,
        now: datetime,
        round_: Round | None = None,
        *,
        revision: int | None = None,
        firmness: Firmness | None = None,
        keeps_window: bool = False,
    ) -> "StoredRound":
        """
        Give it after a change: one version on, and as firm as it then is.

        Args:
            now: the moment of the change, from which it is provisional, where it is.
            round_: where it stands after it; where it stood unless given.
            revision: in force after it; the one before unless given.
            firmness: what changed of it.
            keeps_window: whether a provisional settlement is so for no longer than before.
        """
        round_, revision = round_ or self.round, revision or self.revision
        until = now + timedelta(minutes=self.correction_window_minutes)
        if keeps_window:
            until = self.firmness.provisional_until or until
        firm = (firmness or self.firmness).after(revision, until, is_open=round_.is_open)
        return replace(self, version=self.version + 1, revision=revision, round=round_, firmness=firm)


def load_stored_round(transaction: Transaction, found: Mapping[str, Any]) -> StoredRound:
    """Make a round again from its records."""
    if found["ruleset_content"] is None:
        ruleset = rulesets.get(transaction, found["ruleset_name"], found["ruleset_version"])
    else:
        ruleset = rulesets.parse_ruleset(found["ruleset_content"])
    round_ = load_round(found, ruleset)
    check_balance(found["id"], round_)
    return StoredRound(
        id=found["id"],
        table_id=found["table_id"],
        table_sequence=found["table_sequence"],
        imported=found["imported"],
        reference=found["reference"],
        digest=found["digest"],
        point_value=found["point_value"],
        currency=found["currency"],
        opened_at=found["opened_at"],
        recorded_at=found["recorded_at"],
        version=found["version"],
        revision=found["revision"],
        round=round_,
        correction_window_minutes=found["correction_window_minutes"],
        firmness=load_firmness(found),
        last_event=found["last_event"],
    )
