"""Parses and plays the golden cases of `tests/cases/`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import yaml

from scoring.board import Row
from scoring.description import describe
from scoring.errors import ScoringError
from scoring.exchange import Exchange, ScoredBoard
from scoring.hand import PlayerHand, Seat
from scoring.round import Departed, PlayedHand, close_round, depart, open_round, play_hand
from scoring.round_state import Round, rank_players
from scoring.ruleset import Ruleset
from scoring.score import HandScore
from scoring.settle_up import find_payments
from scoring.settlement import Transfer, settle
from scoring.single_hand import SingleHandPlayer, SingleHandScore, score_single_hand
from tests.support.scoring.notation import Changes, hand_of, player_of, pointer_to, ruleset_of, seats_of

FOLDER = Path(__file__).parents[2] / "cases"
KINDS = {"hand", "button", "stacks", "opening_stacks", "pay", "seats", "play", "settlement", "nets"}
PARTS = {"title", "rules", "ruleset", "expect", "refused"} | KINDS
STEP_PARTS = {"hand", "leaves", "closes", "number", "button", "top_ups", "irregular", "expect", "next", "refused"}

T = TypeVar("T")
Check = tuple[str, Any, Any]
"""What is compared, what the case expects, and what the scorer says."""
Checks = Iterator[Check]


@dataclass(frozen=True)
class Case:
    """One golden case, with the boards that its file names."""

    file: str
    content: Changes
    boards: Mapping[str, str]

    @property
    def title(self) -> str:
        return str(self.content["title"])

    @property
    def rules(self) -> list[str]:
        return list(self.content["rules"])

    def players(self, written: Mapping[Seat, Any]) -> dict[Seat, Any]:
        """Replace the names of boards by the boards."""
        return {seat: self._with_board(player) for seat, player in written.items()}

    def _with_board(self, player: Any) -> Any:
        if isinstance(player, str):
            return self.boards.get(player, player)
        return {**player, "board": self.boards.get(player["board"], player["board"])}


def load_cases() -> list[Case]:
    """Read every case of every file."""
    return [case for path in sorted(FOLDER.glob("*.yaml")) for case in _cases_in(path)]


def _cases_in(path: Path) -> Iterator[Case]:
    boards: Mapping[str, str] = {}
    for content in yaml.load_all(path.read_text(encoding="utf-8"), yaml.CSafeLoader):
        if content.keys() == {"boards"}:
            boards = content["boards"]
        else:
            yield Case(path.name, content, boards)


def compare(case: Case) -> Checks:
    """Play a case, and give everything that it expects beside what came out."""
    content = case.content
    unknown = content.keys() - PARTS
    assert not unknown, f"{case.title}: a case has no {sorted(unknown)}"
    if "seats" in content:
        yield from _round(case)
    elif "hand" in content:
        yield from _hand(case)
    elif "pay" in content:
        yield from _payments(content)
    elif "nets" in content:
        yield from _settle_up(content)
    else:
        yield from _attempt(content, partial(ruleset_of, content["ruleset"]))[1]


def _attempt(part: Changes, play: Callable[[], T]) -> tuple[T | None, list[Check]]:
    """Do what may be refused: what came of it, and whether it was refused just as expected."""
    expected = part.get("refused")
    try:
        return play(), [("refused", expected, None)]
    except ScoringError as error:
        mistakes = [(mistake.code, pointer_to(mistake.path)) for mistake in error.mistakes]
        refusals = [(refusal["code"], refusal["at"]) for refusal in expected or ()]
        checks: list[Check] = [("refused", refusals, mistakes)]
        for refusal, mistake in zip(expected or (), error.mistakes, strict=False):
            detail = refusal.get("detail", "")
            checks.append((f"detail of {mistake.code}", detail, detail if detail in mistake.detail else mistake.detail))
        return None, checks


def _hand(case: Case) -> Checks:
    content, expected = case.content, case.content.get("expect", {})
    ruleset, written = ruleset_of(content["ruleset"]), case.players(content["hand"])
    opening_stacks = content.get("opening_stacks", {})

    def score() -> tuple[list[SingleHandPlayer], SingleHandScore]:
        players = [
            SingleHandPlayer(
                player_of(seat, player),
                stays=player.get("stays", 0) if isinstance(player, dict) else 0,
                stack=content.get("stacks", {}).get(seat),
                opening_stack=opening_stacks.get(seat),
            )
            for seat, player in written.items()
        ]
        return players, score_single_hand(ruleset, players, content.get("button"))

    scored, checks = _attempt(content, score)
    yield from checks
    if scored is not None:
        players, single = scored
        yield from _scores(expected, [player.played for player in players], single.score, ruleset)
        paid = single.settlement
        yield from _transfers(expected, paid.transfers if paid else (), paid.stacks if paid else {})


def _payments(content: Changes) -> Checks:
    pairs = {tuple(map(int, pair.split("-"))): points for pair, points in content["pay"].items()}
    exchanges = [Exchange(first, second, points) for (first, second), points in pairs.items()]
    limit = ruleset_of(content["ruleset"]).stakes.win_limit
    paid = settle(exchanges, content["stacks"], limit, content.get("opening_stacks"))
    yield from _transfers(content["expect"], paid.transfers, paid.stacks)


def _settle_up(content: Changes) -> Checks:
    settled, checks = _attempt(content, partial(find_payments, content["nets"]))
    yield from checks
    if settled is not None:
        payments = [f"{payment.payer} pays {payment.payee} {payment.amount}" for payment in settled.payments]
        yield from _fields("settle-up", content["expect"], {"payments": payments, "fewest": settled.is_fewest})


def _round(case: Case) -> Checks:
    content = case.content
    round_, checks = _attempt(content, lambda: open_round(ruleset_of(content["ruleset"]), seats_of(content["seats"])))
    yield from checks
    if round_ is None:
        return
    steps = content.get("play", ())
    for number, step in enumerate(steps, start=1):
        unknown = step.keys() - STEP_PARTS
        assert not unknown, f"{case.title}: a step has no {sorted(unknown)}"
        after, checks = _attempt(step, partial(_take, case, round_, step, steps[number:]))
        checks += [] if after is None else _after(step, after)
        yield from ((f"step {number}: {what}", expected, actual) for what, expected, actual in checks)
        round_ = round_ if after is None else after.round
    yield from _settlement(content.get("settlement", {}), round_)


def _take(case: Case, round_: Round, step: Changes, later: Sequence[Changes]) -> PlayedHand | Departed:
    hold_open = any("irregular" in each for each in later)
    if "hand" in step:
        number = step.get("number", round_.hands + 1)
        hand = hand_of(number, step["button"], case.players(step["hand"]), step.get("top_ups"))
        return play_hand(round_, hand, accepted="irregular" in step, hold_open=hold_open)
    if "leaves" in step:
        overruled = {"departure-in-sequence"} if later and "irregular" in later[0] else set[str]()
        return depart(round_, step["leaves"], overruled=overruled, hold_open=hold_open)
    return close_round(round_)


def _after(step: Changes, after: PlayedHand | Departed) -> Checks:
    expected = step.get("expect", {})
    if isinstance(after, PlayedHand):
        yield from _scores(expected, after.hand.players, after.score, after.round.ruleset)
        yield "irregular", step.get("irregular", []), [mistake.code for mistake in after.irregular]
    yield from _transfers(expected, after.transfers, after.round.stacks)
    if "next" in step:
        yield "next", step["next"], _next(after.round)


def _next(round_: Round) -> Any:
    following = round_.next_hand
    if following is None:
        return round_.status.value
    owed = {seat: fantasyland.cards for seat, fantasyland in following.fantasyland.items()}
    return {"button": following.button, "seats": list(following.seats)} | ({"fantasyland": owed} if owed else {})


def _scores(expected: Changes, players: Iterable[PlayerHand], score: HandScore, ruleset: Ruleset) -> Checks:
    seats = {player.seat for player in players}
    pairs = {f"{exchange.first}-{exchange.second}": exchange for exchange in score.exchanges}
    unknown = expected.keys() - seats - pairs.keys() - {"paid", "stacks"}
    assert not unknown, f"{sorted(map(str, unknown))} is no seat or pair of this hand; pairs are {sorted(pairs)}"
    for board in score.boards:
        actual: dict[str, Any] = {
            "foul": board.foul.value if board.foul else False,
            "royalties": list(board.royalties),
            "fantasyland": board.earned.cards if board.earned else 0,
            "points": score.points[board.seat],
            "rows": _descriptions(board, ruleset),
        }
        fields = expected.get(board.seat, {})
        if "rows" in fields:
            actual["rows"] = {row: actual["rows"].get(row) for row in fields["rows"]}
        yield from _fields(f"seat {board.seat}", fields, actual)
    for pair, exchange in pairs.items():
        breakdown = exchange.breakdown
        assert breakdown is not None
        actual = {
            "rows": list(breakdown.rows),
            "row_points": breakdown.row_points,
            "bonus": breakdown.bonus,
            "foul": breakdown.foul,
            "royalties": breakdown.royalties,
            "points": exchange.points,
        }
        yield from _fields(f"pair {pair}", expected.get(pair, {}), actual)


def _descriptions(board: ScoredBoard, ruleset: Ruleset) -> dict[str, str]:
    return {
        row.value: describe(strength, as_low=ruleset.low_middle and row is Row.MIDDLE)
        for row, strength in board.strengths.items()
    }


def _fields(of: str, expected: Changes, actual: Changes) -> Checks:
    for field, value in expected.items():
        assert field in actual, f"{of} has no {field}, but {', '.join(actual)}"
        yield f"{of}, {field}", value, actual[field]


def _transfers(expected: Changes, transfers: tuple[Transfer, ...], stacks: Mapping[Seat, int]) -> Checks:
    if "paid" in expected:
        yield "paid", expected["paid"], [_sentence(transfer) for transfer in transfers]
    if "stacks" in expected:
        yield "stacks", expected["stacks"], dict(stacks)


def _sentence(transfer: Transfer) -> str:
    paid = f"{transfer.payer} pays {transfer.payee} {transfer.paid}"
    return f"{paid} of {transfer.due}, {transfer.limited_by.value}" if transfer.limited_by else paid


def _settlement(expected: Changes, round_: Round) -> Checks:
    actual = {
        "status": round_.status.value,
        "stacks": dict(round_.stacks),
        "net": dict(round_.nets),
        "places": {standing.seat: standing.place for standing in rank_players(round_.nets)},
    }
    yield from _fields("settlement", expected, actual)
