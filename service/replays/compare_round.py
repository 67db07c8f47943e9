"""Replay a round from its records by the plain rules, and compare it with its stored results."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

import numpy as np

from scoring.bulk.transfers import LIMITS
from scoring.errors import ScoringError
from scoring.history import History, PlayedRound
from scoring.ruleset import Points, Ruleset
from service.replays.comparing import Row, compare_records
from service.replays.findings import Finding, FindingKind
from service.replays.in_bulk import hash_round
from service.replays.packed.queries import STATUSES
from service.replays.packed.rounds import pairs_of
from service.replays.results import Results, results_of
from service.rounds.models import TRANSFER_FIELDS
from service.rounds.queries.records import RoundRecords, pack_content
from service.rounds.queries.stored_round import PaidRow, dump_round, paid_rows

INVALID: Final = -1
"""The status number of an invalid round."""

_OF_PLAYERS: Final = (
    *("points", "fouls", "royalties", "royalties_top", "royalties_middle"),
    *("from_rows", "from_bonuses", "from_fouls", "earned", "stays"),
)
_OF_PAIRS: Final = ("exchanges", "scoops")
_OF_SEATS: Final = ("top_ups", "stacks_before", "stacks")
_OF_HEADS: Final = ("status", "hands", "seats", "players", "opening_stacks", "top_ups", "stacks")


@dataclass(frozen=True, slots=True)
class ReplayedRound:
    """
    A round replayed from its records.

    Attributes:
        history: the history of the round; None if the records cannot be read.
        results: its results, without those of invalid hands.
        findings: the differences from the stored results.
    """

    records: RoundRecords
    history: History | None
    results: Results
    findings: tuple[Finding, ...]

    @property
    def played(self) -> PlayedRound | None:
        """The replayed round; None if it is invalid."""
        return self.results.played

    @property
    def hashed(self) -> bytes:
        """The hash of the results."""
        round_id, played = self.records.id.bytes, self.played
        if played is None:
            return hash_round(round_id, b"", INVALID)
        seats = played.round.seat_numbers
        hands = zip(played.hands, self.results.scores.values(), strict=True)
        figures = b"".join(_pack(_figures(seats, sorted(hand.hand.by_seat), row)) for hand, row in hands)
        on_time = sum(len(hand.transfers) for hand in played.hands)
        late = [paid.transfer for paid in played.payments[on_time:]]
        packed = b"".join(_pack(_transfer_figures(paid)) for paid in paid_rows(late))
        return hash_round(round_id, figures, STATUSES.index(played.round.status), packed)

    @property
    def moved(self) -> Mapping[str, Points]:
        """The change of each player's net points, without zeros; none if the round is invalid or nothing differs."""
        return _moved(self.records.head, self.played) if self.played and self.findings else {}


def compare_round(records: RoundRecords, ruleset: Ruleset, *, is_own: bool) -> ReplayedRound:
    """
    Replay a round from its records, and list the differences.

    Under its own ruleset, each hand is replayed from the stored stacks of the hand before, so that a difference is
    reported once and not in every later hand; the final stacks are compared for the round as a whole. Under another
    ruleset, each hand is replayed from the computed stacks of the hand before.
    """
    boards = tuple(_compare_boards(records))
    try:
        history = records.history(ruleset)
    except ScoringError as error:
        return ReplayedRound(records, None, Results(error=error), (*boards, _invalid(records, error)))
    results = results_of(history)
    of_hands = results
    if is_own:
        of_hands = results_of(history, [(score["stacks_before"], score["stacks"]) for score in records.hands])
    findings = [*boards, *_compare_hands(records, of_hands, is_own=is_own)]
    if results.error is not None:
        findings.append(_invalid(records, results.error))
    else:
        findings += _compare_ends(records, results, is_own=is_own)
    return ReplayedRound(records, history, results, tuple(findings))


def _invalid(records: RoundRecords, error: ScoringError) -> Finding:
    path = error.mistakes[0].path
    key = records.key if path[:1] != ("hands",) else {**records.key, "number": int(path[1]) + 1}
    table = "hands" if "number" in key else "round_heads"
    return Finding(FindingKind.CONTENT_UNPLAYABLE, table, key, detail=str(error))


def _compare_boards(records: RoundRecords) -> Iterator[Finding]:
    """Yield the hands whose packed boards differ from their content."""
    for record in records.hands:
        packed = None if record["id"] is None else pack_content(record)
        if packed != record["boards"]:
            detail = "the packed boards differ from the boards in the hand's content"
            key = {**records.key, "number": record["number"]}
            yield Finding(FindingKind.RECORD_DIFFERS, "hands", key, "boards", record["boards"], packed, detail)


