"""The records that a round must have, from its events: every result is replayed from the cards."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import orjson

from evidence.fold import FoldedDispute, FoldedHand, FoldedRound, Revision
from schemas.ledger.journal import Counted
from scoring.errors import ScoringError
from scoring.hand import Seat
from scoring.history import replay
from scoring.round_state import Round
from scoring.ruleset import Points, Ruleset
from scoring.settle_up import find_adjustment
from service.replays.comparing import Expected, Key, Row
from service.replays.in_bulk import ProvenRound
from service.replays.results import results_of
from service.rounds.queries.stored_round import Finality, dump_finality, dump_round
from service.rulesets.queries import digest_ruleset
from service.verification.expected_entries import Happened, expect_entries, round_account_of
from service.verification.expected_texts import expect_texts_of_round

Records = dict[str, dict[Key, dict[str, Any]]]


class InvalidRoundError(Exception):
    """A round cannot be replayed from its events."""


def expect_records(
    folded: FoldedRound,
    events: Sequence[Happened],
    version: int,
    last_event: bytes,
    rulesets: Mapping[str, Ruleset],
    proven: ProvenRound | None,
) -> Expected:
    """
    Return the records that a round must have.

    Args:
        folded: the round.
        events: its events, in order.
        version: the number of its last event.
        last_event: the hash of its last event.
        rulesets: those of the club, by name and version.
        proven: its end, where its stored results are proven and are left out; None replays the round.

    Raises:
        InvalidRoundError: the round is invalid.
    """
    round_id = folded.opening.round
    records: Records = defaultdict(dict)
    _add_opening(records, folded)
    for hand in folded.hands.values():
        records["hands"][(hand.id,)] = _hand_row(round_id, hand)
    for id_, received in folded.submissions.items():
        records["submissions"][(id_,)] = {
            "kind": received.kind,
            "content": received.received.sha256,
            "sha256": received.received.sha256,
            "text": received.received.text,
            "received_at": received.received_at,
        }
    _add_disputes(records, folded)
    records["texts"] |= expect_texts_of_round(folded)
    by_revision = [_find_ruleset(revision, rulesets) for revision in folded.revisions]
    for revision, ruleset in zip(folded.revisions, by_revision, strict=True):
        _add_revision(records, round_id, revision, ruleset)
    account = round_account_of(folded)
    head: Row
    counted: list[Counted | None]
    if proven is None:
        played = _replay(records, folded, by_revision)
        head, is_open = dump_round(played[-1]), played[-1].is_open
        counted = [account.count(each, _dealt(of)) for each, of in zip(played, folded.revisions, strict=True)]
    else:
        head, is_open = _expect_proven(records, folded, by_revision[-1], proven.state), False
        counted = [account.add(folded.newest.seats, proven.nets, _dealt(folded.newest))]
    records["entries"] = expect_entries(account, events, counted)
    records["round_heads"][(round_id,)] = {
        **_head_row(folded, by_revision[-1], is_open=is_open),
        **head,
        "version": version,
        "last_event": last_event,
    }
    return records


def _dealt(revision: Revision) -> Iterator[tuple[Seat, ...]]:
    """Yield the seats that were dealt in, of each hand of a revision."""
    return (hand.hand.seats for hand in revision.hands)


def _expect_proven(records: Records, folded: FoldedRound, ruleset: Ruleset, state: Mapping[str, Any]) -> Row:
    """Add the hand scores of a round with one revision without their results; return the head's columns for these."""
    newest = folded.newest
    for hand, scorer in zip(newest.hands, newest.scorers, strict=True):
        row = _scored_hand(ruleset, hand, scorer)
        records["hand_scores"][folded.opening.round, newest.number, hand.hand.number] = {**row, "irregular": None}
    return {
        "hands": len(newest.hands),
        "seats": [seat.seat for seat in newest.seats],
        "players": [seat.player for seat in newest.seats],
        "opening_stacks": [seat.opening_stack for seat in newest.seats],
        "state": state,
    }


