"""The state of a round and the results of its hands, as their records have them."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import and_, bindparam, func, select

from evidence.charges import ChargePer, StandingCharge, charge_of
from schemas.money import Unit, load_unit
from schemas.settlements import SettlementState
from scoring.fantasyland import Fantasyland
from scoring.hand import Seat
from scoring.round import PlayedHand
from scoring.round_state import Round, RoundSeat, RoundStatus
from scoring.ruleset import Points, Ruleset
from scoring.settlement import LimitedBy, Transfer
from scoring.sources import split_points
from service.db import Transaction
from service.metrics.counters import check_balance
from service.rounds.models import TRANSFER_FIELDS, RoundHeadRecord, RoundRecord
from service.rulesets import queries as rulesets
from service.rulesets.models import RulesetRecord


@dataclass(frozen=True, slots=True)
class Finality:
    """
    The state of the newest settlement of a round.

    The state follows from the other fields and from whether the round is open.

    Attributes:
        settlement_state: open, provisional, disputed or final.
        provisional_until: when a provisional settlement becomes final; None in other states.
        final_revision: the newest revision that was final, which may have been corrected since.
        open_disputes: the number of disputes that have not ended.
    """

    settlement_state: SettlementState = SettlementState.OPEN
    provisional_until: datetime | None = None
    final_revision: int | None = None
    open_disputes: int = 0

    def after(self, revision: int, until: datetime, *, is_open: bool) -> "Finality":
        """
        Return the state after a change to the round.

        >>> from datetime import UTC
        >>> moment = datetime(2026, 11, 20, 22, tzinfo=UTC)
        >>> Finality().after(1, moment, is_open=False).settlement_state.value
        'provisional'
        >>> Finality(final_revision=1).after(1, moment, is_open=False).settlement_state.value
        'final'

        Args:
            revision: the round's revision after the change.
            until: the end of the correction window, if the settlement is provisional.
            is_open: whether the round is open.
        """
        if is_open:
            state = SettlementState.OPEN
        elif self.open_disputes:
            state = SettlementState.DISPUTED
        elif self.final_revision == revision:
            state = SettlementState.FINAL
        else:
            state = SettlementState.PROVISIONAL
        provisional_until = until if state is SettlementState.PROVISIONAL else None
        return replace(self, settlement_state=state, provisional_until=provisional_until)


def dump_finality(finality: Finality) -> dict[str, Any]:
    """Return the columns of a round's head for a settlement state."""
    return {
        "settlement_state": finality.settlement_state.value,
        "provisional_until": finality.provisional_until,
        "final_revision": finality.final_revision,
        "open_disputes": finality.open_disputes,
    }


def load_finality(head: Mapping[str, Any]) -> Finality:
    """
    Build a settlement state from a round's head.

    >>> final = Finality(SettlementState.FINAL, final_revision=2)
    >>> load_finality(dump_finality(final)) == final
    True
    """
    return Finality(
        SettlementState(head["settlement_state"]),
        head["provisional_until"],
        head["final_revision"],
        head["open_disputes"],
    )


def dump_round(round_: Round) -> dict[str, Any]:
    """
    Return the columns of a round's head for a round, without its ruleset.

    Lists are in the order of the round's seats, which are ascending.
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
    """Return everything else that the next hand depends on."""
    return {
        "scope_stacks": in_order(round_.seat_numbers, round_.opening_stacks),
        "button": round_.button,
        "had_button": sorted(round_.had_button),
        "left": sorted(round_.left),
        "busted": sorted(round_.busted),
        "sequence": sorted(round_.sequence),
        "owed": [[seat, owed.cards, owed.stays] for seat, owed in sorted(round_.owed.items())],
        "totals": [[*pair, points] for pair, points in sorted(round_.totals.items())],
    }


def load_round(head: Mapping[str, Any], ruleset: Ruleset) -> Round:
    """
    Build a round from its head.

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
        left=frozenset(state["left"]),
        busted=frozenset(state["busted"]),
        sequence=frozenset(state["sequence"]),
        owed={seat: Fantasyland(cards, stays) for seat, cards, stays in state["owed"]},
        totals={(low, high): points for low, high, points in state["totals"]},
    )


