"""
Writes the hands of one evening as files of other tools: the samples in `examples/formats`.

`python -m tests.client.formats.sample_files` writes them; a test compares. Nothing is shared with the code that reads.
"""

import csv
import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from client.offline.score import score_hand

Object = dict[str, Any]
SAMPLES: Final = Path(__file__).parents[3] / "examples" / "formats"
EVENING: Final = Path(__file__).parents[3] / "examples" / "pineapple.json"
ROWS: Final = {"top": 3, "middle": 5, "bottom": 5}
RANKS: Final = "23456789TJQKA"
_DECK: Final = [rank + suit for rank in RANKS for suit in "cdhs"]
_STREETS: Final = (5, 2, 2, 2, 2)
_ORDINARY_DISCARDS: Final = 4


def hands(players: int = 3) -> list[Object]:
    """Return the hands of the evening for its first players, with streets, discards and results."""
    document = json.loads(EVENING.read_text())
    return [_complete(hand, players) for hand in document["hands"]]


def names(players: int = 3) -> list[str]:
    return [seat["player"] for seat in json.loads(EVENING.read_text())["seats"]][:players]


def _complete(hand: Object, count: int) -> Object:
    players = [dict(player) for player in hand["players"][:count]]
    used = {card for player in players for row in (*ROWS, "discards") for card in player.get(row) or ()}
    rest = [card for card in _DECK if card not in used]
    for player in players:
        fantasyland = player.setdefault("fantasyland", 0)
        if not player.get("discards"):
            number = fantasyland - 13 if fantasyland else _ORDINARY_DISCARDS
            player["discards"], rest = rest[:number], rest[number:]
        player["streets"] = list(_split(player))
    result = score_hand({"ruleset": "pineapple", "players": [_board(player) for player in players]})
    for player, scored in zip(players, result["players"], strict=True):
        player["result"] = scored
    return {
        "number": hand["number"],
        "button": min(hand["button"], count),
        "players": players,
        "exchanges": result["exchanges"],
    }


def _board(player: Object) -> Object:
    return {key: player[key] for key in ("seat", "fantasyland", *ROWS)}


def _split(player: Object) -> Iterator[Object]:
    placed = [(card, row) for row in ROWS for card in player[row]]
    if player["fantasyland"]:
        yield {"placed": placed, "discards": player["discards"]}
        return
    discards = list(player["discards"])
    for number in _STREETS:
        now, placed = placed[:number], placed[number:]
        yield {"placed": now, "discards": [] if number == _STREETS[0] else [discards.pop(0)]}


def _dealt(street: Object) -> list[str]:
    return [*[card for card, _ in street["placed"]], *street["discards"]]


def _lines(objects: list[Object]) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in objects).encode()


def _row_royalties(player: Object) -> dict[str, int]:
    return {row: player["result"]["rows"][row]["royalty"] for row in ROWS}


def write_poker_arena() -> bytes:
    lines: list[Object] = []
    for hand in hands():
        number, players = hand["number"], hand["players"]
        lines.append({"hand": number, "seats": names()})
        events: list[Object] = []
        first = hand["button"] % len(players)
        order = players[first:] + players[:first]
        for player in order:
            if player["fantasyland"]:
                events.append({"event": "fantasyland", "seat": player["seat"] - 1, "cards": player["fantasyland"]})
        for street in range(len(_STREETS)):
            for player in order:
                if street < len(player["streets"]):
                    events += _arena_street(player["seat"] - 1, player["streets"][street])
        for player in players:
            events.append(_arena_showdown(player))
        events += [{"event": "score", "seat": each["seat"] - 1, "points": each["result"]["points"]} for each in players]
        lines += [{"hand": number, "ev": event} for event in events]
    return _lines(lines)


def _arena_street(seat: int, street: Object) -> list[Object]:
    dealt = _dealt(street)
    placements = [{"card": card, "row": row} for card, row in street["placed"]]
    return [
        {"event": "deal", "seat": seat, "cards": dealt, "count": len(dealt)},
        {"event": "place", "seat": seat, "placements": placements, "discarded": street["discards"], "count": 0},
    ]


def _arena_showdown(player: Object) -> Object:
    return {
        "event": "showdown",
        "seat": player["seat"] - 1,
        **{row: player[row] for row in ROWS},
        "royalties": _row_royalties(player),
        "fouled": player["result"]["foul"],
        "next_fantasyland": player["result"]["fantasyland"],
    }


def write_chipzen() -> bytes:
    return _lines([{"variant": _chipzen(hand)} for hand in hands(2)])