def _compare_hands(records: RoundRecords, results: Results, *, is_own: bool) -> Iterator[Finding]:
    """Yield the differences in hands, up to the first invalid one."""
    columns = (*_OF_PLAYERS, *_OF_PAIRS, *_OF_SEATS, "transfers", *(("irregular",) if is_own else ()))
    stored = [record for record in records.hands if record["number"] in results.scores]
    expected = {number: {name: row[name] for name in columns} for number, row in results.scores.items()}
    yield from _compare(records, "hand_scores", stored, expected)


def _compare_ends(records: RoundRecords, results: Results, *, is_own: bool) -> Iterator[Finding]:
    """Yield the differences in the round as a whole."""
    assert results.played is not None
    payout = results.payout
    if payout is not None and not is_own:
        payout = {"transfers": payout["transfers"]}
    stored = [] if records.payout is None else [records.payout]
    yield from _compare(records, "payouts", stored, {} if payout is None else {(): payout})
    columns = [*(_OF_HEADS if is_own else ("status", "stacks"))]
    if is_own and records.is_open:
        columns.append("state")
    head = dump_round(results.played.round)
    yield from _compare(records, "round_heads", [records.head], {(): {name: head[name] for name in columns}})


def _compare(
    records: RoundRecords, table: str, stored: Iterable[Row], expected: Mapping[Any, Row]
) -> Iterator[Finding]:
    """Compare records of the newest revision."""
    place = (records.id,) if table == "round_heads" else (records.id, records.revision)
    by_key = {(*place, *(() if key == () else (key,))): row for key, row in expected.items()}
    yield from compare_records(records.head["club_id"], table, stored, by_key)


def show_by_seat(replayed: ReplayedRound, finding: Finding) -> tuple[Any, Any]:
    """Return the stored and the expected value of a finding by seat, if each seat has one, and transfers numbered."""
    history, column = replayed.history, finding.column
    if history is None or finding.table not in ("hand_scores", "payouts", "round_heads"):
        return finding.stored, finding.expected
    if column == "transfers":
        return _number(finding.stored), _number(finding.expected)
    seats = sorted(seat.seat for seat in history.seats)
    if column in _OF_PLAYERS and finding.hand is not None:
        seats = sorted(history.hands[finding.hand - 1].by_seat)
    elif column not in (*_OF_SEATS, "opening_stacks"):
        return finding.stored, finding.expected
    return _by_seat(seats, finding.stored), _by_seat(seats, finding.expected)


def _by_seat(seats: Sequence[int], figures: Sequence[Any] | None) -> Any:
    """Return figures by seat, or as they are if their number differs from that of the seats."""
    if figures is None or len(seats) != len(figures):
        return figures
    return {str(seat): figure for seat, figure in zip(seats, figures, strict=True)}


def _number(transfers: Sequence[PaidRow] | None) -> list[dict[str, Any]] | None:
    """Return transfers with their order."""
    if transfers is None:
        return None
    return [{"order": order, **transfer} for order, transfer in enumerate(transfers, 1)]


def _moved(head: Row, played: PlayedRound) -> dict[str, Points]:
    columns: Sequence[Sequence[Any]] = [head[name] for name in ("players", "stacks", "opening_stacks", "top_ups")]
    stored = {player: stack - opening - added for player, stack, opening, added in zip_longest(*columns, fillvalue=0)}
    nets = {seat.player: played.round.nets[seat.seat] for seat in played.round.seats}
    # A damaged head can have other players, or fewer names than stacks.
    moved = {player: nets.get(player, 0) - stored.get(player, 0) for player in (*nets, *stored) if player}
    return {player: points for player, points in moved.items() if points}


def _figures(seats: Sequence[int], players: Sequence[int], row: Row) -> list[int]:
    """Return the figures of a hand in the order of `Figures`."""
    listed: list[int] = []
    for name in _OF_PLAYERS:
        by_seat = dict(zip(players, row[name], strict=True))
        listed += [int(by_seat.get(seat, 0)) for seat in seats]
    listed += [*row["top_ups"], *row["stacks_before"], *row["stacks"]]
    pairs = pairs_of(len(seats))
    for name in _OF_PAIRS:
        listed += _filled(row[name], pairs)
    transfers = [figure for transfer in row["transfers"] for figure in _transfer_figures(transfer)]
    return [*listed, *_filled(transfers, pairs * len(TRANSFER_FIELDS))]


def _transfer_figures(paid: PaidRow) -> list[int]:
    return [LIMITS.index(paid[name]) if name == "limited_by" else paid[name] for name in TRANSFER_FIELDS]


def _filled(listed: Sequence[int], size: int) -> list[int]:
    return [*listed, *[0] * (size - len(listed))]


def _pack(figures: Sequence[int]) -> bytes:
    return np.array(figures, "<i8").tobytes()
