"""All sentences of explanations."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Final

from scoring.board import Row
from scoring.cards import Card
from scoring.description import describe, describe_made, phrase_rank
from scoring.explanation.decisions import DecidedBy, Decision
from scoring.foul import FoulReason
from scoring.hand import Cards, Seat
from scoring.phrase import Phrase, join_phrases
from scoring.round_state import RoundStatus
from scoring.ruleset import Points, Ruleset, StakesScope, WinLimit
from scoring.settlement import LimitedBy, Transfer
from scoring.strength import Category, Strength

Names = Mapping[Seat, str]

_SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
_PLURAL: Final = ("two pair", "three ", "four ")
_PLACES: Final = {
    Row.TOP: Phrase("on top"),
    Row.MIDDLE: Phrase("in the middle"),
    Row.BOTTOM: Phrase("at the bottom"),
}
_ROWS: Final = {"top": Phrase("the top"), "middle": Phrase("the middle"), "bottom": Phrase("the bottom")}
_STRETCHES: Final = {
    StakesScope.HAND: Phrase("the hand"),
    StakesScope.FANTASYLAND: Phrase("the Fantasyland sequence"),
    StakesScope.ROUND: Phrase("the round"),
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


def count_points(number: int) -> Phrase:
    """
    Format a number of points.

    >>> count_points(1), count_points(3)
    ('1 point', '3 points')
    """
    return Phrase.with_number("%(count)s point", "%(count)s points", number)


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
        hand = _add_article(label, describe(row, as_low=as_low))
        return Phrase("both %(hand)s: equal, whatever the suits", hand=hand)
    first, second = show_suits(decision.first), show_suits(decision.second)
    values: dict[str, str | int] = {
        "winner": winner,
        "loser": loser,
        "cards": Phrase("%(one)s against %(other)s", one=first, other=second),
    }
    if label == other_label:
        return Phrase(
            "both %(hand)s; %(winner)s's %(high)s beats %(loser)s's %(low)s: %(cards)s",
            hand=_add_article(label, label),
            high=phrase_rank(decision.first[0].rank),
            low=phrase_rank(decision.second[0].rank),
            **values,
        )
    values |= {"hand": _add_comma(label), "other": other_label}
    if as_low:
        return Phrase("%(winner)s's %(hand)s is lower than %(loser)s's %(other)s: %(cards)s", **values)
    if label.startswith(_PLURAL):
        return Phrase("%(winner)s's %(hand)s beat %(loser)s's %(other)s: %(cards)s", **values)
    return Phrase("%(winner)s's %(hand)s beats %(loser)s's %(other)s: %(cards)s", **values)


def describe_foul(reason: FoulReason, row: Strength, other: Strength | None, decision: Decision) -> str:
    """Describe which rows are out of order, and by which cards."""
    if other is None:
        label = describe_made(row)
        return Phrase(
            "foul: the middle, %(hand)s, does not qualify as a low: %(cards)s; only ten high or lower does, without a"
            " pair, a straight or a flush",
            hand=_add_article(label, label),
            cards=show_suits(decision.first),
        )
    upper, lower = (_ROWS[name] for name in reason.value.split("_beats_"))
    return Phrase("foul: %(comparison)s", comparison=describe_comparison(upper, row, lower, other, decision))


def describe_royalty(row: Row, strength: Strength, points: Points, cards: Cards, *, as_low: bool) -> str:
    """Describe the royalty of a row."""
    label = describe_made(strength, as_low=as_low)
    return Phrase(
        "%(points)s for %(hand)s %(place)s: %(cards)s",
        points=count_points(points),
        hand=_add_article(label, _add_comma(label)),
        place=_PLACES[row],
        cards=show_suits(cards),
    )


def describe_royalty_paid(payee: str, payer: str, royalty: str) -> str:
    """Describe who pays a royalty to whom."""
    return Phrase("%(payer)s pays %(payee)s's royalty: %(royalty)s", payer=payer, payee=payee, royalty=royalty)


def describe_bonus(winner: str, rows: int, *, is_scoop: bool) -> str:
    """Describe a bonus."""
    if is_scoop:
        return Phrase("%(winner)s wins all three rows, a scoop", winner=winner)
    return Phrase("%(winner)s wins %(rows)s of the three rows", winner=winner, rows=rows)


def describe_foul_penalty(fouls: list[str], winner: str | None) -> str:
    """Describe who pays the penalty for a foul, or that nobody does."""
    if winner is None:
        return Phrase("both boards are foul; neither pays the other anything")
    return Phrase(
        "%(loser)s's board is foul and %(winner)s's is not; the rows are not compared", loser=fouls[0], winner=winner
    )


def describe_entered(cards: int, row_cards: Iterable[tuple[Row, Cards]], entry: str | None) -> str:
    """
    Describe how a board enters Fantasyland, and which entry of the ruleset its top row reaches.

    >>> from scoring.cards import parse_cards
    >>> describe_entered(14, [(Row.TOP, parse_cards("KsKd"))], "QQ")
    'enters Fantasyland with 14 cards: K♠ K♦ on top (at least QQ)'
    """
    least = Phrase.in_context("category", "three of a kind") if entry == "trips" else str(entry)
    places = [
        Phrase("%(place)s (at least %(hand)s)", place=_place(row, placed), hand=least)
        if row is Row.TOP
        else _place(row, placed)
        for row, placed in row_cards
    ]
    return Phrase.with_number(
        "enters Fantasyland with %(count)s card: %(places)s",
        "enters Fantasyland with %(count)s cards: %(places)s",
        cards,
        places=_enumerate(places),
    )


def describe_stayed(cards: int, row_cards: Iterable[tuple[Row, Cards]]) -> str:
    """Describe how a board stays in Fantasyland."""
    return Phrase.with_number(
        "stays in Fantasyland with %(count)s card: %(places)s",
        "stays in Fantasyland with %(count)s cards: %(places)s",
        cards,
        places=_places(row_cards),
    )


def describe_left(ruleset: Ruleset, row_cards: list[tuple[Row, Cards]]) -> str:
    """Describe why a good board in Fantasyland does not stay."""
    if row_cards:
        limit = ruleset.fantasyland.stay_limit
        if limit == 1:
            most: str = Phrase("once")
        else:
            most = Phrase.with_number("%(count)s time", "%(count)s times", limit or 0)
        return Phrase(
            "leaves Fantasyland: %(places)s would stay, but nobody stays more than %(most)s in a row",
            places=_places(row_cards),
            most=most,
        )
    conditions = [
        Phrase("%(hand)s %(place)s", hand=_category(condition), place=_PLACES[row])
        for row, condition in ruleset.fantasyland.stay.items()
        if condition is not None
    ]
    if not conditions:
        return Phrase("leaves Fantasyland: no row is strong enough")
    *others, last = conditions
    needed = Phrase("%(others)s or %(last)s", others=join_phrases(", ", others), last=last) if others else last
    return Phrase("leaves Fantasyland: no row is strong enough; it takes %(needed)s, or better", needed=needed)


def describe_lost(earned: str, *, is_busted: bool) -> str:
    """Describe why earned Fantasyland is not dealt."""
    if is_busted:
        return Phrase("%(earned)s; it is lost, for no points are left", earned=earned)
    return Phrase("%(earned)s; it is void, for the round ends", earned=earned)


def describe_foul_in_fantasyland() -> str:
    """Describe why a foul board in Fantasyland does not stay."""
    return Phrase("leaves Fantasyland: a foul board earns none")


def describe_total(first: str, second: str, before: Points, points: Points) -> str:
    """Describe how a pair's points add up over the round."""
    return Phrase(
        "%(first)s against %(second)s: %(before)s before this hand, %(points)s in it, %(after)s in all",
        first=first,
        second=second,
        before=show_signed(before),
        points=show_signed(points),
        after=show_signed(before + points),
    )


