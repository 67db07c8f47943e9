"""One hand scored: the response of POST /v1/score, without the texts."""

from typing import Any

from tests.oracle.deal import check_hand
from tests.oracle.fantasyland import earned
from tests.oracle.fouls import foul_reason
from tests.oracle.points import exchange, royalties
from tests.oracle.refused import demand
from tests.oracle.rows import SIZES, category, middle_category
from tests.oracle.stakes import paying_pairs, settle


def name_of(ruleset: dict[str, Any]) -> str:
    return f"{ruleset['name']}@{ruleset['version']}"


def score_boards(
    players: list[dict[str, Any]], button: int | None, ruleset: dict[str, Any]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the response's `players`, by seat, and its `exchanges`, in paying order."""
    at = {player["seat"]: player for player in players}
    exchanges = [exchange(at[one], at[other], ruleset) for one, other in paying_pairs(list(at), button)]
    scored = []
    for seat in sorted(at):
        reason, royalty = foul_reason(at[seat], ruleset), royalties(at[seat], ruleset)
        won = sum(pair["points"] for pair in exchanges if pair["seats"][0] == seat)
        loss = sum(pair["points"] for pair in exchanges if pair["seats"][1] == seat)
        scored.append(
            {
                "seat": seat,
                "foul": reason is not None,
                "foul_reason": reason,
                "royalties": sum(royalty.values()),
                "points": won - loss,
                "fantasyland": earned(at[seat], ruleset),
                "rows": {
                    row: {"category": _category(row, at[seat][row], ruleset), "royalty": royalty[row]} for row in SIZES
                },
            }
        )
    return scored, exchanges


def _category(row: str, cards: list[str], ruleset: dict[str, Any]) -> str:
    return middle_category(cards, ruleset["low_middle"]) if row == "middle" else category(cards)


def points_of(exchanges: list[dict[str, Any]]) -> list[tuple[int, int, int]]:
    return [(pair["seats"][0], pair["seats"][1], pair["points"]) for pair in exchanges]


def score(request: dict[str, Any], ruleset: dict[str, Any]) -> dict[str, Any]:
    """Score a hand; `transfers` and `stacks` are returned if everyone has a stack and there is a button."""
    players, button = request["players"], request.get("button")
    check_hand(players, ruleset)
    demand(button is None or button >= 1, "button", button)
    for player in players:
        demand(player.get("stays", 0) >= 0, "stays", player.get("stays"))
        for key in ("stack", "opening_stack"):
            demand(player.get(key) is None or player[key] >= 0, "stack", player.get(key))
    scored, exchanges = score_boards(players, button, ruleset)
    result: dict[str, Any] = {"ruleset": name_of(ruleset), "players": scored, "exchanges": exchanges}
    if button is not None and all(player.get("stack") is not None for player in players):
        stacks = {player["seat"]: player["stack"] for player in players}
        opening = dict(stacks)
        for player in players:
            if player.get("opening_stack") is not None:
                opening[player["seat"]] = player["opening_stack"]
        transfers, after = settle(points_of(exchanges), stacks, opening, ruleset["stakes"]["win_limit"])
        result["transfers"] = transfers
        result["stacks"] = {str(seat): after[seat] for seat in sorted(after)}
    return result
