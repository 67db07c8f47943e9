"""docs/rules.md 7, The round: the round from hand to hand, step by step on a mutable state."""

import copy
from dataclasses import dataclass, field
from typing import Any

from tests.oracle.deal import check_hand
from tests.oracle.refused import demand
from tests.oracle.scores import name_of, points_of, score_boards
from tests.oracle.stakes import Points, paying_order, paying_pairs, settle


@dataclass
class Round:
    """The state of a round. A sequence is a hand and the Fantasyland hands that continue it."""

    ruleset: dict[str, Any]
    seats: list[int]
    players: dict[int, str]
    opening: Points
    stacks: Points
    top_ups: Points
    status: str = "open"
    hands: int = 0
    button: int | None = None
    had_button: list[int] = field(default_factory=list)
    gone: list[int] = field(default_factory=list)
    owed: Points = field(default_factory=dict)
    stays: Points = field(default_factory=dict)
    sequence: list[int] = field(default_factory=list)
    sequence_opening: Points = field(default_factory=dict)
    totals: dict[tuple[int, int], int] = field(default_factory=dict)
    transfers: list[dict[str, Any]] = field(default_factory=list)

    @property
    def scope(self) -> str:
        return str(self.ruleset["stakes"]["scope"])


def open_round(document: dict[str, Any], ruleset: dict[str, Any]) -> Round:
    """7.1: at least two players, each with a stack."""
    places = sorted(document["seats"], key=lambda place: int(place["seat"]))
    seats = [place["seat"] for place in places]
    players = {place["seat"]: place["player"] for place in places}
    stacks = {place["seat"]: place["stack"] for place in places}
    demand(ruleset["players"]["min"] <= len(seats) <= ruleset["players"]["max"], "players-count", len(seats))
    demand(len(players) == len(seats) and all(seat >= 1 for seat in seats), "seat", seats)
    demand(len(set(players.values())) == len(seats), "player-twice", players)
    demand(all(stack >= 1 for stack in stacks.values()), "stack", stacks)
    none = dict.fromkeys(seats, 0)
    return Round(ruleset, seats, players, dict(stacks), dict(stacks), none, sequence_opening=dict(stacks))


# --- who is out, who plays, where the button is ---


def is_out(round_: Round, seat: int) -> bool:
    """7.4: a player without points is out at once, at the end of the sequence, or never, as the scope says."""
    if round_.scope == "round" or round_.stacks[seat] > 0:
        return False
    if round_.scope == "fantasyland":
        return not (round_.owed and seat in round_.sequence)
    return True


def still_playing(round_: Round) -> list[int]:
    """7.2: everyone who is neither out nor gone."""
    return [seat for seat in round_.seats if seat not in round_.gone and not is_out(round_, seat)]


def next_button(round_: Round) -> int | None:
    """7.3: it stays while Fantasyland is owed, else it moves clockwise to the next seat still playing, if any is."""
    if round_.button is None or round_.owed:
        return round_.button
    playing = still_playing(round_)
    return paying_order(playing, round_.button)[0] if playing else None


def next_seats(round_: Round) -> list[int]:
    """7.7: everyone still playing; inside a sequence who started it and, under scope hand, has points."""
    if not round_.owed:
        return still_playing(round_)
    here = [seat for seat in round_.sequence if seat not in round_.gone]
    return [seat for seat in here if round_.scope != "hand" or round_.stacks[seat] > 0]


def next_view(round_: Round) -> dict[str, Any] | None:
    if round_.status != "open":
        return None
    return {
        "number": round_.hands + 1,
        "button": next_button(round_),
        "seats": next_seats(round_),
        "fantasyland": {str(seat): round_.owed[seat] for seat in sorted(round_.owed)},
    }


# --- the end ---


def complete_if_over(round_: Round, held_open: bool) -> list[dict[str, Any]]:
    """
    7.5: everyone still playing has had the button and nothing is owed, or fewer than two are still playing.

    Before the last hand accepted as played the round is not complete.
    """
    if held_open:
        return []
    playing = still_playing(round_)
    everyone_had_button = all(seat in round_.had_button for seat in playing)
    if len(playing) < 2 or (everyone_had_button and not round_.owed):
        return end(round_, "complete")
    return []


def end(round_: Round, status: str) -> list[dict[str, Any]]:
    """The round takes no further hand: Fantasyland is void, and what scope round added up is paid now."""
    round_.status = status
    round_.owed = {}
    if round_.scope != "round":
        return []
    points = [
        (one, other, round_.totals.get((one, other), 0)) for one, other in paying_pairs(round_.seats, round_.button)
    ]
    opening = {seat: round_.opening[seat] + round_.top_ups[seat] for seat in round_.seats}
    return pay(round_, points, opening)


