"""Explanations as plain text."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from scoring.board import Row
from scoring.cards import Card
from scoring.explanation.wording import show_signed, show_suits

Document = Mapping[str, Any]

_CARDS_WIDTH: Final = 14


def write_explanation(explanation: Document) -> str:
    """Write an explanation, as it is on the wire, in lines for a terminal or a letter."""
    return "\n".join(_lines(explanation)) + "\n"


def say_heading(explanation: Document) -> str:
    """
    Name the hand.

    >>> say_heading({"number": 2, "button": None, "ruleset": "pineapple@1"})
    'Hand 2 · pineapple@1'
    """
    parts = [f"Hand {explanation['number']}" if explanation["number"] else "Hand", explanation["ruleset"]]
    button = explanation["button"]
    if button is not None:
        parts.append(f"button {show_names(explanation).get(button, f'seat {button}')}")
    if explanation.get("revision"):
        parts.append(f"revision {explanation['revision']}")
    if not explanation.get("in_force", True):
        parts.append("undone or corrected: it does not count")
    return " · ".join(parts)


def show_names(explanation: Document) -> dict[int, str]:
    """Call players by their seats, everyone of the round where that is known."""
    everyone = [*(explanation["stacks"] or ()), *explanation["players"]]
    return {each["seat"]: each["player"] for each in everyone}


def _lines(explanation: Document) -> Iterator[str]:
    yield say_heading(explanation)
    for remark in explanation["remarks"]:
        yield _cited(remark)
    yield ""
    yield "Boards"
    for player in explanation["players"]:
        yield from _board(player)
    yield ""
    yield "Pairs, signed from the first one's side"
    names = show_names(explanation)
    for exchange in explanation["exchanges"]:
        yield from _exchange(exchange, names)
    if explanation["totals"]:
        yield ""
        yield "Added up over the round"
        for total in explanation["totals"]:
            yield f"  {_cited(total)}"
    if explanation["payments"] is not None:
        yield from _payments(explanation)


def _board(player: Document) -> Iterator[str]:
    royalties = f", royalties {player['royalties']}" if player["royalties"] else ""
    yield f"  {say_seat(player)}: {_points(player['points'])}{royalties}"
    for row in Row:
        scored = player["rows"][row.value]
        cards = show_suits(map(Card.parse, scored["cards"]))
        yield f"    {row.value:6}  {cards:{_CARDS_WIDTH}}  {scored['description']}"
        if scored["royalty"]:
            yield f"            {_cited(scored['royalty'])}"
    for special in (player["foul"], player["fantasyland"]):
        if special:
            yield f"    {_cited(special)}"


def say_seat(player: Document) -> str:
    """
    Name a player and his seat, the seat alone where nobody said who sits there.

    >>> say_seat({"player": "ann", "seat": 1}), say_seat({"player": "seat 2", "seat": 2})
    ('ann, seat 1', 'seat 2')
    """
    seat = f"seat {player['seat']}"
    return seat if player["player"] == seat else f"{player['player']}, {seat}"


def _exchange(exchange: Document, names: Mapping[int, str]) -> Iterator[str]:
    first, second = (names[seat] for seat in exchange["seats"])
    yield f"  {first} against {second}: {_points(exchange['points'])}"
    for reason in exchange["reasons"]:
        yield f"    {show_signed(reason['points']):>4}  {reason['part']:8}  {_cited(reason)}"


def _payments(explanation: Document) -> Iterator[str]:
    yield ""
    yield "Payments"
    if explanation["payment_remark"]:
        yield f"  {_cited(explanation['payment_remark'])}"
    for payment in explanation["payments"]:
        yield f"  {payment['order']}. {_cited(payment)}"
    yield ""
    yield "Stacks"
    for stack in explanation["stacks"]:
        without = f", without caps {show_signed(stack['due'])}" if stack["due"] != stack["paid"] else ""
        yield f"  {stack['player']}: {stack['before']} → {stack['after']}, {show_signed(stack['paid'])}{without}"


def _points(points: int) -> str:
    return f"{show_signed(points)} {'point' if abs(points) == 1 else 'points'}"


def _cited(said: Document) -> str:
    """Write a sentence and the rule that says so."""
    return f"{said['text']}  [{said['rule']}]"
