"""Explanations of a hand, encoded as JSON and rendered as plain text."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from schemas.base import Dumped
from schemas.explanations.explanations import ExplanationView
from schemas.settlements import dump_transfer
from scoring.board import Row
from scoring.cards import Card
from scoring.explanation.reasons import (
    ExplainedBoard,
    ExplainedExchange,
    ExplainedFantasyland,
    ExplainedFoul,
    ExplainedHand,
    ExplainedPayment,
    ExplainedStack,
    ExplainedTotal,
    Reason,
    Remark,
    Royalty,
)
from scoring.explanation.wording import show_signed, show_suits
from scoring.hand import Cards
from scoring.phrase import Phrase, join_phrases


def dump_explanation_view(view: ExplanationView) -> Dumped:
    """Encode the explanation of a recorded hand."""
    return {
        "hand": view.hand,
        "round": view.round,
        "revision": view.revision,
        "in_force": view.in_force,
        **dump_explanation(view.explained),
    }


def dump_explanation(explained: ExplainedHand) -> Dumped:
    """Encode an explanation; payments and stacks are null if they are not known."""
    payments, stacks = explained.payments, explained.stacks
    return {
        "number": explained.number,
        "button": explained.button,
        "ruleset": str(explained.ruleset),
        "remarks": [_dump_remark(remark) for remark in explained.remarks],
        "players": [dump_board(board, explained.names[board.seat]) for board in explained.boards],
        "exchanges": [_dump_exchange(exchange) for exchange in explained.exchanges],
        "totals": [_dump_total(total) for total in explained.totals],
        "payments": None if payments is None else [_dump_payment(payment) for payment in payments],
        "payment_remark": _dump_remark(explained.payment_remark) if explained.payment_remark else None,
        "stacks": None if stacks is None else [_dump_stack(stack, explained.names[stack.seat]) for stack in stacks],
    }


def _dump_remark(remark: Remark) -> Dumped:
    return {"text": remark.text, "rule": remark.rule.value}


def _dump_exchange(exchange: ExplainedExchange) -> Dumped:
    return {
        "seats": [exchange.first, exchange.second],
        "points": exchange.points,
        "reasons": [_dump_reason(reason) for reason in exchange.reasons],
    }


def _dump_reason(reason: Reason) -> Dumped:
    return {
        "part": reason.part.value,
        "points": reason.points,
        "seat": reason.seat,
        "row": reason.row.value if reason.row else None,
        "first": dump_deciding_cards(reason.first),
        "second": dump_deciding_cards(reason.second),
        "text": reason.text,
        "rule": reason.rule.value,
    }


def _dump_total(total: ExplainedTotal) -> Dumped:
    return {
        "seats": [total.first, total.second],
        "before": total.before,
        "points": total.points,
        "after": total.after,
        "text": total.text,
        "rule": total.rule.value,
    }


def _dump_payment(payment: ExplainedPayment) -> Dumped:
    return {
        **dump_transfer(payment.transfer),
        "payer_had": payment.payer_had,
        "payee_had": payment.payee_had,
        "payee_opened": payment.payee_opened,
        "room": payment.room,
        "cut_off": payment.cut_off,
        "late": payment.is_late,
        "text": payment.text,
        "rule": payment.rule.value,
    }


def _dump_stack(stack: ExplainedStack, player: str) -> Dumped:
    return {
        "seat": stack.seat,
        "player": player,
        "before": stack.before,
        "due": stack.due,
        "paid": stack.paid,
        "after": stack.after,
    }


def dump_board(board: ExplainedBoard, player: str) -> Dumped:
    """Encode a player's board."""
    royalties = {royalty.row: royalty for royalty in board.royalties}
    return {
        "seat": board.seat,
        "player": player,
        "points": board.points,
        "royalties": board.royalty_points,
        "foul": _dump_foul(board.foul) if board.foul else None,
        "fantasyland": _dump_fantasyland(board.fantasyland) if board.fantasyland else None,
        "rows": {
            row.value: {
                "cards": dump_deciding_cards(cards),
                "description": board.descriptions[row],
                "royalty": _dump_royalty(royalties[row]) if row in royalties else None,
            }
            for row, cards in board.cards.items()
        },
    }