def _replay(records: Records, folded: FoldedRound, rulesets: Sequence[Ruleset]) -> list[Round]:
    """
    Add the results of each revision, and return the round after each.

    Raises:
        InvalidRoundError: a hand is invalid.
    """
    round_id = folded.opening.round
    try:
        played = [
            _add_play(records, (round_id, revision.number), revision, ruleset)
            for revision, ruleset in zip(folded.revisions, rulesets, strict=True)
        ]
        _add_adjustments(records, folded, played, rulesets)
    except ScoringError as error:
        raise InvalidRoundError(str(error)) from error
    return played


def _add_opening(records: Records, folded: FoldedRound) -> None:
    opening = folded.opening
    records["rounds"][(opening.round,)] = {
        "table_id": opening.table,
        "table_sequence": opening.table_sequence,
        "imported": opening.imported,
        "reference": opening.reference,
        "digest": opening.digest,
        "point_value": opening.point_value,
        "unit": opening.unit,
        "unit_digits": opening.unit_digits,
        "charge_per": opening.charge_per,
        "charge_amount": opening.charge_amount,
        "opened_at": opening.opened_at,
        "recorded_at": folded.recorded_at,
        "correction_window_minutes": opening.correction_window_minutes,
    }


def _hand_row(round_id: UUID, recorded: FoldedHand) -> dict[str, Any]:
    hand = recorded.hand
    by_seat = sorted(hand.players, key=lambda player: player.seat)
    return {
        "round_id": round_id,
        "number": hand.number,
        "button": hand.button,
        "played_at": recorded.played_at,
        "recorded_at": recorded.recorded_at,
        "submission_id": recorded.submission,
        "digest": recorded.digest,
        "content": orjson.loads(recorded.content),
        "seats": [player.seat for player in by_seat],
        "fantasyland": [player.fantasyland for player in by_seat],
        "boards": b"".join(player.board.packed for player in by_seat),
        "reference": recorded.reference,
    }


def _add_revision(records: Records, round_id: UUID, revision: Revision, ruleset: Ruleset) -> None:
    place = round_id, revision.number
    records["settlements"][place] = {
        **_ruleset_columns(ruleset),
        "reason": revision.reason,
        "created_at": revision.created_at,
        "adjusts_revision": revision.adjusts,
    }
    for seat in revision.seats:
        records["round_seats"][*place, seat.seat] = {
            "player": seat.player,
            "opening_stack": seat.opening_stack,
            "carried_over": seat.seat in revision.carried_over,
        }
    for position, left in enumerate(revision.departures, start=1):
        records["departures"][*place, position] = {
            "seat": left.departure.seat,
            "after_hand": left.departure.after_hand,
            "reason": left.reason,
            "recorded_at": left.recorded_at,
        }
    if revision.closed:
        records["closings"][place] = {
            "after_hand": revision.closed.closing.after_hand,
            "reason": revision.closed.reason,
            "recorded_at": revision.closed.recorded_at,
        }
    for seat_number, at in revision.confirmed.items():
        records["confirmations"][*place, seat_number] = {"confirmed_at": at}


def _ruleset_columns(ruleset: Ruleset) -> dict[str, Any]:
    return {"ruleset_name": ruleset.name, "ruleset_version": ruleset.version}


def _find_ruleset(revision: Revision, rulesets: Mapping[str, Ruleset]) -> Ruleset:
    """
    Return the ruleset of a revision.

    Raises:
        InvalidRoundError: the club has none of its name and version, or of its digest.
    """
    ruleset = rulesets.get(revision.ruleset)
    if ruleset is None:
        raise InvalidRoundError(f"the club has no ruleset {revision.ruleset!r}")
    if digest_ruleset(ruleset) != revision.ruleset_digest:
        raise InvalidRoundError(
            f"it is played by the ruleset {revision.ruleset} with the digest {revision.ruleset_digest.hex()}; the"
            f" club has {digest_ruleset(ruleset).hex()}"
        )
    return ruleset