def describe_payment(
    transfer: Transfer, names: Names, ruleset: Ruleset, opened: Points | None, room: Points | None
) -> str:
    """Describe who paid whom, what limited the payment, and the stacks after it."""
    payer, payee = names[transfer.payer], names[transfer.payee]
    payer_had, payee_had = transfer.payer_stack + transfer.paid, transfer.payee_stack - transfer.paid
    stacks = f"{payer} {payer_had} → {transfer.payer_stack}, {payee} {payee_had} → {transfer.payee_stack}"
    if transfer.limited_by is None:
        return Phrase(
            "%(payer)s pays %(paid)s to %(payee)s, all that is due: %(stacks)s",
            payer=payer,
            payee=payee,
            paid=transfer.paid,
            stacks=stacks,
        )
    if transfer.limited_by is LimitedBy.PAYER_STACK:
        why = _describe_stack_of_payer(payer, payer_had)
    elif ruleset.stakes.win_limit is WinLimit.STACK:
        why = _describe_stack_of_payee(payee, payee_had)
    else:
        why = _describe_room(payee, payee_had, _STRETCHES[ruleset.stakes.scope], opened, room)
    return Phrase(
        "%(payer)s pays %(paid)s of %(due)s to %(payee)s: %(reason)s; without the cap %(payer)s would pay %(due)s:"
        " %(stacks)s",
        payer=payer,
        payee=payee,
        paid=transfer.paid,
        due=transfer.due,
        reason=why,
        stacks=stacks,
    )


