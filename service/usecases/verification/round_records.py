"""What must be recorded of a round that its events tell: every record, every figure played again from the cards."""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Final
from uuid import UUID

from schemas.disputes import DisputeRequest
from schemas.hands import digest_of
from scoring.errors import ScoringError
from scoring.history import replay_steps
from scoring.round import Departed, open_round
from scoring.round_state import Round
from scoring.ruleset import Points, Ruleset
from scoring.settle_up import find_adjustment
from scoring.settlement import Transfer
from service.repository.firmness import Firmness, dump_firmness
from service.repository.hand_records import pack_boards
from service.repository.hands import score_parameters
from service.repository.round_state import dump_round, in_order
from service.repository.rulesets import digest_ruleset
from service.usecases.verification.comparing import Key, Row, Told
from service.usecases.verification.told import ToldDispute, ToldHand, ToldRevision, ToldRound, UntellableError

Records = dict[str, dict[Key, Row]]
_PLAYER: Final = ("points", "fouls", "royalties", "earned", "stays", "exchanges", "stacks_before", "stacks")
"""What `score_parameters` calls as its column is called."""


@dataclass(frozen=True, slots=True)
class _Played:
    """A revision played again, and what its records have of that."""

    round: Round

    @property
    def nets(self) -> dict[str, Points]:
        """What each player has won or lost."""
        return {seat.player: self.round.nets[seat.seat] for seat in self.round.seats}


def round_records(told: ToldRound, rulesets: Mapping[str, Ruleset]) -> Told:
    """
    Say what must be recorded of a round.

    Args:
        told: the round.
        rulesets: those of the club, by name and version.

    Raises:
        UntellableError: it cannot have been played like this.
    """
    records: Records = defaultdict(dict)
    _add_opening(records, told)
    for hand in told.hands.values():
        records["hands"][(hand.id,)] = _hand_row(told.id, hand)
    for id_, received in told.submissions.items():
        records["submissions"][(id_,)] = {
            "kind": received.kind,
            "content": received.sha256,
            "sha256": received.sha256,
            "received_at": received.at,
        }
    _add_what_was_said(records, told)
    try:
        played = [_add_revision(records, told, revision, rulesets) for revision in told.revisions]
        _add_adjustments(records, told, played, rulesets)
    except ScoringError as error:
        raise UntellableError(str(error)) from error
    except KeyError as error:
        raise UntellableError(f"the club has no ruleset {error}") from error
    _add_head(records, told, played[-1].round)
    return records


def _add_opening(records: Records, told: ToldRound) -> None:
    opening = told.opening
    records["rounds"][(told.id,)] = {
        "table_id": UUID(opening["table"]),
        "reference": opening["reference"],
        "digest": bytes.fromhex(opening["digest"]),
        "point_value": opening["point_value"],
        "currency": opening["currency"],
        "opened_at": told.opened_at,
        "correction_window_minutes": opening["correction_window_minutes"],
    }


def _hand_row(round_id: UUID, told: ToldHand) -> Row:
    hand = told.submitted.hand
    by_seat = sorted(hand.players, key=lambda player: player.seat)
    return {
        "round_id": round_id,
        "number": hand.number,
        "button": hand.button,
        "played_at": told.submitted.played_at,
        "recorded_at": told.at,
        "submission_id": told.submission,
        "digest": told.digest,
        "content": told.content,
        "seats": [player.seat for player in by_seat],
        "fantasyland": [player.fantasyland for player in by_seat],
        "boards": pack_boards(by_seat),
    }


def _add_revision(
    records: Records, told: ToldRound, revision: ToldRevision, rulesets: Mapping[str, Ruleset]
) -> _Played:
    ruleset = _ruleset(told, revision, rulesets)
    rules = {"ruleset_name": ruleset.name, "ruleset_version": ruleset.version}
    place = told.id, revision.number
    records["settlements"][place] = {
        **rules,
        "reason": revision.reason,
        "created_at": revision.at,
        "adjusts_revision": revision.adjusts,
    }
    for seat in revision.seats:
        records["round_seats"][*place, seat.seat] = {
            "player": seat.player,
            "opening_stack": seat.opening_stack,
            "carried_over": seat.seat in revision.carried,
        }
    for position, left in enumerate(revision.departures, start=1):
        records["departures"][*place, position] = {
            "seat": left.ending.seat,
            "after_hand": left.ending.after_hand,
            "reason": left.ending.reason,
            "recorded_at": left.at,
        }
    if revision.closed:
        closing = revision.closed.ending
        records["closings"][place] = {
            "after_hand": closing.after_hand,
            "reason": closing.reason,
            "recorded_at": revision.closed.at,
        }
    return _add_play(records, place, revision, ruleset)


def _ruleset(told: ToldRound, revision: ToldRevision, rulesets: Mapping[str, Ruleset]) -> Ruleset:
    ruleset = rulesets[revision.ruleset]
    said = told.ruleset_digests[revision.ruleset]
    if digest_ruleset(ruleset).hex() != said:
        raise UntellableError(
            f"it is played by a ruleset {revision.ruleset} of the digest {said}, which the club has not"
        )
    return ruleset


