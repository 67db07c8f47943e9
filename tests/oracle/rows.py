"""docs/rules.md 1, Rows: rows, by counting ranks and comparing lists."""

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK = [rank + suit for rank in RANKS for suit in SUITS]
SIZES = {"top": 3, "middle": 5, "bottom": 5}
CATEGORIES = [
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
]


def by_importance(cards: list[str]) -> list[int]:
    """Ranks with groups first, then kickers, high to low: Q 5 A Q is [12, 12, 14, 5]."""
    ranks = [RANKS.index(card[0]) + 2 for card in cards]
    return sorted(ranks, key=lambda rank: (ranks.count(rank), rank), reverse=True)


def strength5(cards: list[str]) -> tuple[int, ...]:
    """Category first, then the ranks by importance; more is stronger."""
    ranks = by_importance(cards)
    groups = [ranks.count(rank) for rank in ranks]
    if ranks == [14, 5, 4, 3, 2]:
        ranks = [5, 4, 3, 2, 1]
    in_sequence = ranks == [ranks[0], ranks[0] - 1, ranks[0] - 2, ranks[0] - 3, ranks[0] - 4]
    of_one_suit = [card[1] for card in cards].count(cards[0][1]) == 5
    if in_sequence and of_one_suit:
        name = "royal_flush" if ranks[0] == 14 else "straight_flush"
    elif groups == [4, 4, 4, 4, 1]:
        name = "four_of_a_kind"
    elif groups == [3, 3, 3, 2, 2]:
        name = "full_house"
    elif of_one_suit:
        name = "flush"
    elif in_sequence:
        name = "straight"
    elif groups == [3, 3, 3, 1, 1]:
        name = "three_of_a_kind"
    elif groups == [2, 2, 2, 2, 1]:
        name = "two_pair"
    elif groups == [2, 2, 1, 1, 1]:
        name = "pair"
    else:
        name = "high_card"
    return (CATEGORIES.index(name), *ranks)


def strength3(cards: list[str]) -> tuple[int, ...]:
    """The same for a top row, which knows no straights and no flushes."""
    ranks = by_importance(cards)
    groups = [ranks.count(rank) for rank in ranks]
    if groups == [3, 3, 3]:
        name = "three_of_a_kind"
    elif groups == [2, 2, 1]:
        name = "pair"
    else:
        name = "high_card"
    return (CATEGORIES.index(name), *ranks)


def strength(cards: list[str]) -> tuple[int, ...]:
    return strength3(cards) if len(cards) == 3 else strength5(cards)


def category(cards: list[str]) -> str:
    return CATEGORIES[strength(cards)[0]]


def top_beats(top: list[str], five: list[str]) -> bool:
    """Category, then the three ranks that both rows have; what is still equal has not beaten."""
    return strength3(top) > strength5(five)[:4]


def middle_category(middle: list[str], low_middle: bool) -> str:
    """The category of a middle: with a low middle, an ace is high, so A-2-3-4-5 is no straight."""
    if low_middle and by_importance(middle) == [14, 5, 4, 3, 2]:
        return "flush" if len({card[1] for card in middle}) == 1 else "high_card"
    return category(middle)


def qualifies(middle: list[str]) -> bool:
    """A low qualifies ten high or lower with no pair, no straight and no flush (the ace is high)."""
    return middle_category(middle, True) == "high_card" and by_importance(middle)[0] <= 10


def low_name(middle: list[str]) -> str:
    """What a qualifying low is called in the royalties."""
    ranks = by_importance(middle)
    if ranks == [7, 5, 4, 3, 2]:
        return "75432"
    return {10: "ten_low", 9: "nine_low", 8: "eight_low", 7: "seven_low"}[ranks[0]]
