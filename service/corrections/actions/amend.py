"""Replay a round with an amended document, for corrections and what-if questions."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any, Final
from uuid import UUID

from schemas.base import WireError, show
from schemas.corrections.comparisons import RoundComparison, RoundSnapshot
from schemas.corrections.patches import Patched
from schemas.corrections.requests import Edits, WhatIfRequest
from schemas.documents import RoundDocument, digest_document, dump_document, load_document
from schemas.fields import show_time
from schemas.hand_identity import prefer_recorded
from schemas.hands import HandView
from schemas.money import refuse_inexact
from schemas.problems import sentence_of, show_pointer
from scoring.errors import HandError, Mistake, ScoringError
from scoring.hand import Seat
from scoring.history import (
    Closing,
    Departure,
    History,
    Paid,
    PlayedRound,
    accept_irregular,
    check_irregular,
    drop_late_departures,
    replay,
    without_needless_marks,
)
from scoring.ruleset import Points, Ruleset
from scoring.settlement import Transfer
from service.corrections import queries as corrections
from service.db import Transaction
from service.errors import CorrectionInvalid, HandIrregular, RulesetUnknown
from service.players.queries.aliases import hold_aliases
from service.rounds.actions.checks import find_time_mistakes, refuse_aliases_together
from service.rounds.actions.documents import find_document_mistakes, write_document
from service.rounds.actions.opening import view_round
from service.rounds.actions.recording import view_hand
from service.rounds.queries import histories, rounds
from service.rounds.queries.histories import StoredHistory
from service.rounds.queries.records import RoundRecords, get_records
from service.rounds.queries.stored_round import StoredRound
from service.rulesets.actions import ruleset_named
from service.tables import queries as tables


def snapshot_recorded(records: RoundRecords, happened: StoredHistory) -> RoundSnapshot:
    """Return the stored hands, nets and stacks of a revision, given its records and the history in them."""
    paid, then = records.paid, records.result
    names = {seat.seat: seat.player for seat in happened.seats}
    sides = tuple(
        replace(
            view_hand(stored),
            transfers=_paid_after(paid, stored.hand.number),
            stacks=then.stacks if stored is happened.hands[-1] else stored.stacks,
        )
        for stored in happened.hands
    )
    return RoundSnapshot(sides, _by_player(names, then.nets), _by_player(names, then.stacks))


def snapshot_played(played: PlayedRound) -> RoundSnapshot:
    """Return the hands, nets and stacks of a replayed round."""
    names = {seat.seat: seat.player for seat in played.round.seats}
    sides = tuple(
        HandView(
            hand=hand.hand,
            ruleset=hand.round.ruleset,
            players=names,
            score=hand.score,
            transfers=_paid_after(played.payments, hand.hand.number),
            stacks=played.round.stacks if hand is played.hands[-1] else hand.round.stacks,
            irregular=hand.irregular,
        )
        for hand in played.hands
    )
    return RoundSnapshot(sides, _by_player(names, played.round.nets), _by_player(names, played.round.stacks))


def find_dropped(old: Sequence[Departure], new: Sequence[Departure]) -> tuple[Departure, ...]:
    """Find the departures of players who are no longer recorded as having left."""
    seats = {departure.seat for departure in new}
    return tuple(departure for departure in old if departure.seat not in seats)


def _paid_after(paid: Sequence[Paid], number: int) -> tuple[Transfer, ...]:
    return tuple(each.transfer for each in paid if each.hand == number)


def _by_player(names: Mapping[Seat, str], points: Mapping[Seat, Points]) -> dict[str, Points]:
    return {names[seat]: points[seat] for seat in sorted(names)}


_FIXED: Final = (
    *("table", "reference", "opened_at", "point_value", "unit", "unit_digits"),
    *("charge_per", "charge_amount"),
)
_PLACE: Final = "document"
_CHANGED: Final = {"patch": "patched", "changes": "changed"}


@dataclass(frozen=True, slots=True)
class AmendedRound:
    """An amended round: its document, its history and the replayed result."""

    document: RoundDocument
    history: History
    played: PlayedRound


@contextmanager
def locate_mistakes(
    recorded: RoundDocument,
    edits: Edits | None,
    ruleset: str | None = None,
    *,
    find_more: Callable[[Any], Iterable[Mistake]],
) -> Iterator[Callable[[], RoundDocument]]:
    """
    Convert the path of every mistake in an amended document to a path in the request.

    Args:
        recorded: the recorded document.
        edits: the changes of the request; None if the request has the amended document itself.
        ruleset: the ruleset of the request, if it has one.
        find_more: lists further mistakes in an amended document that fails validation.

    Yields:
        A function that returns the amended document.

    Raises:
        WireError: a change cannot be applied, or the changed document is invalid.
    """
    has_document = edits is None
    if edits is None:
        edits = Edits()
    patched = Patched(None, ())

    def amend() -> RoundDocument:
        nonlocal patched
        patched = edits.apply(dump_document(recorded))
        try:
            document = load_document(patched.document)
        except WireError as error:
            more = error.with_more(find_more(patched.document), patched.document)
            raise WireError(tuple(mistake.under(_PLACE) for mistake in more.mistakes)) from error
        return document if ruleset is None else replace(document, ruleset=ruleset)

    def place(mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
        return tuple(_in_request(mistake, patched, edits, has_ruleset=ruleset is not None) for mistake in mistakes)

    try:
        yield amend
    except (WireError, ScoringError) as error:
        if has_document:
            raise
        raise type(error)(place(error.mistakes)) from error
    except (HandIrregular, CorrectionInvalid, RulesetUnknown) as error:
        if has_document:
            raise
        raise type(error)(str(error), place(error.mistakes)) from error


def _in_request(mistake: Mistake, patched: Patched, edits: Edits, *, has_ruleset: bool) -> Mistake:
    if mistake.path[:1] != (_PLACE,):
        return mistake
    place = mistake.path[1:]
    source = None if has_ruleset and place == ("ruleset",) else patched.find_source(place)
    if source is None and has_ruleset:
        source = ("ruleset",)
    elif source is None:
        source = (edits.field, 0) if len(edits) == 1 else (edits.field,)
    name = "the round's document" if not edits else f"the {_CHANGED[edits.field]} document"
    detail = f"at {show_pointer(place)} of {name}: {sentence_of(replace(mistake, path=place))}"
    return Mistake(mistake.code, source, detail if place else mistake.detail)


def amend_round(
    transaction: Transaction,
    before: StoredRound,
    recorded: RoundDocument,
    document: RoundDocument,
    *,
    accepts: bool,
    is_what_if: bool = False,
) -> AmendedRound:
    """
    Replay a round from its amended document. Unchanged hands keep their records.

    Args:
        transaction: the club's transaction, to find rulesets.
        before: the round.
        recorded: the recorded document.
        document: the amended document.
        accepts: whether hands that no longer follow are accepted as played.
        is_what_if: whether departures that the ruleset does not allow are accepted too.

    Raises:
        CorrectionInvalid: the amended document changes a field that a correction cannot change.
        RulesetUnknown: the ruleset does not exist.
        HandIrregular: a hand does not follow the hands before it, and is valid if accepted as played.
        ScoringError: the first invalid hand or departure, with its path in the document.
    """
    digits = recorded.unit_digits if document.unit_digits is None else document.unit_digits
    document = replace(document, opened_at=document.opened_at or recorded.opened_at, unit_digits=digits)
    _refuse_other_table(recorded, document)
    by_number = {submitted.hand.number: submitted for submitted in recorded.hands}
    hands = [
        prefer_recorded(by_number.get(submitted.hand.number, submitted), submitted) for submitted in document.hands
    ]
    document = replace(document, hands=tuple(hands))
    of_hands = (((_PLACE, "hands", index, "played_at"), submitted.played_at) for index, submitted in enumerate(hands))
    implausible = list(find_time_mistakes(transaction.now, of_hands))
    if implausible:
        raise HandError(implausible)
    ruleset = ruleset_named(transaction, document.ruleset, _PLACE, "ruleset")
    history = replace(document.history(ruleset), is_what_if=is_what_if)
    try:
        check_irregular(history)
        if accepts:
            history = accept_irregular(replace(history, irregular=frozenset()))
        history = drop_late_departures(without_needless_marks(history), _held_open(recorded, document))
        played = replay(history)
    except ScoringError as error:
        raise _refusal(history, error) from error
    refuse_inexact(played.round, before.point_value, _PLACE)
    players = [seat.player for seat in document.seats]
    if {*players} - {seat.player for seat in recorded.seats}:
        refuse_aliases_together(hold_aliases(transaction), players, _PLACE)
    return AmendedRound(replace(document, ruleset=str(ruleset), departures=history.departures), history, played)


def is_as_recorded(amended: AmendedRound, happened: StoredHistory, recorded: RoundDocument) -> bool:
    """Return whether the amended round is the same as the recorded one, including the hands accepted as played."""
    return (
        set(amended.history.irregular) == set(happened.history.irregular)
        and amended.history.ruleset == happened.ruleset
        and _list_endings(amended.document) == _list_endings(recorded)
        and digest_document(replace(amended.document, irregular=())) == digest_document(replace(recorded, irregular=()))
    )


def _list_endings(document: RoundDocument) -> list[Departure | Closing | None]:
    """List the departures in order, and the closing, with their reasons."""
    return [*sorted(document.departures, key=lambda departure: departure.after_hand), document.closed]


def _held_open(recorded: RoundDocument, document: RoundDocument) -> list[Departure]:
    """List the departures that were possible only because a hand, now removed, kept the round open."""
    last = len(document.hands)
    is_removed = any(accepted.number > last for accepted in recorded.irregular)
    return [each for each in recorded.departures if is_removed and each.after_hand >= last]


def _refuse_other_table(recorded: RoundDocument, document: RoundDocument) -> None:
    mistakes = [
        Mistake(
            "correction-fixed",
            (_PLACE, name),
            f"is {_show(new)}; expected {_show(old)}, because a correction cannot change it",
        )
        for name, old, new in ((name, getattr(recorded, name), getattr(document, name)) for name in _FIXED)
        if new != old
    ]
    if mistakes:
        raise CorrectionInvalid(
            "a correction cannot change the table, reference, opening time, point value, unit or standing charge of"
            " a round",
            mistakes,
        )


def _show(value: object) -> str:
    return show(show_time(value) if isinstance(value, datetime) else value)


def _refusal(history: History, error: ScoringError) -> HandIrregular | ScoringError:
    """Return the error, as `HandIrregular` with the hand's number if the hand is valid when accepted as played."""
    accepted = accept_irregular(history)
    placed = error.under(_PLACE)
    more = set(accepted.irregular).difference(history.irregular)
    try:
        replay(accepted)
    except ScoringError:
        return placed
    detail = f"hand {min(more)} does not follow the hands before it: {error.mistakes[0].detail}"
    return HandIrregular(detail, placed.mistakes)


