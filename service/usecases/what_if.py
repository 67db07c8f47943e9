from dataclasses import replace
from uuid import UUID

from schemas.corrections import Comparison, WhatIfRequest
from service.database import Transaction
from service.repository import histories, rounds, tables
from service.usecases.amend_round import amend_round, patch_document
from service.usecases.compare_rounds import find_carried_over, played_side, recorded_side
from service.usecases.get_document import write_document
from service.usecases.views import view_round


def what_if(transaction: Transaction, round_id: UUID, request: WhatIfRequest) -> Comparison:
    """
    Show what a round would have come to by other rules, or had something else happened. Nothing is stored.

    Hands that could not have followed stand, so that everything that was played is compared.

    Raises:
        NotFound: the club has no such round.
        WireError: a change cannot be made.
        CorrectionInvalid, RulesetUnknown, ScoringError: the round cannot be played like this.
    """
    # Nobody plays on while the round is looked at: what it came to is read from many records.
    stored = rounds.lock(transaction, round_id)
    happened = histories.get(transaction, round_id, stored.revision)
    before = write_document(stored, happened, tables.get(transaction, stored.table_id).name)
    after = patch_document(before, request.patch)
    if request.ruleset is not None:
        after = replace(after, ruleset=request.ruleset)
    amended = amend_round(transaction, stored, before, after, stands=True)
    return Comparison(
        view=view_round(replace(stored.changed(transaction.now, amended.played.round), version=stored.version)),
        revision=stored.revision,
        before=recorded_side(transaction, round_id, stored.revision, happened),
        after=played_side(amended.played),
        carried_over=find_carried_over(transaction, stored),
    )