def _add_play(records: Records, place: Key, revision: ToldRevision, ruleset: Ruleset) -> _Played:
    history = revision.history(ruleset)
    round_ = open_round(ruleset, history.seats)
    hands = iter(zip(revision.hands, revision.scorers, strict=True))
    for step in replay_steps(round_, history):
        if isinstance(step, Departed):
            if step.transfers:
                seats = round_.seat_numbers
                records["payouts"][place] = {
                    "number": round_.hands,
                    "stacks_before": in_order(seats, round_.stacks),
                    "stacks": in_order(seats, step.round.stacks),
                    "transfer_count": len(step.transfers),
                }
                _add_transfers(records, (*place, round_.hands, True), step.transfers)
        else:
            hand, scorer = next(hands)
            score = score_parameters(round_, step)
            number = step.hand.number
            records["hand_scores"][*place, number] = {
                "hand_id": hand.id,
                "ruleset_name": ruleset.name,
                "ruleset_version": ruleset.version,
                "scorer_version": scorer,
                **{name: score[name] for name in _PLAYER},
                "top_ups": score["added"],
                "transfer_count": len(step.transfers),
                "irregular": score["irregular"] and json.loads(score["irregular"]),
            }
            _add_transfers(records, (*place, number, False), step.transfers)
        round_ = step.round
    return _Played(round_)


def _add_transfers(records: Records, place: Key, transfers: Sequence[Transfer]) -> None:
    for paid in transfers:
        records["transfers"][*place, paid.order] = {
            "payer": paid.payer,
            "payee": paid.payee,
            "due": paid.due,
            "paid": paid.paid,
            "limited_by": paid.limited_by and paid.limited_by.value,
            "payer_stack": paid.payer_stack,
            "payee_stack": paid.payee_stack,
        }


def _add_adjustments(
    records: Records, told: ToldRound, played: Sequence[_Played], rulesets: Mapping[str, Ruleset]
) -> None:
    """Say who pays whom because of revisions that came after a final one, as each came to when it was made."""
    for revision in told.revisions:
        if revision.adjusts is not None and revision.replayed is not None:
            made = _add_play(defaultdict(dict), (), revision.replayed, rulesets[revision.ruleset])
            paid = find_adjustment(played[revision.adjusts - 1].nets, made.nets).payments
            for position, payment in enumerate(paid, start=1):
                records["adjustments"][told.id, revision.number, position] = {
                    "payer": payment.payer,
                    "payee": payment.payee,
                    "points": payment.amount,
                }


def _add_head(records: Records, told: ToldRound, round_: Round) -> None:
    until = told.window_from + timedelta(minutes=told.opening["correction_window_minutes"])
    firmness = Firmness(final_revision=told.final_revision, open_disputes=told.open_disputes)
    records["round_heads"][(told.id,)] = {
        "table_id": UUID(told.opening["table"]),
        "version": told.version,
        "revision": told.newest.number,
        "ruleset_name": round_.ruleset.name,
        "ruleset_version": round_.ruleset.version,
        **dump_round(round_),
        **dump_firmness(firmness.after(told.newest.number, until, is_open=round_.is_open)),
        "last_event": told.last_hash,
    }


def _add_what_was_said(records: Records, told: ToldRound) -> None:
    for revision, content in told.corrections.items():
        records["corrections"][told.id, revision] = {
            "digest": bytes.fromhex(content["correction"]),
            "submission_id": UUID(content["submission"]["id"]),
            "dispute": content["dispute"] and UUID(content["dispute"]),
        }
    for (revision, seat), at in told.confirmations.items():
        records["confirmations"][told.id, revision, seat] = {"confirmed_at": at}
    for id_, dispute in told.disputes.items():
        records["disputes"][(id_,)] = _dispute_row(told, dispute)
        for version, (content, at) in enumerate(dispute.entries, start=2):
            records["dispute_entries"][id_, version] = {
                "round_id": told.id,
                "kind": content["kind"],
                "said_by": content["by"],
                "words": _hidden("words", content["words"]),
                "correction": content["correction"],
                "digest": lambda row: digest_of([row["said_by"], row["words"]]),
                "at": at,
            }
        records["dispute_heads"][(id_,)] = {"state": dispute.state, "version": len(dispute.entries) + 1}


def _dispute_row(told: ToldRound, dispute: ToldDispute) -> Row:
    content = dispute.content

    def digest(row: Row) -> bytes:
        return DisputeRequest(told.id, row["hand"], row["seat"], row["board_row"], row["claim"], row["said_by"]).digest

    return {
        "round_id": told.id,
        "table_id": UUID(told.opening["table"]),
        "revision": content["revision"],
        "hand": content["hand"],
        "seat": content["seat"],
        "board_row": content["row"],
        "claim": _hidden("claim", content["claim"]),
        "said_by": content["by"],
        "digest": digest,
        "opened_at": dispute.at,
    }


def _hidden(column: str, told: str | None) -> Callable[[Row], str | None]:
    """Say what words must be of which the event has the SHA-256 only: those that are there, or others."""

    def right(row: Row) -> str | None:
        kept = row[column]
        found = None if kept is None else sha256(kept.encode()).hexdigest()
        return kept if found == told else told and f"words of the SHA-256 {told}"

    return right