def _dump_royalty(royalty: Royalty) -> Dumped:
    return {
        "made": royalty.name,
        "points": royalty.points,
        "cards": dump_deciding_cards(royalty.cards),
        "text": royalty.text,
        "rule": royalty.rule.value,
    }


def _dump_foul(foul: ExplainedFoul) -> Dumped:
    return {
        "reason": foul.reason.value,
        "rows": [row.value for row in foul.rows],
        "cards": [dump_deciding_cards(cards) for cards in foul.cards],
        "text": foul.text,
        "rule": foul.rule.value,
    }


def _dump_fantasyland(fantasyland: ExplainedFantasyland) -> Dumped:
    return {
        "dealt": fantasyland.dealt,
        "earned": fantasyland.earned,
        "lost": fantasyland.is_lost,
        "rows": [row.value for row in fantasyland.rows],
        "cards": [dump_deciding_cards(cards) for cards in fantasyland.cards],
        "text": fantasyland.text,
        "rule": fantasyland.rule.value,
    }


def dump_deciding_cards(cards: Cards) -> list[str]:
    """Encode the cards that decide a result."""
    return [str(card) for card in cards]


Document = Mapping[str, Any]
_CARDS_WIDTH: Final = 14


def render_explanation(explanation: Document) -> str:
    """Render an encoded explanation as plain text."""
    return "\n".join(_lines(explanation)) + "\n"


def format_heading(explanation: Document) -> str:
    """
    Return the heading of a hand.

    >>> format_heading({"number": 2, "button": None, "ruleset": "pineapple@1"})
    'Hand 2 · pineapple@1'
    """
    return join_phrases(" · ", _list_heading(explanation))


def _list_heading(explanation: Document) -> Iterator[str]:
    number, button = explanation["number"], explanation["button"]
    yield Phrase("Hand %(number)s", number=number) if number else Phrase("Hand")
    yield explanation["ruleset"]
    if button is not None:
        yield Phrase("button %(player)s", player=show_names(explanation).get(button, f"seat {button}"))
    if explanation.get("revision"):
        yield Phrase("revision %(revision)s", revision=explanation["revision"])
    if not explanation.get("in_force", True):
        yield Phrase("undone or corrected: it does not count")


def show_names(explanation: Document) -> dict[int, str]:
    """Return the players' names by seat, for the whole round if its stacks are known."""
    everyone = [*(explanation["stacks"] or ()), *explanation["players"]]
    return {each["seat"]: each["player"] for each in everyone}


def _lines(explanation: Document) -> Iterator[str]:
    yield format_heading(explanation)
    for remark in explanation["remarks"]:
        yield _cited(remark)
    yield ""
    yield "Boards"
    for player in explanation["players"]:
        yield from _board(player)
    yield ""
    yield "Head-to-head (points for the first player)"
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
    yield f"  {format_seat(player)}: {_points(player['points'])}{royalties}"
    for row in Row:
        scored = player["rows"][row.value]
        cards = show_suits(map(Card.parse, scored["cards"]))
        yield f"    {row.value:6}  {cards:{_CARDS_WIDTH}}  {scored['description']}"
        if scored["royalty"]:
            yield f"            {_cited(scored['royalty'])}"
    for special in (player["foul"], player["fantasyland"]):
        if special:
            yield f"    {_cited(special)}"


def format_seat(player: Document) -> str:
    """
    Return a player's name and seat, or the seat alone if the player is not known.

    >>> format_seat({"player": "ann", "seat": 1}), format_seat({"player": "seat 2", "seat": 2})
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


def _cited(reason: Document) -> str:
    """Return a sentence with the heading of its rule."""
    return f"{reason['text']}  [{reason['rule']}]"