def pay(round_: Round, points: list[tuple[int, int, int]], opening: Points) -> list[dict[str, Any]]:
    transfers, round_.stacks = settle(points, round_.stacks, opening, round_.ruleset["stakes"]["win_limit"])
    round_.transfers += [{**transfer, "hand": round_.hands} for transfer in transfers]
    return transfers


# --- what happens in a round: top-ups, hands, departures, closing ---


def count_top_ups(round_: Round, top_ups: list[dict[str, Any]], accepted: bool = False) -> None:
    """7.6: points added before a hand that starts a sequence, not for who is gone."""
    if not top_ups:
        return
    if not accepted:
        demand(round_.ruleset["leaving"] == "between_hands", "top-up-between-rounds-only", top_ups)
        demand(not round_.owed, "top-up-inside-sequence", top_ups)
    for top_up in top_ups:
        demand(top_up["seat"] in round_.seats, "top-up-seat", top_up)
        demand(top_up["seat"] not in round_.gone, "top-up-after-departure", top_up)
        demand(top_up["points"] >= 1, "top-up-points", top_up)
        round_.stacks[top_up["seat"]] += top_up["points"]
        round_.top_ups[top_up["seat"]] += top_up["points"]
        round_.sequence_opening[top_up["seat"]] += top_up["points"]


def check_follows(round_: Round, hand: dict[str, Any]) -> None:
    """A hand that cannot follow the hands before it is refused."""
    if round_.button is None:
        demand(hand["button"] in round_.seats, "button", hand["button"])
    else:
        demand(hand["button"] == next_button(round_), "button", hand["button"])
    seats = [player["seat"] for player in hand["players"]]
    demand(len(seats) >= 2 and sorted(seats) == next_seats(round_), "seats", seats)
    for player in hand["players"]:
        seat = player["seat"]
        demand(player.get("player") in (None, round_.players[seat]), "player", player.get("player"))
        demand(player.get("fantasyland", 0) == round_.owed.get(seat, 0), "fantasyland", player.get("fantasyland", 0))


def check_accepted(round_: Round, hand: dict[str, Any]) -> None:
    """A hand accepted as played needs two players and a button of this round, and nobody who has left."""
    demand(hand["button"] in round_.seats, "button", hand["button"])
    demand(len(hand["players"]) >= 2, "seats", hand["players"])
    for player in hand["players"]:
        demand(player["seat"] in round_.seats and player["seat"] not in round_.gone, "seat", player["seat"])
        demand(player.get("player") in (None, round_.players[player["seat"]]), "player", player.get("player"))


def owe_fantasyland(round_: Round, was_in: list[int], players: list[dict[str, Any]]) -> None:
    """What this hand earned is owed in the next; under scope hand who has no points has lost it."""
    round_.owed = {}
    for player in players:
        seat = player["seat"]
        if player["fantasyland"] and (round_.scope != "hand" or round_.stacks[seat] > 0):
            round_.owed[seat] = player["fantasyland"]
            round_.stays[seat] = round_.stays[seat] + 1 if seat in was_in else 0


def play_hand(round_: Round, hand: dict[str, Any], accepted: bool = False, held_open: bool = False) -> dict[str, Any]:
    """Play one hand of the round, and return what the service responds to it."""
    demand(round_.status == "open", "round-not-open", round_.status)
    demand(hand["number"] == round_.hands + 1, "number", hand["number"])
    count_top_ups(round_, hand.get("top_ups") or [], accepted)
    (check_accepted if accepted else check_follows)(round_, hand)
    check_hand(hand["players"], round_.ruleset)
    in_fantasyland = [player["seat"] for player in hand["players"] if player.get("fantasyland")]
    if not in_fantasyland:
        round_.sequence_opening = dict(round_.stacks)
    round_.sequence = sorted(player["seat"] for player in hand["players"])
    for seat in in_fantasyland:
        if seat not in round_.owed:
            round_.stays[seat] = 0
    opening = round_.sequence_opening if round_.scope == "fantasyland" else dict(round_.stacks)
    boards = [{**player, "stays": round_.stays.get(player["seat"], 0)} for player in hand["players"]]
    scored, exchanges = score_boards(boards, hand["button"], round_.ruleset)
    round_.hands += 1
    round_.button = hand["button"]
    round_.had_button.append(hand["button"])
    if round_.scope == "round":
        for one, other, points in points_of(exchanges):
            round_.totals[one, other] = round_.totals.get((one, other), 0) + points
            round_.totals[other, one] = round_.totals.get((other, one), 0) - points
        transfers = []
    else:
        transfers = pay(round_, points_of(exchanges), opening)
    owe_fantasyland(round_, in_fantasyland, scored)
    transfers = transfers + complete_if_over(round_, held_open)
    return {
        "ruleset": name_of(round_.ruleset),
        "number": hand["number"],
        "players": scored,
        "exchanges": exchanges,
        "transfers": transfers,
        "stacks": by_seat(round_, round_.stacks),
        "round": view(round_),
    }