def in_order(seats: Iterable[Seat], points: Mapping[Seat, Points]) -> list[Points]:
    """
    Return points in the order of seats.

    >>> in_order((1, 4), {4: 150, 1: 200})
    [200, 150]
    """
    return [points[seat] for seat in seats]


_HEAD: Final = RoundHeadRecord
_HEAD_COLUMNS: Final = [
    column for column in _HEAD.__table__.columns if column.name not in RoundRecord.__table__.columns
]

# The join to rulesets is an outer one for queries that wait for a lock: if the round's ruleset changes meanwhile, an
# inner join would not find the round.
_ROUNDS: Final = (
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
)
ROUNDS: Final = _ROUNDS.where(RoundRecord.club_id == bindparam("club_id"))
"""Selects all rounds of the club `club_id`, for `load_stored_round`."""
OWN_ROUNDS: Final = _ROUNDS.where(RoundRecord.club_id == func.current_club())
"""Selects all rounds of the transaction's club, before the process knows it."""


@dataclass(frozen=True, slots=True)
class StoredRound:
    """
    A round with everything that its records have in addition to the game.

    Attributes:
        table_sequence: its number among the rounds of its table, in the order of recording.
        imported: whether it was imported; no stack carries over from an imported round.
        digest: the digest of the content that it was opened with; it identifies a round without a reference.
        opened_at: when it was opened, which may be long before it was received.
        recorded_at: when it was received.
        version: incremented by every change.
        revision: the newest revision.
        correction_window_minutes: how long settlements are provisional: the table's value when the round was opened.
        finality: the state of its newest settlement.
        last_event: the hash of its last event; empty before the first.
    """

    id: UUID
    table_id: UUID
    table_sequence: int
    imported: bool
    reference: str | None
    digest: bytes
    point_value: int | None
    unit: Unit | None
    charge_per: ChargePer | None
    charge_amount: int | None
    opened_at: datetime
    recorded_at: datetime
    version: int
    revision: int
    round: Round
    correction_window_minutes: int
    finality: Finality = field(default_factory=Finality)
    last_event: bytes = field(default=b"", compare=False)

    @property
    def standing_charge(self) -> StandingCharge | None:
        """What the house charges its players; None if it charges nothing."""
        return charge_of(self.charge_per, self.charge_amount)

    def changed(
        self,
        now: datetime,
        round_: Round | None = None,
        *,
        revision: int | None = None,
        finality: Finality | None = None,
        keeps_window: bool = False,
        version: int | None = None,
        last_event: bytes | None = None,
    ) -> "StoredRound":
        """
        Return the round after a change, with its settlement state.

        Args:
            now: the time of the change, from which the correction window runs.
            round_: the round after the change, if it changes.
            revision: the revision after the change, if it changes.
            finality: the changed settlement state, if it changes.
            keeps_window: whether the correction window does not start again.
            version: the version after the change, if it is not the next one.
            last_event: the hash of the change's last event.
        """
        round_, revision = round_ or self.round, revision or self.revision
        until = now + timedelta(minutes=self.correction_window_minutes)
        if keeps_window:
            until = self.finality.provisional_until or until
        changed = (finality or self.finality).after(revision, until, is_open=round_.is_open)
        return replace(
            self,
            version=version or self.version + 1,
            revision=revision,
            round=round_,
            finality=changed,
            last_event=self.last_event if last_event is None else last_event,
        )


def load_stored_round(transaction: Transaction, row: Mapping[str, Any]) -> StoredRound:
    """Build a stored round from its records."""
    if row["ruleset_content"] is None:
        ruleset = rulesets.get(transaction, row["ruleset_name"], row["ruleset_version"])
    else:
        ruleset = rulesets.parse_ruleset(row["ruleset_content"])
    round_ = load_round(row, ruleset)
    check_balance(row["id"], round_)
    return StoredRound(
        id=row["id"],
        table_id=row["table_id"],
        table_sequence=row["table_sequence"],
        imported=row["imported"],
        reference=row["reference"],
        digest=row["digest"],
        point_value=row["point_value"],
        unit=load_unit(row["unit"], row["unit_digits"]),
        charge_per=None if row["charge_per"] is None else ChargePer(row["charge_per"]),
        charge_amount=row["charge_amount"],
        opened_at=row["opened_at"],
        recorded_at=row["recorded_at"],
        version=row["version"],
        revision=row["revision"],
        round=round_,
        correction_window_minutes=row["correction_window_minutes"],
        finality=load_finality(row),
        last_event=row["last_event"],
    )


