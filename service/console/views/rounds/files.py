"""The tables of a round, a hand and the revisions as files: which parts there are, and their columns."""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final

from schemas.fields import show_time
from schemas.money import load_unit, show_decimal
from scoring.settle_up import Payment
from service.console.views.exports import Column
from service.console.views.rounds.reading import ReadRound
from service.rounds.queries.revisions import MadeRevision
from service.rounds.queries.stored_round import StoredRound

Row = Mapping[str, Any]
ROUND_PARTS: Final = ("hands", "standings", "payments", "adjustment")
HAND_PARTS: Final = ("payments", "points", "stacks", "boards", "reasons")
REVISION_PARTS: Final = ("revisions", "comparison")


def _columns(*names: str) -> Sequence[Column[Row]]:
    return tuple(Column(name, itemgetter(name), is_decimal=name in ("amount", "charge")) for name in names)


STANDINGS: Final = _columns(
    *("place", "seat", "player", "opening_stack", "top_ups", "stack", "points", "amount", "unit", "charge"),
    "confirmed",
)
PAYMENTS: Final = _columns("payer", "payee", "points", "amount", "unit")
HAND_PAYMENTS: Final = _columns(
    "order",
    "payer",
    "payee",
    "due",
    "paid",
    "cut_off",
    "payer_had",
    "payer_stack",
    "payee_had",
    "payee_stack",
    "late",
    "text",
    "rule",
)
HAND_POINTS: Final = _columns("player", "opponent", "points")
HAND_STACKS: Final = _columns("player", "before", "paid", "after", "due")
HAND_BOARDS: Final = _columns("seat", "player", "row", "cards", "description", "royalty")
HAND_REASONS: Final = _columns("about", "part", "points", "text", "rule")
COMPARISON: Final = _columns("hand", "what", "before", "after")
REVISIONS: Final[Sequence[Column[MadeRevision]]] = (
    Column("revision", lambda revision: revision.number),
    Column("created_at", lambda revision: show_time(revision.created_at)),
    Column("author", lambda revision: revision.author),
    Column("ruleset", lambda revision: revision.ruleset),
    Column("reason", lambda revision: revision.reason),
    Column("corrects_final_revision", lambda revision: revision.adjusts),
    Column("dispute", lambda revision: revision.dispute and str(revision.dispute)),
)


def value_of(stored: StoredRound, points: int) -> Row:
    """Return the value of points as a decimal number with its unit; None for both if points have no value."""
    if stored.point_value is None or stored.unit is None:
        return {"amount": None, "unit": None}
    return {"amount": show_decimal(points * stored.point_value, stored.unit), "unit": stored.unit.code}


def list_standings(read: ReadRound, settlement: Row) -> Iterator[Row]:
    """Yield the standings of a round, as its page shows them."""
    opened_with = {seat.seat: seat.opening_stack for seat in read.happened.seats}
    for standing in settlement["standings"]:
        seat = standing["seat"]
        yield {
            "place": standing["place"],
            "seat": seat,
            "player": read.names[seat],
            "opening_stack": opened_with[seat],
            "top_ups": read.top_ups[seat],
            "stack": settlement["stacks"][str(seat)],
            "points": standing["net"],
            "charge": _charge_of(settlement["standing_charge"], seat),
            "confirmed": seat in settlement["confirmed"],
            **value_of(read.stored, standing["net"]),
        }


def _charge_of(charge: Row | None, seat: int) -> str | None:
    """Return what a player owes by a standing charge as a decimal number; None without one."""
    if charge is None:
        return None
    amount, unit = charge["charged"][str(seat)], load_unit(charge["unit"], charge["unit_digits"])
    return str(amount) if unit is None else show_decimal(amount, unit)


def list_payments(stored: StoredRound, payments: Sequence[Payment]) -> Iterator[Row]:
    """Yield the payments that settle a round."""
    for each in payments:
        yield {"payer": each.payer, "payee": each.payee, "points": each.amount, **value_of(stored, each.amount)}