def depart(round_: Round, seat: int, before_accepted: bool = False, held_open: bool = False) -> None:
    """7.6: a player leaves between two hands, not while a sequence they are in goes on."""
    demand(round_.status == "open", "round-not-open", round_.status)
    demand(round_.ruleset["leaving"] == "between_hands", "departure-between-rounds-only", seat)
    demand(round_.hands >= 1, "departure-before-first-hand", seat)
    demand(seat in round_.seats, "departure-seat", seat)
    demand(seat not in round_.gone, "departure-twice", seat)
    demand(before_accepted or not (round_.owed and seat in next_seats(round_)), "departure-inside-sequence", seat)
    round_.gone.append(seat)
    complete_if_over(round_, held_open)


def close(round_: Round) -> None:
    """7.8: a round may be closed early."""
    demand(round_.status == "open", "round-not-open", round_.status)
    end(round_, "closed")


# --- views ---


def by_seat(round_: Round, points: Points) -> dict[str, int]:
    return {str(seat): points[seat] for seat in round_.seats}


def view(round_: Round) -> dict[str, Any]:
    playing = still_playing(round_)
    return {
        "status": round_.status,
        "hands": round_.hands,
        "seats": [
            {
                "seat": seat,
                "player": round_.players[seat],
                "opening_stack": round_.opening[seat],
                "stack": round_.stacks[seat],
                "playing": seat in playing,
            }
            for seat in round_.seats
        ],
        "next": next_view(round_),
    }


def settlement(round_: Round, point_value: int | None, unit: str | None) -> dict[str, Any]:
    """7.9: net points, and places that equal nets share (1, 1, 3)."""
    net = {seat: round_.stacks[seat] - round_.opening[seat] - round_.top_ups[seat] for seat in round_.seats}
    standings = [
        {"seat": seat, "net": net[seat], "place": 1 + sum(other > net[seat] for other in net.values())}
        for seat in sorted(round_.seats, key=lambda seat: (-net[seat], seat))
    ]
    money = None
    if point_value is not None:
        worth = {seat: net[seat] * point_value for seat in round_.seats}
        digits = None if unit is None else {"JPY": 0}.get(unit, 2)
        money = {
            "point_value": point_value,
            "unit": unit,
            "unit_digits": digits,
            "net": by_seat(round_, worth),
        }
    return {
        "transfers": copy.deepcopy(round_.transfers),
        "stacks": by_seat(round_, round_.stacks),
        "net": by_seat(round_, net),
        "standings": standings,
        "money": money,
    }


def play_through(
    document: dict[str, Any], ruleset: dict[str, Any], accepted: frozenset[int] = frozenset()
) -> tuple[Round, list[dict[str, Any]]]:
    """Play a round document from its first hand to where it stops: return its state, and the result of every hand."""
    round_ = open_round(document, ruleset)
    departures = document.get("departures") or []
    closed = document.get("closed")
    results = []
    last = len(document["hands"])
    for departure in departures:
        demand(0 <= departure["after_hand"] <= last, "departure-after-hand", departure)
    if closed:
        demand(0 <= closed["after_hand"] <= last, "closed-after-hand", closed)
    demand(all(1 <= number <= last for number in accepted), "irregular-hand", accepted)
    for after_hand in range(last + 1):
        held_open = after_hand < max(accepted, default=0)
        if after_hand > 0:
            results.append(play_hand(round_, document["hands"][after_hand - 1], after_hand in accepted, held_open))
        for departure in departures:
            if departure["after_hand"] == after_hand:
                depart(round_, departure["seat"], after_hand + 1 in accepted, held_open)
        if closed and closed["after_hand"] == after_hand:
            close(round_)
    return round_, results


def play(document: dict[str, Any], ruleset: dict[str, Any], accepted: frozenset[int] = frozenset()) -> dict[str, Any]:
    """Return the result of a round document; the hands numbered in `accepted` were accepted as played."""
    round_, results = play_through(document, ruleset, accepted)
    return {
        "hands": results,
        "round": view(round_),
        "settlement": settlement(round_, document.get("point_value"), document.get("unit")),
    }