PaidRow = Mapping[str, Any]
"""A transfer as it is stored, without its position: by the names of `TRANSFER_FIELDS`."""


class HandFigures(NamedTuple):
    """
    The result of a hand, as its record has it.

    Attributes:
        points, fouls, royalties, earned, stays: of the players dealt in, by seat.
        royalties_top, royalties_middle: those of two rows; the other royalties are those of the bottom row.
        from_rows, from_bonuses, from_fouls: points by what they are for; the other points are royalties.
        exchanges: in paying order.
        scoops: of the same pairs: 1 if the first player wins all rows, -1 if the second does, 0 otherwise.
        top_ups, stacks_before, stacks: of all players of the round, by seat.
        transfers: in order.
        irregular: why the hand does not follow the hands before it, as JSON; None unless it was accepted as played.
    """

    points: Sequence[Points]
    fouls: Sequence[bool]
    royalties: Sequence[Points]
    royalties_top: Sequence[Points]
    royalties_middle: Sequence[Points]
    from_rows: Sequence[Points]
    from_bonuses: Sequence[Points]
    from_fouls: Sequence[Points]
    earned: Sequence[int]
    stays: Sequence[int]
    exchanges: Sequence[Points]
    scoops: Sequence[int]
    top_ups: Sequence[Points]
    stacks_before: Sequence[Points]
    stacks: Sequence[Points]
    transfers: Sequence[PaidRow]
    irregular: bytes | None = None


def figures_of(before: Round, played: PlayedHand) -> HandFigures:
    """Return the figures of a played hand, given the round before it."""
    score, seats = played.score, before.seat_numbers
    boards = sorted(score.boards, key=lambda board: board.seat)
    by_seat = split_points(score)
    sources = [by_seat[board.seat] for board in boards]
    top_ups = {top_up.seat: top_up.points for top_up in played.hand.top_ups}
    mistakes = json.dumps([asdict(mistake) for mistake in played.irregular]).encode() if played.accepted else None
    return HandFigures(
        points=[score.points[board.seat] for board in boards],
        fouls=[board.foul is not None for board in boards],
        royalties=[board.royalty_points for board in boards],
        royalties_top=[board.royalties.top for board in boards],
        royalties_middle=[board.royalties.middle for board in boards],
        from_rows=[each.rows for each in sources],
        from_bonuses=[each.bonuses for each in sources],
        from_fouls=[each.fouls for each in sources],
        earned=[board.earned.cards if board.earned else 0 for board in boards],
        stays=[before.owed[board.seat].stays if board.seat in before.owed else 0 for board in boards],
        exchanges=[exchange.points for exchange in score.exchanges],
        scoops=[exchange.breakdown.scoop if exchange.breakdown else 0 for exchange in score.exchanges],
        top_ups=[top_ups.get(seat, 0) for seat in seats],
        stacks_before=in_order(seats, before.stacks),
        stacks=in_order(seats, played.round.stacks),
        transfers=paid_rows(played.transfers),
        irregular=mistakes,
    )


def paid_rows(transfers: Sequence[Transfer]) -> list[PaidRow]:
    """Convert transfers to the form in which they are stored, in order."""
    return [{name: getattr(each, name) for name in TRANSFER_FIELDS} for each in transfers]


def load_transfers(stored: Iterable[PaidRow]) -> tuple[Transfer, ...]:
    """Decode stored transfers, in order."""
    return tuple(
        Transfer(order=order, **{**each, "limited_by": each["limited_by"] and LimitedBy(each["limited_by"])})
        for order, each in enumerate(stored, 1)
    )