def list_adjustment(stored: StoredRound, settlement: Row) -> Iterator[Row]:
    """Yield the payments of the adjustment of a final settlement, if there is one."""
    for each in (settlement.get("adjustment") or {"transfers": ()})["transfers"]:
        yield {**each, **value_of(stored, each["points"])}


def list_hand_payments(explanation: Row, names: Mapping[int, str]) -> Iterator[Row]:
    """Yield the payments of a hand in order."""
    for each in explanation["payments"] or ():
        yield {**each, "payer": names[each["payer"]], "payee": names[each["payee"]]}


def list_points(points: Mapping[tuple[int, int], int], names: Mapping[int, str]) -> Iterator[Row]:
    """Yield the points of each player against each other one."""
    for (seat, other), value in points.items():
        yield {"player": names[seat], "opponent": names[other], "points": value}


def list_boards(explanation: Row) -> Iterator[Row]:
    """Yield the rows of each board."""
    for player in explanation["players"]:
        for row, shown in player["rows"].items():
            yield {
                "seat": player["seat"],
                "player": player["player"],
                "row": row,
                "cards": " ".join(shown["cards"]),
                "description": shown["description"],
                "royalty": shown["royalty"]["points"] if shown["royalty"] else 0,
            }


def list_reasons(explanation: Row, names: Mapping[int, str]) -> Iterator[Row]:
    """Yield why each point: of pairs of players, of boards, and of what was added up over the round."""
    for exchange in explanation["exchanges"]:
        for reason in exchange["reasons"]:
            yield _reason(" – ".join(names[seat] for seat in exchange["seats"]), reason, reason["part"])
    for player in explanation["players"]:
        for row, shown in player["rows"].items():
            if shown["royalty"]:
                yield _reason(player["player"], shown["royalty"], f"royalty of the {row} row")
        for part in ("foul", "fantasyland"):
            if player[part]:
                yield _reason(player["player"], player[part], part)
    for total in explanation["totals"]:
        yield _reason(" – ".join(names[seat] for seat in total["seats"]), total, "total")


def _reason(about: str, reason: Row, part: str) -> Row:
    return {
        "about": about,
        "part": part,
        "points": reason.get("points"),
        "text": reason["text"],
        "rule": reason["rule"],
    }


def list_differences(
    changed: Sequence[Any], net: Sequence[Row], payments: Sequence[Payment], hands: Sequence[Row]
) -> Iterator[Row]:
    """Yield what differs between two revisions: of the round, of the net points, to pay, and of each hand."""
    for each in changed:
        yield {"hand": None, "what": each.what, "before": each.before, "after": each.after}
    for each in net:
        yield {"hand": None, "what": f"{each['player']}: net points", "before": each["before"], "after": each["after"]}
    for paid in payments:
        what = f"{paid.payer} pays {paid.payee}, points"
        yield {"hand": None, "what": what, "before": None, "after": paid.amount}
    for hand in hands:
        number = hand["number"]
        if hand["only_in"]:
            recorded = ("recorded", None) if hand["only_in"] == "older" else (None, "recorded")
            yield {"hand": number, "what": "hand", "before": recorded[0], "after": recorded[1]}
        for row in hand["rows"]:
            sides = (" ".join(row[side]) or None for side in ("before", "after"))
            yield {"hand": number, "what": f"{row['player']}: {row['row']} row", **_sides(*sides)}
        for each in hand["changed"]:
            yield {"hand": number, "what": each.what, **_sides(each.before, each.after)}
        if hand["transfers"]:
            yield {"hand": number, "what": "payments", **_sides(*map(_show_payments, hand["transfers"]))}


def _sides(before: Any, after: Any) -> Row:
    return {"before": before, "after": after}


def _show_payments(transfers: Sequence[Row]) -> str | None:
    shown = (f"{each['payer']} pays {each['payee']} {each['paid']} of {each['due']}" for each in transfers)
    return "; ".join(shown) or None