def _describe_stack_of_payer(payer: str, had: Points) -> Phrase:
    if had:
        return Phrase("%(player)s has only %(points)s left", player=payer, points=had)
    return Phrase("%(player)s has nothing left", player=payer)


def _describe_stack_of_payee(payee: str, had: Points) -> Phrase:
    if had:
        return Phrase("%(player)s has a stack of %(points)s and can win at most %(points)s", player=payee, points=had)
    return Phrase("%(player)s has a stack of %(points)s and can win nothing", player=payee, points=had)


def _describe_room(payee: str, had: Points, stretch: Phrase, opened: Points | None, room: Points | None) -> Phrase:
    values: dict[str, str | int] = {
        "player": payee,
        "sequence": stretch,
        "opened": str(opened),
        "points": had,
        "room": room or 0,
    }
    if room:
        return Phrase(
            "%(player)s opened %(sequence)s with %(opened)s and has %(points)s, so can win at most %(room)s more",
            **values,
        )
    return Phrase("%(player)s opened %(sequence)s with %(opened)s and has %(points)s, so can win no more", **values)


def describe_top_up(name: str, points: Points) -> str:
    """Describe a top-up."""
    return Phrase("%(player)s adds %(points)s before the hand", player=name, points=count_points(points))


def describe_irregular(detail: str) -> str:
    """Describe why a hand accepted as played does not follow the hands before it."""
    return Phrase("the hand is accepted as played, although %(detail)s", detail=detail)


def describe_nothing_paid(*, is_later: bool) -> str:
    """Describe why nothing is paid."""
    return Phrase("nothing is paid before the round ends") if is_later else Phrase("no payments")


def describe_when_paid(status: RoundStatus | None, *, is_late: bool) -> str:
    """Describe what is paid now under scope `round`; without a status, for a single hand."""
    if status is None:
        return Phrase("paid as if the round ended here: every pair's points of the round, in order")
    if status is RoundStatus.CLOSED:
        return Phrase("the round was closed: every pair's points of the whole round are paid, in order")
    if is_late:
        return Phrase("the round ended as players left: every pair's points of the whole round are paid, in order")
    return Phrase("the round is complete: every pair's points of the whole round are paid, in order")


def _places(row_cards: Iterable[tuple[Row, Cards]]) -> Phrase:
    return _enumerate([_place(row, cards) for row, cards in row_cards])


def _place(row: Row, cards: Cards) -> Phrase:
    return Phrase("%(cards)s %(place)s", cards=show_suits(cards), place=_PLACES[row])


def _enumerate(parts: Sequence[Phrase]) -> Phrase:
    return reduce(lambda one, other: Phrase("%(one)s and %(other)s", one=one, other=other), parts)


def _category(condition: Category) -> Phrase:
    return Phrase.in_context("category", condition.label.replace("_", " "))


def _add_comma(label: str) -> str:
    return Phrase("%(hand)s,", hand=label) if "," in label else label


def _add_article(label: str, hand: str) -> str:
    """
    Return a hand with the article of its description, if it has one.

    >>> [_add_article(label, label) for label in ("pair of queens", "ace high", "eight-six-four-three-deuce low")]
    ['a pair of queens', 'ace high', 'an eight-six-four-three-deuce low']
    """
    if label.startswith("eight") and label.endswith(" low"):
        return Phrase("an %(hand)s", hand=hand)
    if label.endswith(" low") or label.startswith(("pair", "straight", "flush", "full", "royal")):
        return Phrase("a %(hand)s", hand=hand)
    return hand
