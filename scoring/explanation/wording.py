"""All sentences of explanations."""

from collections.abc import Iterable, Mapping
from typing import Final

from scoring.board import Row
from scoring.cards import Card
from scoring.description import describe, describe_made, name_rank
from scoring.explanation.decisions import DecidedBy, Decision
from scoring.foul import FoulReason
from scoring.hand import Cards, Seat
from scoring.round_state import RoundStatus
from scoring.ruleset import Points, Ruleset, StakesScope, WinLimit
from scoring.settlement import LimitedBy, Transfer
from scoring.strength import Strength

Names = Mapping[Seat, str]

_SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_PLURAL: Final = ("two pair", "three ", "four ")
_PLACES: Final = {Row.TOP: "on top", Row.MIDDLE: "in the middle", Row.BOTTOM: "at the bottom"}
_STRETCHES: Final = {
    StakesScope.HAND: "the hand",
    StakesScope.FANTASYLAND: "the Fantasyland sequence",
    StakesScope.ROUND: "the round",
}


def show_suits(cards: Iterable[Card]) -> str:
    """
    Format cards with suit symbols.

    >>> from scoring.cards import parse_cards
    >>> show_suits(parse_cards("QsTd4c"))
    'Q♠ T♦ 4♣'
    """
    return " ".join(str(card)[0] + _SUITS[card.suit] for card in cards)


def show_signed(points: Points) -> str:
    """
    Format points with their sign.

    >>> show_signed(4), show_signed(-4), show_signed(0)
    ('+4', '−4', '0')
    """
    return f"+{points}" if points > 0 else f"−{-points}" if points else "0"


def count(number: int, word: str) -> str:
    """
    Format a number with a noun in singular or plural.

    >>> count(1, "point"), count(3, "card")
    ('1 point', '3 cards')
    """
    return f"{number} {word}" + ("" if number == 1 else "s")


def describe_comparison(
    winner: str, row: Strength, loser: str, other: Strength, decision: Decision, *, as_low: bool = False
) -> str:
    """
    Describe which cards let one row beat another, or that neither does.

    >>> from scoring.board import Board
    >>> from scoring.explanation.decisions import find_decision
    >>> ann, ben = Board.of("QsQdKc", "2s3s4s5s7s", "6c6d6h8c8d"), Board.of("QcQhJs", "AhKhJd9d7d", "6s9c9h9sTc")
    >>> for row in (Row.TOP, Row.MIDDLE):
    ...     decision = find_decision(ann.rows[row], ben.rows[row])
    ...     print(describe_comparison("ann", ann.strengths[row], "ben", ben.strengths[row], decision))
    both a pair of queens; ann's king beats ben's jack: K♣ against J♠
    ann's flush beats ben's ace high: 2♠ 3♠ 4♠ 5♠ 7♠ against A♥
    """
    label, other_label = describe_made(row, as_low=as_low), describe_made(other, as_low=as_low)
    if decision.by is DecidedBy.NOTHING:
        return f"both {_article(label)}{describe(row, as_low=as_low)}: equal, whatever the suits"
    against = f"{show_suits(decision.first)} against {show_suits(decision.second)}"
    if label == other_label:
        high, low = name_rank(decision.first[0].rank), name_rank(decision.second[0].rank)
        return f"both {_article(label)}{label}; {winner}'s {high} beats {loser}'s {low}: {against}"
    comma = "," if "," in label else ""
    verb = "is lower than" if as_low else "beat" if label.startswith(_PLURAL) else "beats"
    return f"{winner}'s {label}{comma} {verb} {loser}'s {other_label}: {against}"


def describe_foul(reason: FoulReason, row: Strength, other: Strength | None, decision: Decision) -> str:
    """Describe which rows are out of order, and by which cards."""
    if other is None:
        label = describe_made(row)
        why = "only ten high or lower does, without a pair, a straight or a flush"
        return (
            f"foul: the middle, {_article(label)}{label}, does not qualify as a low:"
            f" {show_suits(decision.first)}; {why}"
        )
    upper, lower = (f"the {name}" for name in reason.value.split("_beats_"))
    return f"foul: {describe_comparison(upper, row, lower, other, decision)}"


def describe_royalty(row: Row, strength: Strength, points: Points, cards: Cards, *, as_low: bool) -> str:
    """Describe the royalty of a row."""
    label = describe_made(strength, as_low=as_low)
    comma = "," if "," in label else ""
    return f"{count(points, 'point')} for {_article(label)}{label}{comma} {_PLACES[row]}: {show_suits(cards)}"


def describe_royalty_paid(payee: str, payer: str, royalty: str) -> str:
    """Describe who pays a royalty to whom."""
    return f"{payer} pays {payee}'s royalty: {royalty}"


def describe_bonus(winner: str, rows: int, *, is_scoop: bool) -> str:
    """Describe a bonus."""
    return f"{winner} wins all three rows, a scoop" if is_scoop else f"{winner} wins {rows} of the three rows"


def describe_foul_penalty(fouls: list[str], winner: str | None) -> str:
    """Describe who pays the penalty for a foul, or that nobody does."""
    if winner is None:
        return "both boards are foul; neither pays the other anything"
    return f"{fouls[0]}'s board is foul and {winner}'s is not; the rows are not compared"