def _chipzen(hand: Object) -> Object:
    seats = [
        {
            "seat": player["seat"] - 1,
            "rows": {row: player[row] for row in ROWS},
            "streets": [
                {
                    "phase": f"deal{number}",
                    "pull": _dealt(street),
                    "placements": [{"card": card, "row": row} for card, row in street["placed"]],
                    "discarded": street["discards"],
                }
                for number, street in enumerate(player["streets"], 1)
            ],
            "discarded": player["discards"],
            "placed": 13,
            "row_royalties": _row_royalties(player),
            "royalties": player["result"]["royalties"],
            "fouled": player["result"]["foul"],
            "complete": True,
            "points": player["result"]["points"],
            "net_chips": player["result"]["points"] * 50,
            "fantasy_land_in": bool(player["fantasyland"]),
            "fantasy_land_next": bool(player["result"]["fantasyland"]),
        }
        for player in hand["players"]
    ]
    net = [player["result"]["points"] for player in hand["players"]]
    settlement = {"net_points": net, "chip_deltas": [50 * points for points in net], "transferred": 50 * abs(net[0])}
    return {"game_type": "ofc", "schema_version": 1, "point_value": 50, "seats": seats, "settlement": settlement}


def write_giovinco() -> bytes:
    lines: list[Object] = []
    for hand in hands(2):
        first = hand["players"][hand["button"] % 2]
        actors = {1: "human", 2: "ai"}
        order = [first, next(player for player in hand["players"] if player is not first)]
        positions = {actors[player["seat"]]: place for player, place in zip(order, ("first", "second"), strict=True)}
        hand_id = f"00000000-0000-4000-8000-{hand['number']:012}"
        for street in range(len(_STREETS)):
            for player in order:
                if street < len(player["streets"]):
                    part = player["streets"][street]
                    lines.append(
                        {
                            "record_type": "decision",
                            "schema_version": 1,
                            "actor": actors[player["seat"]],
                            "seat": positions[actors[player["seat"]]],
                            "street": f"T{street}",
                            "dealt": _dealt(part),
                            "placements": [list(placed) for placed in part["placed"]],
                            "discards": part["discards"],
                            "hand_id": hand_id,
                        }
                    )
        lines.append(_giovinco_summary(hand_id, order, positions))
    return _lines(lines)


def _giovinco_summary(hand_id: str, order: list[Object], positions: dict[str, str]) -> Object:
    places = ("first", "second")
    by_place = dict(zip(places, order, strict=True))
    human = next(player for player in order if player["seat"] == 1)
    computer = next(player for player in order if player["seat"] == 2)
    return {
        "record_type": "hand_summary",
        "schema_version": 1,
        "hand_id": hand_id,
        "positions": positions,
        "fl_human": bool(human["fantasyland"]),
        "fl_ai": bool(computer["fantasyland"]),
        "result": {
            "raw_score": order[0]["result"]["points"],
            "breakdown": {
                "fouls": {place: by_place[place]["result"]["foul"] for place in places},
                "fantasyland": {f"{place}_next": bool(by_place[place]["result"]["fantasyland"]) for place in places},
                "royalties": {
                    place: {**_row_royalties(by_place[place]), "total": by_place[place]["result"]["royalties"]}
                    for place in places
                },
            },
        },
    }


def write_pppoker() -> bytes:
    lines: list[Object] = []
    for hand in hands():
        results = [
            {
                "uid": 1000 + player["seat"],
                "seatId": player["seat"] - 1,
                "name": name,
                "chips": 0,
                "card": {
                    "headCard": _pp_cards(player["top"]),
                    "middleCard": _pp_cards(player["middle"]),
                    "tailCard": _pp_cards(player["bottom"]),
                    "abandonCard": _pp_cards(player["discards"]),
                    "bust": player["result"]["foul"],
                },
                "scores": list(_pp_scores(hand, player["seat"])),
            }
            for name, player in zip(names(), hand["players"], strict=True)
        ]
        lines.append(
            {"name": "PineGameStartBRC", "data": {"gameId": hand["number"], "dealerSeatId": hand["button"] - 1}}
        )
        lines.append({"name": "PineResultBRC", "data": {"gameId": hand["number"], "playerResults": results}})
    return _lines(lines)


def _pp_cards(cards: list[str]) -> list[int]:
    suits = {"d": 1, "c": 2, "h": 3, "s": 4}
    return [suits[card[1]] * 256 + RANKS.index(card[0]) + 2 for card in cards]


def _pp_scores(hand: Object, seat: int) -> Iterator[Object]:
    for exchange in hand["exchanges"]:
        if seat in exchange["seats"]:
            sign = 1 if exchange["seats"][0] == seat else -1
            opponent = next(other for other in exchange["seats"] if other != seat)
            rest = sign * exchange["points"]
            yield {"uid": 1000 + opponent, "headScore": rest, "middleScore": 0, "tailScore": 0, "allwinScore": 0}


def write_swc() -> bytes:
    frames = []
    for hand in hands():
        seats = []
        for name, player in zip(names(), hand["players"], strict=True):
            cards = [card for row in ROWS for card in player[row]]
            codes = ";".join(str(4 * RANKS.index(card[0]) + "cdhs".index(card[1])) for card in cards)
            seats.append({"n": name, "c": 10500, "b": 0, "p": player["result"]["points"], "d": f"{codes}-3-5-5"})
        frames.append({"ts": hand["number"], "gt": 74, "s": seats})
    return _lines(frames)


