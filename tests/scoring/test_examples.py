"""The examples: one finished round for every preset, which come to what they say and show the whole game."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schemas.documents import RoundDocument, load_document
from schemas.money import find_currency
from schemas.settlements import dump_settlement
from scoring.history import PlayedRound, replay
from scoring.presets import PRESETS
from scoring.round import PlayedHand
from scoring.round_state import RoundStatus
from tests.oracle import PRESETS as PRESETS_OF_THE_ORACLE
from tests.oracle import play, score
from tests.support.scoring.example_layout import lay_out

EXAMPLES = Path(__file__).parents[2] / "examples"
LONGEST = 15_000

SHOWN = {
    "a foul",
    "two fouls in one hand",
    "a scoop",
    "a tied row",
    "a tied exchange",
    "Fantasyland entered",
    "Fantasyland stayed in",
    "Fantasyland lost",
    "a player busted",
    "a departure",
    "a top-up",
    "capped by payer_stack",
    "capped by winner_room under stack",
    "capped by winner_room under opening",
    "streets",
    "cards set by the clock",
    "discards known",
    "discards unknown",
    "the button moved",
    "the button stayed",
    "a complete round",
    "a round closed early",
    "four players",
    "seats skipped",
    "money",
}


def read(*path: str) -> Any:
    return json.loads(EXAMPLES.joinpath(*path).read_text(encoding="utf-8"))


def played_example(name: str) -> tuple[RoundDocument, PlayedRound]:
    document = load_document(read(f"{name}.json"))
    return document, replay(document.history(PRESETS[name]))


def test_every_preset_has_an_example_and_every_example_a_preset() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.json")} == {*PRESETS, "score"}
    assert {path.stem for path in EXAMPLES.joinpath("expected").iterdir()} == PRESETS.keys()


@pytest.mark.parametrize("name", PRESETS)
def test_an_example_has_its_expected_result(name: str) -> None:
    document, played = played_example(name)
    unit = None if document.unit is None else find_currency(document.unit)
    settlement = dump_settlement(played.round, played.payments, 1, document.point_value, unit)
    expected = read("expected", f"{name}.json")
    assert list(expected) == ["transfers", "stacks", "net", "standings", "money"]
    assert {part: settlement[part] for part in expected} == expected


@pytest.mark.parametrize("name", PRESETS)
def test_the_expected_result_of_an_example_matches_the_oracle(name: str) -> None:
    assert play(read(f"{name}.json"), PRESETS_OF_THE_ORACLE[name])["settlement"] == read("expected", f"{name}.json")


@pytest.mark.parametrize("name", PRESETS)
def test_an_example_is_a_finished_round_of_several_hands_under_its_preset(name: str) -> None:
    document, played = played_example(name)
    assert document.ruleset == f"{name}@1"
    assert len(document.hands) >= 3
    assert not played.round.is_open


def test_the_examples_are_distinct() -> None:
    documents = [load_document(read(f"{name}.json")) for name in PRESETS]
    assert len({(document.table, document.reference) for document in documents}) == len(PRESETS)


def test_between_them_the_examples_show_the_whole_game() -> None:
    shown = {phenomenon for name in PRESETS for phenomenon in phenomena(*played_example(name))}
    assert shown == SHOWN


# The samples in examples/formats are laid out as other tools do it.
@pytest.mark.parametrize(
    "path",
    sorted(path for path in EXAMPLES.rglob("*.json") if path.parent.name != "formats"),
    ids=lambda path: path.stem,
)
def test_an_example_is_short_and_written_as_the_others_are(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == lay_out(json.loads(text)) + "\n"
    assert len(text) <= LONGEST


def test_the_list_of_examples_names_each() -> None:
    listed = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert [name for name in (*PRESETS, "score") if f"[{name}.json]({name}.json)" not in listed] == []


def test_the_hand_to_score_is_the_worked_example_of_the_rules() -> None:
    request = read("score.json")
    result = score(request, PRESETS_OF_THE_ORACLE[request["ruleset"]])
    assert [exchange["points"] for exchange in result["exchanges"]] == [4, 2, -1]
    assert [transfer["paid"] for transfer in result["transfers"]] == [3, 2, 1]
    assert result["stacks"] == {"1": 8, "2": 46, "3": 49}


# --- what a round shows ---


def phenomena(document: RoundDocument, played: PlayedRound) -> Iterator[str]:
    """Everything of SHOWN that happens in a round."""
    limit = played.round.ruleset.stakes.win_limit
    yield from ("a departure" for _ in document.departures)
    yield from ("money" for _ in range(document.point_value is not None))
    yield from ("four players" for _ in range(len(document.seats) == 4))
    yield "a complete round" if played.round.status is RoundStatus.COMPLETE else "a round closed early"
    numbers = [seat.seat for seat in document.seats]
    if numbers != list(range(1, len(numbers) + 1)):
        yield "seats skipped"
    for paid in played.payments:
        by = paid.transfer.limited_by
        if by is not None:
            yield f"capped by {by.value}" if by.value == "payer_stack" else f"capped by {by.value} under {limit.value}"
    buttons = [hand.hand.button for hand in played.hands]
    yield from (
        "the button stayed" if one == next_one else "the button moved" for one, next_one in itertools.pairwise(buttons)
    )
    for hand in played.hands:
        yield from _of_hand(hand)


def _of_hand(played: PlayedHand) -> Iterator[str]:
    hand, score_ = played.hand, played.score
    fouls = [board.seat for board in score_.boards if board.foul]
    yield from ("a foul" for _ in fouls[:1])
    yield from ("two fouls in one hand" for _ in fouls[1:2])
    yield from ("a top-up" for _ in hand.top_ups)
    yield from ("a player busted" for seat in hand.by_seat if not played.round.stacks[seat])
    for exchange in score_.exchanges:
        assert exchange.breakdown is not None
        rows = list(exchange.breakdown.rows)
        if not {exchange.first, exchange.second} & set(fouls):
            yield from ("a tied row" for won in rows if not won)
            yield from ("a tied exchange" for _ in range(exchange.points == 0))
        yield from ("a scoop" for won in (1, -1) if rows.count(won) == 3)
    for player, board in zip(sorted(hand.players, key=lambda player: player.seat), score_.boards, strict=True):
        if player.fantasyland:
            yield "Fantasyland stayed in" if board.earned else "Fantasyland lost"
        elif board.earned:
            yield "Fantasyland entered"
        yield "discards unknown" if player.discards is None and player.streets is None else "discards known"
        for street in player.streets or ():
            yield "streets"
            yield from ("cards set by the clock" for _ in street.auto[:1])