def describe_entered(cards: int, row_cards: Iterable[tuple[Row, Cards]], entry: str | None) -> str:
    """
    Describe how a board enters Fantasyland, and which entry of the ruleset its top row reaches.

    >>> from scoring.cards import parse_cards
    >>> describe_entered(14, [(Row.TOP, parse_cards("KsKd"))], "QQ")
    'enters Fantasyland with 14 cards: K♠ K♦ on top (at least QQ)'
    """
    least = {Row.TOP: f" (at least {'three of a kind' if entry == 'trips' else entry})"}
    places = " and ".join(f"{_place(row, cards)}{least.get(row, '')}" for row, cards in row_cards)
    return f"enters Fantasyland with {cards} cards: {places}"


def describe_stayed(cards: int, row_cards: Iterable[tuple[Row, Cards]]) -> str:
    """Describe how a board stays in Fantasyland."""
    return f"stays in Fantasyland with {cards} cards: {_places(row_cards)}"


def describe_left(ruleset: Ruleset, row_cards: list[tuple[Row, Cards]]) -> str:
    """Describe why a good board in Fantasyland does not stay."""
    if row_cards:
        limit = ruleset.fantasyland.stay_limit
        most = "once" if limit == 1 else f"{limit} times"
        return f"leaves Fantasyland: {_places(row_cards)} would stay, but nobody stays more than {most} in a row"
    conditions = [
        f"{condition.label.replace('_', ' ')} {_PLACES[row]}"
        for row, condition in ruleset.fantasyland.stay.items()
        if condition is not None
    ]
    *others, last = conditions or [""]
    needed = f"{', '.join(others)} or {last}" if others else last
    return "leaves Fantasyland: no row is strong enough" + (f"; it takes {needed}, or better" if needed else "")


def describe_lost(*, is_busted: bool) -> str:
    """Describe why earned Fantasyland is not dealt."""
    return "; it is lost, for no points are left" if is_busted else "; it is void, for the round ends"


def describe_total(first: str, second: str, before: Points, points: Points) -> str:
    """Describe how a pair's points add up over the round."""
    before_it, after = show_signed(before), show_signed(before + points)
    return f"{first} against {second}: {before_it} before this hand, {show_signed(points)} in it, {after} in all"


def describe_payment(
    transfer: Transfer, names: Names, ruleset: Ruleset, opened: Points | None, room: Points | None
) -> str:
    """Describe who paid whom, what limited the payment, and the stacks after it."""
    payer, payee = names[transfer.payer], names[transfer.payee]
    payer_had, payee_had = transfer.payer_stack + transfer.paid, transfer.payee_stack - transfer.paid
    stacks = f"{payer} {payer_had} → {transfer.payer_stack}, {payee} {payee_had} → {transfer.payee_stack}"
    if transfer.limited_by is None:
        return f"{payer} pays {transfer.paid} to {payee}, all that is due: {stacks}"
    if transfer.limited_by is LimitedBy.PAYER_STACK:
        why = f"{payer} has only {payer_had} left" if payer_had else f"{payer} has nothing left"
    elif ruleset.stakes.win_limit is WinLimit.STACK:
        why = f"{payee} has a stack of {payee_had} and can win {f'at most {payee_had}' if payee_had else 'nothing'}"
    else:
        opened_with = f"{payee} opened {_STRETCHES[ruleset.stakes.scope]} with {opened}"
        why = f"{opened_with} and has {payee_had}, so can win {f'at most {room} more' if room else 'no more'}"
    paid = f"{payer} pays {transfer.paid} of {transfer.due} to {payee}"
    return f"{paid}: {why}; without the cap {payer} would pay {transfer.due}: {stacks}"


def describe_top_up(name: str, points: Points) -> str:
    """Describe a top-up."""
    return f"{name} adds {count(points, 'point')} before the hand"


def describe_irregular(detail: str) -> str:
    """Describe why a hand accepted as played does not follow the hands before it."""
    return f"the hand is accepted as played, although {detail}"


def describe_nothing_paid(*, is_later: bool) -> str:
    """Describe why nothing is paid."""
    return "nothing is paid before the round ends" if is_later else "no payments"


def describe_when_paid(status: RoundStatus | None, *, is_late: bool) -> str:
    """Describe what is paid now under scope `round`; without a status, for a single hand."""
    if status is None:
        return "paid as if the round ended here: every pair's points of the round, in order"
    how = "was closed" if status is RoundStatus.CLOSED else "ended as players left" if is_late else "is complete"
    return f"the round {how}: every pair's points of the whole round are paid, in order"


def _places(row_cards: Iterable[tuple[Row, Cards]]) -> str:
    return " and ".join(_place(row, cards) for row, cards in row_cards)


def _place(row: Row, cards: Cards) -> str:
    return f"{show_suits(cards)} {_PLACES[row]}"


def _article(label: str) -> str:
    """
    Return the article of a description, if it has one.

    >>> _article("pair of queens"), _article("ace high"), _article("eight-six-four-three-deuce low")
    ('a ', '', 'an ')
    """
    if label.endswith(" low"):
        return "an " if label.startswith("eight") else "a "
    return "a " if label.startswith(("pair", "straight", "flush", "full", "royal")) else ""
