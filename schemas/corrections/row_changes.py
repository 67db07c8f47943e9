"""Corrections of single rows: the cards of one row of one seat in one hand."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

from marshmallow import post_load

from schemas.base import Dumped, WireError, WireSchema
from schemas.corrections.patches import MOST_CHANGES, Change, Patched
from schemas.fields import Choice, Inner, Integer, Listing
from schemas.game_fields import MOST_HANDS, CardList, RowField, SeatField
from schemas.hands import list_card_places
from scoring.board import Row
from scoring.cards import NAMES
from scoring.deal import find_cards_twice
from scoring.errors import HandError, Mistake, Path
from scoring.hand import Cards, Seat

_ROWS: Final = {row.value: row.value for row in Row}


@dataclass(frozen=True, slots=True)
class RowChange:
    """The cards that one row of one seat had in one hand."""

    hand: int
    seat: Seat
    row: Row
    cards: Cards

    def dump(self) -> Dumped:
        """Encode the change."""
        cards = [NAMES[card] for card in self.cards]
        return {"hand": self.hand, "seat": self.seat, "row": self.row.value, "cards": cards}


class ChangedCardsField(CardList):
    """The cards of the row that the field `row` beside it has."""

    def __init__(self, **options: Any) -> None:
        super().__init__(least=Row.TOP.size, most=Row.BOTTOM.size, **options)
        self._by_row = {row.value: RowField(row.size) for row in Row}

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        row = data.get("row") if isinstance(data, Mapping) else None
        field = self._by_row.get(row) if isinstance(row, str) else None
        return super()._deserialize(value, attr, data, **kwargs) if field is None else field.deserialize(value)


class RowChangeSchema(WireSchema):
    """
    The cards that one row of one seat had in one hand.

    Discards stay. If the row changes, the player's streets are no longer known.
    """

    hand = Integer(least=1, most=MOST_HANDS, required=True, description="Number of the hand in the round, from 1.")
    seat = SeatField(required=True, description="Seat of the player.")
    row = Choice(_ROWS, required=True, description="Row to change.")
    cards = ChangedCardsField(
        required=True, description="All cards of the row as they were: 3 of the top row, 5 of the other rows."
    )

    @post_load
    def _make(self, read: dict[str, Any], **_: Any) -> RowChange:
        return RowChange(read["hand"], read["seat"], Row(read["row"]), read["cards"])


class RowChangesField(Listing):
    """Changes of rows, which are applied together."""

    def __init__(self, **options: Any) -> None:
        super().__init__(Inner(RowChangeSchema), most=MOST_CHANGES, **options)


def apply_row_changes(document: Mapping[str, Any], changes: Sequence[RowChange]) -> Patched:
    """
    Apply changes of rows to a copy of a round's document, all at once.

    A row that already has the cards stays as it is, in whatever order they are. Where a row changes, the streets of the
    player become unknown, because they lead to another board; discards that only the streets had are retained.

    >>> from scoring.cards import BY_NAME
    >>> player = {"seat": 2, "top": ["As", "Kd", "9c"], "middle": [], "bottom": [], "discards": None, "streets": None}
    >>> change = RowChange(1, 2, Row.TOP, tuple(BY_NAME[name] for name in ("As", "Kd", "8c")))
    >>> patched = apply_row_changes({"hands": [{"number": 1, "players": [player]}]}, [change])
    >>> patched.document["hands"][0]["players"][0]["top"]
    ['As', 'Kd', '8c']
    >>> patched.find_source(("hands", 0, "players", 0, "top", 2))
    ('changes', 0, 'cards', 2)

    Raises:
        WireError: a hand or a seat does not exist, or a row is changed twice.
        HandError: a card would be in two places of a hand.
    """
    changed: Any = deepcopy(document)
    places: list[tuple[int, Path]] = []
    mistakes: list[Mistake] = []
    hands = {hand["number"]: (at, _index_seats(hand)) for at, hand in enumerate(changed["hands"])}
    first: dict[tuple[int, Seat, Row], int] = {}
    for index, change in enumerate(changes):
        earlier = first.setdefault((change.hand, change.seat, change.row), index)
        mistake = _find_unknown(change, hands) if earlier == index else _repeated(change, earlier)
        if mistake is not None:
            mistakes.append(mistake.under("changes", index))
            continue
        at, seats = hands[change.hand]
        places.append((index, ("hands", at, "players", seats[change.seat])))
    applied = [part for index, place in places for part in _apply(changed, place, index, changes[index])]
    twice = list(_find_cards_twice(changed, places, changes))
    if mistakes:
        raise WireError((*mistakes, *twice))
    if twice:
        raise HandError(tuple(twice))
    return Patched(changed, applied)


def _index_seats(hand: Mapping[str, Any]) -> dict[Seat, int]:
    return {player["seat"]: index for index, player in enumerate(hand["players"])}


def _find_unknown(change: RowChange, hands: Mapping[int, tuple[int, Mapping[Seat, int]]]) -> Mistake | None:
    if change.hand not in hands:
        expected = f"expected 1 to {max(hands)}" if hands else "the round has no hands"
        return Mistake("hand-unknown", ("hand",), f"is {change.hand}; {expected}")
    _, seats = hands[change.hand]
    if change.seat not in seats:
        dealt_in = ", ".join(map(str, sorted(seats)))
        detail = f"is {change.seat}, which was not dealt in to hand {change.hand}; expected one of {dealt_in}"
        return Mistake("seat-unknown", ("seat",), detail)
    return None


def _repeated(change: RowChange, earlier: int) -> Mistake:
    row = f"the {change.row} of seat {change.seat} in hand {change.hand}"
    return Mistake("row-twice", (), f"changes {row}, as `changes[{earlier}]` does; expected one change per row")


def _apply(document: Any, place: Path, index: int, change: RowChange) -> Iterator[Change]:
    """Apply a change, and yield what it changes."""
    _, hand, _, at = place
    player = document["hands"][hand]["players"][at]
    cards = [NAMES[card] for card in change.cards]
    if sorted(player[change.row]) == sorted(cards):
        return
    player[change.row] = cards
    yield Change((*place, change.row.value), ("changes", index), ("changes", index, "cards"))
    streets = player.get("streets")
    if streets is None:
        return
    if player.get("discards") is None:
        player["discards"] = [card for street in streets for card in street["discards"]]
        yield Change((*place, "discards"), ("changes", index))
    player["streets"] = None
    yield Change((*place, "streets"), ("changes", index))


def _find_cards_twice(
    document: Any, places: Sequence[tuple[int, Path]], changes: Sequence[RowChange]
) -> Iterator[Mistake]:
    """List the cards in two places of a changed hand, each at the change that has the card."""
    by_hand: defaultdict[Any, dict[Path, int]] = defaultdict(dict)
    for index, place in places:
        by_hand[place[1]][*place[2:], changes[index].row.value] = index
    for at, rows in by_hand.items():
        players = document["hands"][at]["players"]
        everywhere = [part for index, player in enumerate(players) for part in list_card_places(index, player)]
        # A card is reported where it occurs for the second time, so the changed rows follow all others.
        everywhere.sort(key=lambda part, rows=rows: part[0][:3] in rows)  # type: ignore[misc]  # mypy has no type for `rows`
        for mistake in find_cards_twice(everywhere):
            changed = rows.get(mistake.path[:3])
            if changed is not None:
                yield Mistake(mistake.code, ("changes", changed, "cards", mistake.path[3]), mistake.detail)