def _add_play(records: Records, place: Key, revision: Revision, ruleset: Ruleset) -> Round:
    """
    Add the results of a revision, and return the round after it.

    Raises:
        ScoringError: a hand is invalid.
    """
    results = results_of(revision.history(ruleset))
    if results.error is not None or results.played is None:
        raise results.error or AssertionError("a round that is not played to its end has an error")
    if results.payout is not None:
        records["payouts"][place] = results.payout
    scored = zip(results.scores.items(), revision.hands, revision.scorers, strict=True)
    for (number, row), hand, scorer in scored:
        records["hand_scores"][*place, number] = {**_scored_hand(ruleset, hand, scorer), **row}
    return results.played.round


def _scored_hand(ruleset: Ruleset, hand: FoldedHand, scorer: int) -> dict[str, Any]:
    """Return the columns of a hand score, except the results."""
    return {"hand_id": hand.id, **_ruleset_columns(ruleset), "scorer_version": scorer}


def _add_adjustments(
    records: Records, folded: FoldedRound, played: Sequence[Round], rulesets: Sequence[Ruleset]
) -> None:
    """Add the adjustment payments of each revision after a final one, as they were when it was made."""
    for revision, ruleset in zip(folded.revisions, rulesets, strict=True):
        if revision.adjusts is not None and revision.as_created is not None:
            created = replay(revision.as_created.history(ruleset)).round
            paid = find_adjustment(_nets_of(played[revision.adjusts - 1]), _nets_of(created)).payments
            for position, payment in enumerate(paid, start=1):
                records["adjustments"][folded.opening.round, revision.number, position] = {
                    "payer": payment.payer,
                    "payee": payment.payee,
                    "points": payment.amount,
                }


def _nets_of(round_: Round) -> dict[str, Points]:
    """Return the points that each player has won or lost."""
    return {seat.player: round_.nets[seat.seat] for seat in round_.seats}


def _head_row(folded: FoldedRound, ruleset: Ruleset, *, is_open: bool) -> dict[str, Any]:
    """Return the columns of a round's head, except its results, version and last event."""
    opening, newest = folded.opening, folded.newest
    until = folded.changed_at + timedelta(minutes=opening.correction_window_minutes)
    finality = Finality(final_revision=folded.final_revision, open_disputes=folded.open_disputes)
    return {
        "table_id": opening.table,
        "revision": newest.number,
        **_ruleset_columns(ruleset),
        **dump_finality(finality.after(newest.number, until, is_open=is_open)),
    }


def _add_disputes(records: Records, folded: FoldedRound) -> None:
    round_id = folded.opening.round
    for revision, correction in folded.corrections.items():
        records["corrections"][round_id, revision] = {
            "digest": correction.correction,
            "submission_id": correction.submission.id,
            "dispute": correction.dispute,
        }
    for id_, dispute in folded.disputes.items():
        records["disputes"][(id_,)] = _dispute_row(folded, dispute)
        for entry in dispute.entries:
            records["dispute_entries"][id_, entry.event.version] = {
                "round_id": round_id,
                "kind": entry.event.step.value,
                "author": entry.event.by,
                "author_name": entry.event.key_name,
                "comment": entry.event.words,
                "correction": entry.event.correction,
                "recorded_at": entry.at,
            }
        records["dispute_heads"][(id_,)] = {"state": dispute.state_name, "version": dispute.version}


def _dispute_row(folded: FoldedRound, dispute: FoldedDispute) -> dict[str, Any]:
    opening = dispute.opening
    return {
        "round_id": folded.opening.round,
        "table_id": folded.opening.table,
        "revision": opening.revision,
        "hand": opening.hand,
        "seat": opening.seat,
        "board_row": None if opening.row is None else opening.row.value,
        "claim": opening.claim,
        "author": opening.by,
        "author_name": opening.key_name,
        "opened_at": dispute.opened_at,
    }
