"""Check that the cards of a hand can have been dealt."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from scoring.board import ByRow, Row
from scoring.cards import Card, show_cards
from scoring.errors import Mistake, Path
from scoring.hand import Cards, PlayerHand, Street
from scoring.ruleset import BOARD_SIZE, Ruleset, StreetRule


def find_deal_mistakes(players: Sequence[PlayerHand], ruleset: Ruleset) -> list[Mistake]:
    """
    List the mistakes in the cards of a hand, with paths from `players` on.

    Checked are Fantasyland's cards, discards, streets, what the clock set, and that all cards come from one deck.

    Rule: docs/rules.md#the-deal
    """
    mistakes: list[Mistake] = []
    for index, player in enumerate(players):
        if not player.fantasyland and player.discards is None and player.streets is None:
            continue  # nothing is known of it but the board
        player_mistakes = find_player_mistakes(
            player.fantasyland, player.discards, player.streets, player.board.rows, ruleset=ruleset
        )
        mistakes += [mistake.under("players", index) for mistake in player_mistakes]
    if not _are_distinct(players):
        mistakes += _twice(players)
    return mistakes


def find_player_mistakes(
    fantasyland: int,
    discards: Cards | None,
    streets: Sequence[Street] | None,
    rows: ByRow[Cards] | None,
    *,
    ruleset: Ruleset,
) -> Iterator[Mistake]:
    """
    List the mistakes in the cards of one player, with paths from the player on.

    Args:
        fantasyland: cards dealt in Fantasyland, 0 outside.
        discards: None where nobody knows.
        streets: None where nobody knows.
        rows: of the board; None where they cannot be read.
        ruleset: whose deal counts.

    Rule: docs/rules.md#the-deal
    """
    yield from _fantasyland(fantasyland, ruleset)
    if discards is not None:
        yield from _discards(fantasyland, discards, ruleset)
    if streets is not None:
        yield from _streets(fantasyland, discards, streets, rows, ruleset)


def _fantasyland(fantasyland: int, ruleset: Ruleset) -> Iterator[Mistake]:
    if fantasyland and fantasyland not in ruleset.fantasyland.deals:
        dealt = sorted(ruleset.fantasyland.deals)
        right = (
            f"expected 0 or {' or '.join(map(str, dealt))}"
            if dealt
            else "expected 0, because nobody enters Fantasyland"
        )
        detail = f"Fantasyland of {fantasyland} cards is never dealt under {ruleset}; {right}"
        yield Mistake("fantasyland-cards", ("fantasyland",), detail)


def _discards(fantasyland: int, discards: Cards, ruleset: Ruleset) -> Iterator[Mistake]:
    right = ruleset.cards_dealt(fantasyland) - BOARD_SIZE
    if len(discards) != right:
        detail = (
            f"{len(discards)} discards are given; expected {right} of the {right + BOARD_SIZE} cards dealt"
            " (null means unknown)"
        )
        yield Mistake("discards-count", ("discards",), detail)


def _streets(
    fantasyland: int, discards: Cards | None, streets: Sequence[Street], rows: ByRow[Cards] | None, ruleset: Ruleset
) -> Iterator[Mistake]:
    rules = ruleset.streets(fantasyland)
    if len(streets) != len(rules):
        kind = f"Fantasyland of {fantasyland} cards" if fantasyland else f"a {ruleset.variant} hand"
        detail = f"{len(streets)} streets are given; expected {len(rules)} for {kind} (null means unknown)"
        yield Mistake("streets-count", ("streets",), detail)
        return
    room = {row: row.size for row in reversed(Row)}
    for index, (street, rule) in enumerate(zip(streets, rules, strict=True)):
        wrong = tuple(_street(street, rule)) or tuple(_auto(street, rule, room))
        yield from (mistake.under("streets", index) for mistake in wrong)
        for row, cards in street.rows.items():
            room[row] -= len(cards)
    yield from _sums(discards, streets, rows)


def _street(street: Street, rule: StreetRule) -> Iterator[Mistake]:
    placed = [card for cards in street.rows for card in cards]
    for code, path, count, right, verb in (
        ("street-dealt", "dealt", len(street.dealt), rule.dealt, "dealt"),
        ("street-placed", None, len(placed), rule.placed, "placed"),
        ("street-discards", "discards", len(street.discards), rule.discarded, "discarded"),
    ):
        if count != right:
            detail = f"{count} cards are {verb} in this street; expected {right}"
            yield Mistake(code, (path,) if path else (), detail)
    gone = Counter([*placed, *street.discards])
    if gone != Counter(street.dealt):
        detail = (
            f"the cards dealt are {show_cards(street.dealt)}, the cards placed and discarded are"
            f" {show_cards(tuple(gone.elements()))}; expected the same cards"
        )
        yield Mistake("street-cards", (), detail)


def _auto(street: Street, rule: StreetRule, room: dict[Row, int]) -> Iterator[Mistake]:
    """
    Check the cards that the clock set: in the order dealt, each to the lowest row with room, and the last discarded.

    Rule: docs/rules.md#cards-set-by-the-clock
    """
    strangers = [card for card in street.auto if card not in street.dealt]
    if strangers or len(set(street.auto)) != len(street.auto):
        detail = f"the clock set {show_cards(street.auto)}; expected only cards dealt in this street, once each"
        yield Mistake("auto-not-dealt", ("auto",), detail)
        return
    by_clock = [card for card in street.dealt if card in street.auto]
    by_hand = {row: [card for card in cards if card not in street.auto] for row, cards in street.rows.items()}
    left = {row: room[row] - len(by_hand[row]) for row in room}
    to_lay = rule.placed - sum(map(len, by_hand.values()))
    for position, card in enumerate(by_clock):
        right = next((row for row in left if left[row] > 0), None) if position < to_lay else None
        if right is not None:
            left[right] -= 1
        place = next((row for row, cards in street.rows.items() if card in cards), None)
        if place is not right:
            detail = f"the clock put {card} {_place(place)}; expected {_place(right)}"
            yield Mistake("auto-placement", ("auto",), detail)


def _place(row: Row | None) -> str:
    return "among the discards" if row is None else f"in the {row}"


def _sums(discards: Cards | None, streets: Sequence[Street], rows: ByRow[Cards] | None) -> Iterator[Mistake]:
    for row, cards in rows.items() if rows else ():
        laid = tuple(card for street in streets for card in street.rows[row])
        if Counter(laid) != Counter(cards):
            detail = (
                f"the streets place {show_cards(laid)} in the {row}, the board has {show_cards(cards)};"
                " expected the same cards"
            )
            yield Mistake("streets-board", ("streets",), detail)
    thrown = _discarded_in(streets)
    if discards is not None and Counter(thrown) != Counter(discards):
        difference = f"the streets discard {show_cards(thrown)}, the discards are {show_cards(discards)}"
        detail = f"{difference}; expected the same cards"
        yield Mistake("streets-discards", ("streets",), detail)


def _discarded_in(streets: Sequence[Street]) -> Cards:
    return tuple(card for street in streets for card in street.discards)


def _are_distinct(players: Sequence[PlayerHand]) -> bool:
    """Return whether all cards are different, which is the usual case and fast to check."""
    cards: list[Card] = []
    for player in players:
        cards += player.board.cards
        cards += player.discards if player.discards is not None else _discarded_in(player.streets or ())
    return len(set(cards)) == len(cards)


def _twice(players: Sequence[PlayerHand]) -> Iterator[Mistake]:
    return find_cards_twice(
        (("players", index, *path), f"{place} of seat {player.seat}", card)
        for index, player in enumerate(players)
        for path, place, card in _places(player)
    )


def find_cards_twice(places: Iterable[tuple[Path, str, Card]]) -> Iterator[Mistake]:
    """
    List the cards of a hand that lie in two places.

    Args:
        places: of every card: its path, and where that is in words.

    Rule: docs/rules.md#the-deal
    """
    first_place: dict[Card, str] = {}
    for path, place, card in places:
        if card in first_place:
            detail = f"{card} is already {first_place[card]}; expected each card once"
            yield Mistake("card-twice", path, detail)
        else:
            first_place[card] = place


def _places(player: PlayerHand) -> Iterator[tuple[Path, str, Card]]:
    for row, cards in player.board.rows.items():
        for index, card in enumerate(cards):
            yield (row.value, index), f"in the {row}", card
    if player.discards is not None:
        for index, card in enumerate(player.discards):
            yield ("discards", index), "among the discards", card
    else:
        for number, street in enumerate(player.streets or ()):
            for index, card in enumerate(street.discards):
                yield ("streets", number, "discards", index), "among the discards", card
