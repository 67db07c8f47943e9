"""Results of PPPoker hands, as capture tools store them: packets as JSON, or a SQLite file with `ofc_hands`."""

import json
from collections.abc import Iterator
from typing import Any, Final

from client.formats.cards import check_rows, number_card
from client.formats.declaration import Format
from client.formats.json_lines import read_objects
from client.formats.sqlite_file import has_table, read_records
from client.offline.file_hands import (
    ROW_SIZES,
    Cards,
    Claims,
    FileHand,
    FilePlayer,
    FormatError,
    Part,
    order_players,
    read_each,
)

Object = dict[str, Any]
_SUITS: Final = {1: "d", 2: "c", 3: "h", 4: "s"}
_ROWS: Final = {"top": "headCard", "middle": "middleCard", "bottom": "tailCard"}
_SCORES: Final = ("headScore", "middleScore", "tailScore", "allwinScore")
_BOARD: Final = sum(ROW_SIZES.values())
_SEEN: Final = 17
"""Cards that a player outside Fantasyland sees; a Fantasyland of as many looks the same."""


def detect(content: bytes) -> bool:
    """Return whether the file has results of hands."""
    if has_table(content, "ofc_hands"):
        return True
    return any(_find_result(element) for _, element in read_objects(content))


def read(content: bytes) -> Iterator[Part]:
    """Yield the hands of a file. Packets without a result are not hands."""
    return read_each(_list_results(content), _build)


def _list_results(content: bytes) -> Iterator[tuple[str, Object]]:
    if has_table(content, "ofc_hands"):
        for place, record in read_records(content, "ofc_hands"):
            stored = json.loads(record["player_data"])
            yield place, stored if isinstance(stored, dict) else {"playerResults": stored}
        return
    dealer = None
    for place, element in read_objects(content):
        packet = next((part for part in _parts(element) if "dealerSeatId" in part), {})
        dealer = packet.get("dealerSeatId", dealer)
        result = _find_result(element)
        if result is not None:
            yield place, {"dealerSeatId": dealer, **result}


def _parts(element: Any) -> Iterator[Object]:
    if isinstance(element, dict):
        yield element
        for inner in element.values():
            yield from _parts(inner)


def _find_result(element: Object) -> Object | None:
    return next((part for part in _parts(element) if isinstance(part.get("playerResults"), list)), None)


def _build(place: str, result: Object) -> FileHand:
    results = result["playerResults"]
    names = {
        each.get("uid", each["seatId"]): str(each.get("name") or each.get("uid") or each["seatId"]) for each in results
    }
    players = order_players(_player(each, names) for each in results)
    dealer = result.get("dealerSeatId")
    label = f"hand {result['gameId']}" if "gameId" in result else place
    return FileHand(place, label, players, None if dealer is None else int(dealer) + 1)


def _player(result: Object, names: dict[Any, str]) -> FilePlayer:
    cards = result.get("card") or result
    rows = check_rows({row: _cards(cards.get(key)) for row, key in _ROWS.items()})
    discards = _cards(cards.get("abandonCard"))
    dealt = _BOARD + len(discards)
    against = {
        names[score["uid"]]: sum(score.get(part, 0) for part in _SCORES)
        for score in result.get("scores") or ()
        if isinstance(score, dict) and score.get("uid") in names
    }
    own = names[result.get("uid", result["seatId"])]
    fantasyland = None if not discards else 0 if dealt == _SEEN else dealt
    claims = Claims(foul=result.get("bust", cards.get("bust")), against=against)
    return FilePlayer(own, int(result["seatId"]) + 1, rows, discards or None, fantasyland=fantasyland, claims=claims)


def _cards(codes: list[int] | None) -> Cards:
    return tuple(_card(code) for code in codes or () if code)


def _card(code: int) -> str:
    suit, rank = divmod(code, 256)
    if suit not in _SUITS:
        raise FormatError(f"the card {code} is a joker or unknown; expected suit times 256 and rank, suits 1 to 4")
    return number_card(rank, _SUITS[suit])


FORMAT: Final = Format(
    name="pppoker",
    title="PPPoker results as capture tools store them (JSON packets, or SQLite with `ofc_hands`)",
    reads="Boards, discards, the dealer where it is stored; fouls and points against each opponent for comparison.",
    loses="Chips after the hand, and times.",
    unknown="Streets, stacks; Fantasyland where no discards are stored, and that of 17 cards.",
    detect=detect,
    read=read,
)
