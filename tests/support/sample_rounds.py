"""Boards, hands and rounds for tests of the service, and shorthand for playing them over HTTP."""

import copy
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.api_client import Api, ApiResponse

Document = dict[str, Any]

HIGH = "AhKd9c / JsJd8c5h2c / AsAdTcTh4s"
MID = "KsQd7h / 9s9d6c4h3c / KcKh8s8h5c"
LOW = "QsJc6d / 7s7d5s3h2d / QcQh4d4c3s"
"""Three boards from one deck, each of which beats the next in every row; none is foul or earns anything."""

REST = "AcJh9h / 6h6s8d7c3d / TdTs2h2s5d"
"""What is left of the deck beside those three, not foul either."""

QUEENS = "QsQd4c / KsKd9h8h3c / AhJh7h6h2h"
SEVENS = "Ac8d2s / TsTc5d5c6s / 7s7d7cJdJs"
KINGS = "KhKc3s / 9s9d8s8c4h / AsAdQhQc2d"
"""The boards of the worked example, in seats 1, 2 and 3: the first and the last enter Fantasyland."""

FOUL = "AcAd5s / JsJd8c5h2c / KsKd9h9c4s"
RENEWED = "8s8d8h / Ts9d8c7c6h / AsJs7s5s2s"
"""Three of a kind on top, which stays in Fantasyland under every ruleset that lets anybody stay."""


NOBODYS = "01a1fa84-64a0-7085-97f3-8afdbd6ebc27"
"""An id of nothing that there is."""

OPEN_TO_ALL = {"check_health", "check_readiness", "get_contract", "get_metrics", "list_rulesets", "get_ruleset"}
OPEN_TO_ALL |= {"get_checkpoint", "list_checkpoint_keys", "sign_in_phone"}
"""The operations that need no key."""


def cards(text: str) -> list[str]:
    """
    Split cards that are written one after the other.

    >>> cards("QsQd 4c")
    ['Qs', 'Qd', '4c']
    """
    joined = text.replace(" ", "")
    return [joined[start : start + 2] for start in range(0, len(joined), 2)]


def rows(board: str) -> Document:
    """Write a board as the wire does."""
    return {row: cards(text) for row, text in zip(("top", "middle", "bottom"), board.split("/"), strict=True)}


def player(seat: int, board: str, **more: Any) -> Document:
    """Return a player's part of a hand."""
    return {"seat": seat, **rows(board), **more}


def hand(number: int, button: int, players: Mapping[int, str | Document], **more: Any) -> Document:
    """Write a hand; a player is a board, or a board with what else is known of them."""
    dealt_in = [
        player(seat, played) if isinstance(played, str) else {**player(seat, played["board"]), **_beside(played)}
        for seat, played in players.items()
    ]
    return {"number": number, "button": button, "players": dealt_in, **more}


def _beside(played: Document) -> Document:
    return {name: value for name, value in played.items() if name != "board"}


THREE = {1: HIGH, 2: MID, 3: LOW}
TWO = {1: HIGH, 2: MID}
COMPLETE = [hand(1, 1, THREE), hand(2, 2, THREE), hand(3, 3, THREE)]
"""The hands of a round of three in which seat 1 wins 12 each time, seat 2 nothing and seat 3 loses 12."""

SIXES = {1: "ann 100", 2: "bob 100", 3: "cyd 100"}
"""Who sits where with how much, in a round in which nobody is short."""

WORKED: Document = {
    "ruleset": "pineapple",
    "button": 3,
    "players": [player(1, QUEENS, stack=3), player(2, SEVENS, stack=50), player(3, KINGS, stack=50)],
}
"""The worked example of the rules, to score without storing it."""


def changed(document: Document, *changes: tuple[str, Any]) -> Document:
    """
    Copy a document with other values at some places.

    >>> changed({"a": [{"b": 1}]}, ("a/0/b", 2), ("c", 3))
    {'a': [{'b': 2}], 'c': 3}
    """
    result = copy.deepcopy(document)
    for pointer, value in changes:
        *path, last = pointer.split("/")
        place: Any = result
        for step in path:
            place = place[int(step) if isinstance(place, list) else step]
        place[int(last) if isinstance(place, list) else last] = value
    return result


def without(document: Document, *names: str) -> Document:
    """Copy a document without some of its fields."""
    return {name: copy.deepcopy(value) for name, value in document.items() if name not in names}


def seats(written: Mapping[int, str]) -> list[Document]:
    """
    Write who sits down, with how much or, without a number, with what is left.

    >>> seats({1: "ann 200", 4: "bob"})
    [{'seat': 1, 'player': 'ann', 'stack': 200}, {'seat': 4, 'player': 'bob'}]
    """
    return [
        {"seat": seat, "player": who.split()[0], **({"stack": int(who.split()[1])} if " " in who else {})}
        for seat, who in written.items()
    ]


def add_table(api: Api, ruleset: str = "pineapple", name: str = "kitchen", **more: Any) -> str:
    """Set up a table, and give its id."""
    table = api.post("/v1/tables", {"name": name, "ruleset": ruleset, **more})
    assert table.status == 201, table
    return str(table["id"])


def open_round(api: Api, table: str, sitting: Mapping[int, str] | None = None, **more: Any) -> ApiResponse:
    """Open a round at a table."""
    return api.post(f"/v1/tables/{table}/rounds", {"seats": seats(sitting or SIXES), **more})


