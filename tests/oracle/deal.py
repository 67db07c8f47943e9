"""docs/rules.md 6, The deal: what a record of one hand must hold, its streets, and the cards set by the clock."""

from typing import Any

from tests.oracle.refused import demand
from tests.oracle.rows import DECK, SIZES

# Each street as (cards dealt, cards placed); the others are discarded.
STREETS = {
    "pineapple": [(5, 5), (3, 2), (3, 2), (3, 2), (3, 2)],
    "turbo": [(5, 5), (4, 4), (4, 4)],
    "classic": [(5, 5), (1, 1), (1, 1), (1, 1), (1, 1), (1, 1), (1, 1), (1, 1), (1, 1)],
}
LOWEST_FIRST = ["bottom", "middle", "top"]


def streets_of(variant: str, fantasyland: int) -> list[tuple[int, int]]:
    return [(fantasyland, 13)] if fantasyland else STREETS[variant]


def cards_seen(variant: str, fantasyland: int) -> int:
    return sum(dealt for dealt, _ in streets_of(variant, fantasyland))


def lay_by_clock(cards: list[str], room: dict[str, int]) -> dict[str, list[str]]:
    """Each card in turn goes to the lowest row with room."""
    laid: dict[str, list[str]] = {row: [] for row in SIZES}
    for card in cards:
        row = next(row for row in LOWEST_FIRST if len(laid[row]) < room[row])
        laid[row].append(card)
    return laid


def check_auto(street: dict[str, Any], room: dict[str, int], placed: int) -> None:
    """Cards set by the clock fill, in the order dealt, what the hand-placed left to lay; the rest is discarded."""
    auto = street.get("auto") or []
    demand(len(set(auto)) == len(auto) and all(card in street["dealt"] for card in auto), "auto-not-dealt", auto)
    by_hand = {row: [card for card in street.get(row, []) if card not in auto] for row in SIZES}
    still_to_lay = placed - sum(len(cards) for cards in by_hand.values())
    by_clock = [card for card in street["dealt"] if card in auto][:still_to_lay]
    expected = lay_by_clock(by_clock, {row: room[row] - len(by_hand[row]) for row in SIZES})
    for row in SIZES:
        demand(sorted(by_hand[row] + expected[row]) == sorted(street.get(row, [])), "auto-elsewhere", street)


def check_streets(player: dict[str, Any], variant: str) -> None:
    """Streets follow the table of the variant and add up to the board and the discards."""
    table = streets_of(variant, player.get("fantasyland", 0))
    demand(len(player["streets"]) == len(table), "streets-count", len(player["streets"]))
    laid: dict[str, list[str]] = {row: [] for row in SIZES}
    discards: list[str] = []
    for street, (dealt, placed) in zip(player["streets"], table, strict=True):
        set_down = [card for row in SIZES for card in street.get(row, [])]
        demand(len(street["dealt"]) == dealt, "street-dealt", street)
        demand(len(set_down) == placed, "street-placed", street)
        demand(sorted(set_down + street.get("discards", [])) == sorted(street["dealt"]), "street-adds-up", street)
        room = {row: SIZES[row] - len(laid[row]) for row in SIZES}
        demand(all(len(street.get(row, [])) <= room[row] for row in SIZES), "streets-board", street)
        check_auto(street, room, placed)
        for row in SIZES:
            laid[row] += street.get(row, [])
        discards += street.get("discards", [])
    for row in SIZES:
        demand(sorted(laid[row]) == sorted(player[row]), "streets-board", row)
    if player.get("discards") is not None:
        demand(sorted(discards) == sorted(player["discards"]), "streets-discards", discards)


def known_cards(player: dict[str, Any]) -> list[str]:
    """Every card that the record shows the player had: the board, and the discards where they are known."""
    discards = player.get("discards")
    if discards is None and player.get("streets") is not None:
        discards = [card for street in player["streets"] for card in street.get("discards", [])]
    return [card for row in SIZES for card in player[row]] + (discards or [])


def check_player(player: dict[str, Any], variant: str) -> None:
    dealt = player.get("fantasyland", 0)
    demand(dealt == 0 or 13 <= dealt <= 17, "fantasyland-cards", dealt)
    for row, size in SIZES.items():
        demand(len(player[row]) == size, "row-size", player[row])
    if player.get("discards") is not None:
        demand(len(player["discards"]) == cards_seen(variant, dealt) - 13, "discards-count", player["discards"])
    if player.get("streets") is not None:
        check_streets(player, variant)
    for card in known_cards(player):
        demand(card in DECK, "not-a-card", card)


def check_hand(players: list[dict[str, Any]], ruleset: dict[str, Any]) -> None:
    """Refuse a hand that cannot have been dealt from one deck by this ruleset."""
    demand(2 <= len(players) <= ruleset["players"]["max"], "players-count", len(players))
    seats = [player["seat"] for player in players]
    demand(len(set(seats)) == len(seats) and all(seat >= 1 for seat in seats), "seat", seats)
    for player in players:
        check_player(player, ruleset["variant"])
    cards = [card for player in players for card in known_cards(player)]
    demand(len(set(cards)) == len(cards), "card-twice", sorted(card for card in cards if cards.count(card) > 1))
