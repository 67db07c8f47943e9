"""Explanations: every figure in them, in each form, is one that the scorer says of the same hand."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from schemas.explanations.output import dump_explanation, render_explanation
from scoring.board import Board
from scoring.exchange import score_board
from scoring.explanation.boards import explain_foul
from scoring.explanation.hands import explain_hand, explain_round
from scoring.explanation.reasons import ExplainedHand, Rule
from scoring.foul import FoulReason
from scoring.history import History, replay
from scoring.presets import PRESETS
from scoring.ruleset import StakesScope
from tests.scoring.test_cases import RULES
from tests.support.scoring.explained_cases import EXPLAINED, TITLES, explanations, golden_name
from tests.support.scoring.strategies import PROPERTY, histories

Document = dict[str, Any]


def explained(history: History) -> Iterator[tuple[ExplainedHand, Document]]:
    for hand in explain_round(history):
        yield hand, dump_explanation(hand)


@PROPERTY
@given(histories())
def test_the_reasons_add_up_to_what_every_pair_and_every_player_is_scored(history: History) -> None:
    played = replay(history)
    hands = list(explained(history))
    assert len(hands) == len(played.hands)
    for (_, explanation), hand in zip(hands, played.hands, strict=True):
        points = dict.fromkeys(hand.score.points, 0)
        assert [tuple(pair["seats"]) for pair in explanation["exchanges"]] == [
            (exchange.first, exchange.second) for exchange in hand.score.exchanges
        ]
        for pair, exchange in zip(explanation["exchanges"], hand.score.exchanges, strict=True):
            total = sum(reason["points"] for reason in pair["reasons"])
            assert total == pair["points"] == exchange.points
            points[exchange.first] += total
            points[exchange.second] -= total
        assert points == hand.score.points == {player["seat"]: player["points"] for player in explanation["players"]}
        for player, scored in zip(explanation["players"], hand.score.boards, strict=True):
            royalties = [row["royalty"]["points"] for row in player["rows"].values() if row["royalty"]]
            assert sum(royalties) == player["royalties"] == scored.royalty_points
            assert (player["foul"] or {"reason": None})["reason"] == scored.foul
            earned = player["fantasyland"]["earned"] if player["fantasyland"] else 0
            assert earned == (scored.earned.cards if scored.earned else 0)


@PROPERTY
@given(histories())
def test_the_payments_are_those_of_the_round_and_explain_every_cap(history: History) -> None:
    played = replay(history)
    paid = [(hand, payment) for hand, _ in explained(history) for payment in hand.payments or ()]
    assert [payment.transfer for _, payment in paid] == [payment.transfer for payment in played.payments]
    for hand, payment in paid:
        transfer = payment.transfer
        limits = [transfer.due, payment.payer_had] + ([] if payment.room is None else [payment.room])
        assert transfer.paid == min(limits)
        assert (payment.payer_had - transfer.paid, payment.payee_had + transfer.paid) == (
            transfer.payer_stack,
            transfer.payee_stack,
        )
        assert payment.cut_off == transfer.due - transfer.paid
        assert (payment.rule is Rule.CAPS) is bool(payment.cut_off)
        assert hand.names[transfer.payer] in payment.text


@PROPERTY
@given(histories())
def test_the_stacks_go_on_from_hand_to_hand_and_end_where_the_round_does(history: History) -> None:
    played = replay(history)
    before = {seat.seat: seat.opening_stack for seat in history.seats}
    for (hand, _), source in zip(explained(history), history.hands, strict=True):
        added = {top_up.seat: top_up.points for top_up in source.top_ups}
        assert hand.stacks is not None
        for stack in hand.stacks:
            assert stack.before == before[stack.seat] + added.get(stack.seat, 0)
            assert stack.after == stack.before + stack.paid
        assert len(hand.remarks) == len(added)
        before = {stack.seat: stack.after for stack in hand.stacks}
    assert before == played.round.stacks


@PROPERTY
@given(histories())
def test_under_scope_round_the_totals_are_what_is_due_in_the_end(history: History) -> None:
    hands = [hand for hand, _ in explained(history)]
    running: dict[tuple[int, int], int] = {}
    for hand in hands:
        assert bool(hand.totals) is (history.ruleset.stakes.scope is StakesScope.ROUND)
        for total, exchange in zip(hand.totals, hand.exchanges, strict=False):
            pair, back = (total.first, total.second), (total.second, total.first)
            already = running.pop(pair, 0) - running.pop(back, 0)
            assert (total.before, total.points) == (already, exchange.points)
            running[pair] = total.after
    if running and hands[-1].payments:
        due = {(payment.transfer.payee, payment.transfer.payer): payment.transfer.due for payment in hands[-1].payments}
        owed = {(a, b) if points > 0 else (b, a): abs(points) for (a, b), points in running.items() if points}
        assert due == owed


@PROPERTY
@given(histories())
def test_cards_that_decide_are_cards_of_the_rows_they_decide(history: History) -> None:
    for hand, _ in explained(history):
        boards = {board.seat: board for board in hand.boards}
        for exchange in hand.exchanges:
            for reason in exchange.reasons:
                for seat, cards in ((exchange.first, reason.first), (exchange.second, reason.second)):
                    rows = boards[seat].cards
                    laid = {card for row in rows for card in row} if reason.row is None else set(rows[reason.row])
                    assert laid.issuperset(cards)


@PROPERTY
@given(histories())
def test_one_hand_is_explained_as_in_its_round(history: History) -> None:
    for hand in explain_round(history):
        assert hand.number is not None
        assert explain_hand(history, hand.number) == hand


@PROPERTY
@given(histories())
def test_the_text_contains_every_figure_of_the_document_and_no_other(history: History) -> None:
    for _, explanation in explained(history):
        text = render_explanation(explanation)
        assert figures_of_pairs(text) == [
            (pair["points"], [(reason["points"], reason["part"]) for reason in pair["reasons"]])
            for pair in explanation["exchanges"]
        ]
        for sentence in sentences(explanation):
            assert f"{sentence['text']}  [{sentence['rule']}]" in text
        stacks = re.findall(r"^  (.+): (\d+) → (\d+), ([+−]?\d+)", text.partition("\nStacks\n")[2], re.MULTILINE)
        assert [(name, int(before), int(after), number(paid)) for name, before, after, paid in stacks] == [
            (stack["player"], stack["before"], stack["after"], stack["paid"]) for stack in explanation["stacks"]
        ]


def test_every_cited_rule_is_a_heading() -> None:
    headings = re.findall(r"^#+ (.+)$", RULES.read_text(encoding="utf-8"), re.MULTILINE)
    assert [rule.value for rule in Rule if rule.value not in headings] == []


def sentences(part: Any) -> Iterator[Document]:
    """Everything in an explanation that says something and names its rule."""
    if isinstance(part, dict):
        if "text" in part:
            yield part
        for inner in part.values():
            yield from sentences(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from sentences(inner)


def figures_of_pairs(text: str) -> list[tuple[int, list[tuple[int, str]]]]:
    """Read what a text says of every pair: its points, and those of every reason."""
    pairs: list[tuple[int, list[tuple[int, str]]]] = []
    for line in text.partition("\nHead-to-head ")[2].partition("\n\n")[0].splitlines()[1:]:
        if heading := re.fullmatch(r"  \S.* against .*: ([+−]?\d+) points?", line):
            pairs.append((number(heading[1]), []))
        else:
            reason = re.match(r" +([+−]?\d+)  (\w+) ", line)
            assert reason is not None, line
            pairs[-1][1].append((number(reason[1]), reason[2]))
    return pairs


def number(written: str) -> int:
    return int(written.replace("−", "-"))


# --- golden texts ---


@pytest.mark.parametrize("title", TITLES)
def test_a_case_is_explained_as_a_player_has_read_it(title: str) -> None:
    name = golden_name(title)
    assert (EXPLAINED / name).read_text(encoding="utf-8") == explanations()[name]


def test_every_rule_is_shown_and_no_text_is_left_over() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in EXPLAINED.iterdir()}
    assert set(texts) == set(map(golden_name, TITLES))
    assert [rule.value for rule in Rule if not any(f"  [{rule.value}]\n" in text for text in texts.values())] == []


@pytest.mark.parametrize(
    ("ruleset", "board", "reason", "says"),
    [
        (
            "pineapple",
            ("QsQdAc", "QhQcKd9h2s", "AhJh7h6h2h"),
            FoulReason.TOP_BEATS_MIDDLE,
            "foul: both a pair of queens; the top's ace beats the middle's king: A♣ against K♦",
        ),
        (
            "pineapple",
            ("Ks9c2d", "AsAcQd8d3c", "KdKc7d6s4c"),
            FoulReason.MIDDLE_BEATS_BOTTOM,
            "foul: the middle's pair of aces beats the bottom's pair of kings: A♠ A♣ against K♦ K♣",
        ),
        (
            "deuce-to-seven",
            ("3s2s4d", "JsTd8c5d2c", "KsKdQd6s4c"),
            FoulReason.MIDDLE_DOES_NOT_QUALIFY,
            "foul: the middle, jack high, does not qualify as a low: J♠; only ten high or lower does, without a pair,"
            " a straight or a flush",
        ),
        (
            "deuce-to-seven",
            ("AdAc9d", "7s5d4c3d2c", "KsKd8d6s3c"),
            FoulReason.TOP_BEATS_BOTTOM,
            "foul: the top's pair of aces beats the bottom's pair of kings: A♦ A♣ against K♠ K♦",
        ),
    ],
)
def test_every_foul_shows_its_rows_and_cards(
    ruleset: str, board: tuple[str, str, str], reason: FoulReason, says: str
) -> None:
    laid = Board.of(*board)
    scored = score_board(1, laid, None, PRESETS[ruleset])
    foul = explain_foul(laid.rows, scored)
    assert foul is not None
    assert (foul.reason, foul.text) == (reason, says)