def start_round(api: Api, ruleset: str = "pineapple", sitting: Mapping[int, str] | None = None, **table: Any) -> str:
    """Set up a table, open a round at it, and give the round's id."""
    opened = open_round(api, add_table(api, ruleset, **table), sitting)
    assert opened.status == 201, opened
    return str(opened["id"])


def dealt_again(played: Document) -> Document:
    """Insist on a hand that may have the boards of an earlier hand of its round."""
    return {"dealt_again": True, **played}


def record(api: Api, round_id: str, played: Document) -> ApiResponse:
    """Post a hand; the rounds of most tests are of one deal, which is dealt again."""
    return api.post(f"/v1/rounds/{round_id}/hands", dealt_again(played))


def play(api: Api, round_id: str, *hands: Document) -> ApiResponse:
    """Post hands that must be accepted, and return the response to the last."""
    for played in hands:
        response = record(api, round_id, played)
        assert response.status == 201, response
    return response


def play_to_the_end(api: Api, round_id: str) -> ApiResponse:
    """Post a whole round, and return the response to its last hand."""
    return play(api, round_id, *COMPLETE)


def depart(api: Api, round_id: str, seat: int, **more: Any) -> ApiResponse:
    """Record a departure."""
    return api.post(f"/v1/rounds/{round_id}/departures", {"seat": seat, **more})


def undo(api: Api, round_id: str, number: int, **more: Any) -> ApiResponse:
    """Withdraw the last hand: by default the newest record of its number."""
    hand = more.pop("hand", None) or find_record(api, round_id, number)
    return api.post(f"/v1/rounds/{round_id}/undo", {"number": number, "hand": hand, **more})


def find_record(api: Api, round_id: str, number: int) -> str:
    """Return the ID of the newest record of a hand, also if it was undone."""
    newest = api.get(f"/v1/rounds/{round_id}/settlement").document.get("revision", 0)
    for revision in range(newest, 0, -1):
        for hand in api.get(f"/v1/rounds/{round_id}/hands?revision={revision}")["hands"]:
            if hand["number"] == number:
                return str(hand["id"])
    return NOBODYS


def correct_round(api: Api, round_id: str, correction: Document, query: str = "") -> ApiResponse:
    """Correct a round, by default as it is now."""
    version = api.get(f"/v1/rounds/{round_id}").document.get("version", 1)
    return api.post(f"/v1/rounds/{round_id}/corrections{query}", {"version": version, **correction})


def close(api: Api, round_id: str, reason: str = "the room closes") -> ApiResponse:
    """Close a round early."""
    return api.post(f"/v1/rounds/{round_id}/close", {"reason": reason})


def document_of(
    ruleset: str = "pineapple",
    sitting: Mapping[int, str] | None = None,
    hands: list[Document] | None = None,
    **more: Any,
) -> Document:
    """Write a round as one document."""
    return {"ruleset": ruleset, "table": "kitchen", "seats": seats(sitting or SIXES), "hands": hands or [], **more}


def post_document(api: Api, document: Document) -> ApiResponse:
    """Play a round whole."""
    return api.post("/v1/documents", document)


def operations(api: Api) -> Iterator[tuple[str, str, str]]:
    """Every operation of the contract: its method, a path that leads to it, and its name."""
    for path, item in api.contract["paths"].items():
        for method, operation in item.items():
            if method != "parameters":
                yield method.upper(), re.sub(r"\{(\w*id|address)\}", NOBODYS, path), operation["operationId"]


def walk(api: Api, path: str) -> Iterator[ApiResponse]:
    """Read a list page by page, as the header `Link` leads and the body agrees."""
    while path:
        page = api.get(path)
        assert page.status == 200, page
        yield page
        link = re.fullmatch(r'<(\S+)>; rel="next"', page.headers.get("Link", ""))
        assert (link is not None) == ("Link" in page.headers) == page["has_more"]
        # The ledger has a cursor on its last page too.
        is_last = page["next_cursor"] is None or path.startswith("/v1/ledger")
        assert is_last if link is None else f"cursor={page['next_cursor']}" in link[1]
        path = link[1] if link else ""


def complete_round(api: Api, **table: Any) -> str:
    """Play a round to its end, and give its id."""
    round_id = start_round(api, **table)
    play_to_the_end(api, round_id)
    return round_id


def read_round(api: Api, round_id: str) -> Document:
    """Return a round as other responses have it, which is without its metadata."""
    return without(api.get(f"/v1/rounds/{round_id}").document, "metadata")


def round_of(api: Api, round_id: str) -> Document:
    """The round as it stands, but for the version, which every change raises."""
    return without(read_round(api, round_id), "version")


def settlement_of(api: Api, round_id: str, revision: int | None = None) -> ApiResponse:
    """The settlement of a round, in the newest revision or another."""
    response = api.get(f"/v1/rounds/{round_id}/settlement" + (f"?revision={revision}" if revision else ""))
    assert response.status == 200, response
    return response


def hands_of(api: Api, round_id: str, revision: int | None = None) -> list[Document]:
    """The hands of a round, in the newest revision or another."""
    listed = api.get(f"/v1/rounds/{round_id}/hands" + (f"?revision={revision}" if revision else ""))
    assert listed.status == 200, listed
    return list(listed["hands"])
