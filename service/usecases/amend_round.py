"""A round's document amended, and played again from the start."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from schemas.base import WireError
from schemas.documents import RoundDocument, dump_document, load_document
from schemas.fields import show
from schemas.patches import apply_patch
from scoring.errors import Mistake, ScoringError
from scoring.history import History, PlayedRound, let_stand, replay
from service.database import Transaction
from service.errors import CorrectionInvalid, HandIrregular
from service.repository.stored_round import StoredRound
from service.usecases.exact_points import refuse_inexact
from service.usecases.find_ruleset import ruleset_named

_FIXED: Final = ("table", "reference", "point_value", "currency")
_PLACE: Final = "document"


@dataclass(frozen=True, slots=True)
class AmendedRound:
    """A round as it would have been recorded, and what comes of it."""

    document: RoundDocument
    history: History
    played: PlayedRound


def patch_document(document: RoundDocument, patch: Sequence[Mapping[str, Any]]) -> RoundDocument:
    """
    Change a round's document.

    Raises:
        WireError: a change cannot be made, or what it makes is no document.
    """
    changed = apply_patch(dump_document(document), patch)
    try:
        return load_document(changed)
    except WireError as error:
        raise WireError(tuple(mistake.under(_PLACE) for mistake in error.mistakes)) from error


def amend_round(
    transaction: Transaction, stored: StoredRound, before: RoundDocument, after: RoundDocument, *, stands: bool
) -> AmendedRound:
    """
    Play a round from its amended document.

    Args:
        transaction: whose club's rulesets are known.
        stored: the round.
        before: its document.
        after: the document amended.
        stands: whether hands count as they were played though they could not have followed.

    Raises:
        CorrectionInvalid: it changes what belongs to the table.
        RulesetUnknown: there is no such ruleset.
        HandIrregular: a hand could not have followed, and could stand.
        ScoringError: the first thing that cannot be, with its place in the document.
    """
    _refuse_other_table(before, after)
    ruleset = ruleset_named(transaction, after.ruleset, _PLACE, "ruleset")
    history = after.history(ruleset)
    if stands:
        history = let_stand(history)
    try:
        played = replay(history)
    except ScoringError as error:
        raise _refusal(history, error) from error
    refuse_inexact(played.round, stored.point_value, _PLACE)
    return AmendedRound(replace(after, ruleset=str(ruleset)), history, played)


def _refuse_other_table(before: RoundDocument, after: RoundDocument) -> None:
    mistakes = [
        Mistake(
            "correction-fixed", (_PLACE, name), f"is {show(given)}; {show(kept)} is right: no correction changes it"
        )
        for name, kept, given in ((name, getattr(before, name), getattr(after, name)) for name in _FIXED)
        if given != kept
    ]
    if mistakes:
        raise CorrectionInvalid("a correction leaves the round's table, reference and money", mistakes)


def _refusal(history: History, error: ScoringError) -> HandIrregular | ScoringError:
    """Say what cannot be; where it is a hand that could stand, say which."""
    standing = let_stand(history)
    placed = error.under(_PLACE)
    more = standing.irregular - history.irregular
    try:
        replay(standing)
    except ScoringError:
        return placed
    detail = f"hand {min(more)} could not have followed: {error.mistakes[0].detail}"
    return HandIrregular(detail, placed.mistakes)