def what_if(transaction: Transaction, round_id: UUID, request: WhatIfRequest) -> RoundComparison:
    """
    Compare a round with its result under another ruleset or with an amended document. Nothing is stored.

    Hands, top-ups and departures are accepted as played, so that the whole round is compared.

    Raises:
        NotFound: the round does not exist.
        WireError: the changes cannot be applied.
        CorrectionInvalid, RulesetUnknown, ScoringError: the amended round is invalid.
    """
    # The result is read with several queries, so the round is locked against other changes.
    before = rounds.lock(transaction, round_id)
    records = get_records(transaction, round_id, before.revision)
    happened = histories.history_of(records)
    recorded = write_document(before, happened, tables.get(transaction, before.table_id).name)

    def find_ruleset(name: str) -> Ruleset:
        return ruleset_named(transaction, request.ruleset or name)

    find_more = partial(find_document_mistakes, find_ruleset, accepts=True)
    with locate_mistakes(recorded, request.edits, request.ruleset, find_more=find_more) as amend:
        amended = amend_round(transaction, before, recorded, amend(), accepts=True, is_what_if=True)
    return RoundComparison(
        view=view_round(replace(before.changed(transaction.now, amended.played.round), version=before.version)),
        revision=before.revision,
        before=snapshot_recorded(records, happened),
        after=snapshot_played(amended.played),
        carried_over=corrections.list_carried_over(transaction, before),
        dropped_departures=find_dropped(recorded.departures, amended.history.departures),
        changed=not is_as_recorded(amended, happened, recorded),
    )
