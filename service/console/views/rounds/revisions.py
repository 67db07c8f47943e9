"""The revisions of a round, and what differs between any two of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from werkzeug.wrappers import Response as BaseResponse

from schemas.base import Dumped
from schemas.corrections.comparisons import RoundComparison, dump_comparison
from schemas.pages import QuerySchema, RevisionField
from scoring.board import Row
from scoring.history import Closing
from scoring.round_state import RoundSeat
from scoring.settle_up import find_adjustment
from service.clubs.scopes import KeyScope
from service.console.views.addresses import read_known_query
from service.console.views.exports import send_list, wanted_form, wanted_part
from service.console.views.pages import console, console_page, render
from service.console.views.rounds import files
from service.console.views.rounds.reading import ReadRound, read_round
from service.corrections.actions.amend import snapshot_recorded
from service.http.authentication import current_transaction
from service.http.formats import format_signed
from service.players.actions import list_names
from service.rounds.actions.opening import view_round
from service.rounds.queries.records import get_records
from service.rounds.queries.revisions import list_made

_SIDES: Final = ("before", "after")


class ComparedQuerySchema(QuerySchema):
    """The two revisions to compare."""

    from_revision = RevisionField(data_key="from")
    to_revision = RevisionField(data_key="to")


@dataclass(frozen=True, slots=True)
class Changed:
    """A value that differs between two revisions, as the page shows it."""

    what: str
    before: Any
    after: Any


@console.get("/rounds/<uuid:round_id>/revisions")
@console_page(KeyScope.READ)
def show_revisions(round_id: UUID) -> str | BaseResponse:
    """
    Render the revisions of a round and the comparison of two: by default, of the two newest.

    Or send one of both as a file.
    """
    transaction = current_transaction()
    query = read_known_query(ComparedQuerySchema())
    newer = read_round(round_id, query["to_revision"])
    older = read_round(round_id, query["from_revision"] or max(1, newer.revision - 1))
    comparison = dump_comparison(
        RoundComparison(
            view=view_round(newer.stored),
            revision=newer.stored.revision,
            before=snapshot_recorded(get_records(transaction, round_id, older.revision), older.happened),
            after=snapshot_recorded(get_records(transaction, round_id, newer.revision), newer.happened),
            carried_over=(),
        )
    )
    hands = [_compare_hand(hand, older, newer) for hand in comparison["hands"]]
    revisions, changed = list_made(transaction, round_id), list(_changes_of_round(older, newer))
    payments = find_adjustment(*({each["player"]: each[side] or 0 for each in comparison["net"]} for side in _SIDES))
    form, part = wanted_form(), wanted_part(*files.REVISION_PARTS)
    if form is not None and part == "revisions":
        return send_list(f"revisions-{round_id}", form, files.REVISIONS, revisions)
    if form is not None:
        different = [hand for hand in hands if _differs(hand)]
        rows = files.list_differences(changed, comparison["net"], payments.payments, different)
        name = f"revisions-{round_id}-{older.revision}-{newer.revision}"
        return send_list(name, form, files.COMPARISON, rows)
    return render(
        "round_revisions.html",
        display_names=list_names(transaction, {*older.names.values(), *newer.names.values()}),
        read=newer,
        older=older.revision,
        newer=newer.revision,
        revisions=revisions,
        changed=changed,
        hands=[hand for hand in hands if _differs(hand)],
        only_stacks=[hand["number"] for hand in hands if not _differs(hand)],
        net=comparison["net"],
        payments=payments.payments,
        adjusts=next(each.adjusts for each in revisions if each.number == newer.revision) == older.revision,
    )


def _changes_of_round(older: ReadRound, newer: ReadRound) -> Iterator[Changed]:
    """Yield the differences of the round as a whole: rules, seats, departures and closing."""
    before, after = older.happened, newer.happened
    if before.ruleset != after.ruleset:
        yield Changed("Ruleset", str(before.ruleset), str(after.ruleset))
    if before.seats != after.seats:
        yield Changed("Players", *(_show_seats(each) for each in (before.seats, after.seats)))
    if before.departures != after.departures:
        yield Changed("Departures", *(_show_departures(each) for each in (older, newer)))
    if before.closed != after.closed:
        yield Changed("Closed early", *(_show_closing(each) for each in (before.closed, after.closed)))


def _show_closing(closed: Closing | None) -> str | None:
    return None if closed is None else f"after hand {closed.after_hand}: {closed.reason or 'the reason was erased'}"


def _show_seats(seats: Sequence[RoundSeat]) -> str:
    return ", ".join(f"seat {each.seat} {each.player} with {each.opening_stack}" for each in seats)


def _show_departures(read: ReadRound) -> str | None:
    left = (f"{read.names[each.seat]} after hand {each.after_hand}" for each in read.happened.departures)
    return ", ".join(left) or None


def _compare_hand(hand: Dumped, older: ReadRound, newer: ReadRound) -> Mapping[str, Any]:
    """Return the differences of a hand: what changed, and the cards of rows and the payments that differ."""
    before, after = hand["before"], hand["after"]
    if before is None or after is None:
        return {"number": hand["number"], "only_in": "newer" if before is None else "older", **_no_differences()}
    paid = _payments(before), _payments(after)
    return {
        "number": hand["number"],
        "only_in": None,
        "changed": [*_changes_of_hand(before, after), *_changed_reasons(hand["number"], older, newer)],
        "rows": list(_changed_rows(before, after)),
        "transfers": None if paid[0] == paid[1] else paid,
    }


def _differs(hand: Mapping[str, Any]) -> bool:
    """Return whether more than the stacks after a hand differs; these depend on earlier hands."""
    return bool(hand["only_in"] or hand["changed"] or hand["rows"] or hand["transfers"])


def _no_differences() -> Mapping[str, Any]:
    return {"changed": [], "rows": [], "transfers": None}


def _changes_of_hand(before: Dumped, after: Dumped) -> Iterator[Changed]:
    names = _names(before) | _names(after)
    if before["button"] != after["button"]:
        yield Changed("Button", f"seat {before['button']}", f"seat {after['button']}")
    for field, words in (
        ("points", "points before caps"),
        ("royalties", "royalties"),
        ("dealt_fantasyland", "cards dealt in Fantasyland"),
        ("fantasyland", "Fantasyland cards earned"),
        ("foul", "foul"),
    ):
        was, now = _by_player(before, field), _by_player(after, field)
        for seat in sorted({*was, *now}):
            if was.get(seat) != now.get(seat):
                yield Changed(f"{names[seat]}: {words}", *(_show(field, side.get(seat)) for side in (was, now)))


def _changed_reasons(number: int, older: ReadRound, newer: ReadRound) -> Iterator[Changed]:
    """Yield the reasons why a hand is irregular, if they differ."""
    hands = (read.find_hand(number) for read in (older, newer))
    before, after = ("; ".join(each.detail for each in hand.irregular) or None for hand in hands)
    if before != after:
        yield Changed("Why it is irregular", before, after)


def _show(field: str, value: Any) -> Any:
    """Return a value in words; None for a player who is not in the hand."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return format_signed(value) if field == "points" and value is not None else value


def _changed_rows(before: Dumped, after: Dumped) -> Iterator[Mapping[str, Any]]:
    """Yield the rows whose cards differ, however they are sorted."""
    was, now = _by_player(before, "board"), _by_player(after, "board")
    names = _names(before) | _names(after)
    for seat in sorted({*was, *now}):
        for row in Row:
            cards = [board.get(seat, {}).get(row.value, []) for board in (was, now)]
            if sorted(cards[0]) != sorted(cards[1]):
                yield {"player": names[seat], "row": row.value, "before": cards[0], "after": cards[1]}


def _payments(side: Dumped) -> Sequence[Mapping[str, Any]]:
    """Return the payments of a hand without the stacks, which depend on earlier hands."""
    names = _names(side)
    return [
        {
            "payer": names.get(each["payer"], f"seat {each['payer']}"),
            "payee": names.get(each["payee"], f"seat {each['payee']}"),
            "due": each["due"],
            "paid": each["paid"],
        }
        for each in side["transfers"]
    ]


def _names(side: Dumped) -> dict[int, str]:
    return {player["seat"]: player["player"] for player in side["players"]}


def _by_player(side: Dumped, field: str) -> dict[int, Any]:
    return {player["seat"]: player[field] for player in side["players"]}