def write_recorder() -> bytes:
    database = sqlite3.connect(":memory:")
    database.execute(
        "CREATE TABLE hands (hand_id TEXT PRIMARY KEY, hand_number INTEGER, btn INTEGER, chips_before TEXT,"
        " result_detail TEXT)"
    )
    database.execute("CREATE TABLE fantasyland (hand_id TEXT, player INTEGER, card_count INTEGER)")
    stacks = [200, 200]
    for hand in hands(2):
        players, hand_id = hand["players"], f"hand-{hand['number']}"
        detail = {
            "boards": [{row: player[row] for row in ROWS} for player in players],
            "busted": [player["result"]["foul"] for player in players],
            "royalties": [{**_row_royalties(player), "total": player["result"]["royalties"]} for player in players],
            "raw_score": [player["result"]["points"] for player in players],
            "fl_entry": [bool(player["result"]["fantasyland"]) for player in players],
        }
        values = (hand_id, hand["number"], hand["button"] - 1, json.dumps(stacks), json.dumps(detail))
        database.execute("INSERT INTO hands VALUES (?, ?, ?, ?, ?)", values)
        for index, player in enumerate(players):
            if player["fantasyland"]:
                database.execute("INSERT INTO fantasyland VALUES (?, ?, ?)", (hand_id, index, player["fantasyland"]))
        stacks = [stack + player["result"]["points"] for stack, player in zip(stacks, players, strict=True)]
    return "".join(f"{statement}\n" for statement in database.iterdump()).encode()


def write_scorer_json() -> bytes:
    suits = {"c": "club", "d": "diamond", "h": "heart", "s": "spade"}

    def cards(row: list[str]) -> list[Object]:
        return [{"type": suits[card[1]], "rank": (RANKS.index(card[0]) + 1) % 13 + 1} for card in row]

    written = [
        {
            "hand": hand["number"],
            "players": [
                {
                    "username": name,
                    "topHand": cards(player["top"]),
                    "middleHand": cards(player["middle"]),
                    "bottomHand": cards(player["bottom"]),
                    "points": player["result"]["points"],
                }
                for name, player in zip(names(), hand["players"], strict=True)
            ],
        }
        for hand in hands()
    ]
    return (json.dumps(written, indent=1) + "\n").encode()


def write_csv() -> bytes:
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(["hand", "player", "button", "fantasyland", *ROWS, "discards", "points", "royalties", "foul"])
    for hand in hands():
        for name, player in zip(names(), hand["players"], strict=True):
            result = player["result"]
            rows = [" ".join(player[row]) for row in (*ROWS, "discards")]
            button = "x" if player["seat"] == hand["button"] else ""
            foul = "yes" if result["foul"] else "no"
            line = [hand["number"], name, button, player["fantasyland"], *rows]
            writer.writerow([*line, result["points"], result["royalties"], foul])
    return written.getvalue().encode()


def write_text() -> bytes:
    lines = []
    for hand in hands():
        lines += [f"Hand {hand['number']}", f"button: {names()[hand['button'] - 1]}"]
        for name, player in zip(names(), hand["players"], strict=True):
            lines.append(f"{name}: " + " / ".join("".join(player[row]) for row in (*ROWS, "discards")))
        lines.append("")
    return "\n".join(lines).encode()


def write_pokernow() -> bytes:
    return (
        b"player_nickname,player_id,session_start_at,session_end_at,buy_in,buy_out,stack,net\n"
        b"ann,a1,2026-11-20T20:00:00Z,2026-11-20T21:00:00Z,2000,500,0,-1500\n"
        b"ann,a1,2026-11-20T21:05:00Z,,1000,,3200,2200\n"
        b"ben,b2,2026-11-20T20:00:00Z,,2000,,1300,-700\n"
    )


WRITERS: Final[dict[str, Callable[[], bytes]]] = {
    "poker-arena.jsonl": write_poker_arena,
    "chipzen.jsonl": write_chipzen,
    "giovinco.jsonl": write_giovinco,
    "pppoker.jsonl": write_pppoker,
    "swc.jsonl": write_swc,
    "recorder.sql": write_recorder,
    "scorer-json.json": write_scorer_json,
    "csv.csv": write_csv,
    "text.txt": write_text,
    "pokernow-ledger.csv": write_pokernow,
}


def read_sample(name: str) -> bytes:
    """Return a sample as a file of its tool: SQL is stored as text, and made a SQLite file here."""
    content = SAMPLES.joinpath(name).read_bytes()
    if not name.endswith(".sql"):
        return content
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(content.decode())
        return database.serialize()


if __name__ == "__main__":
    for name, write in WRITERS.items():
        SAMPLES.joinpath(name).write_bytes(write())
