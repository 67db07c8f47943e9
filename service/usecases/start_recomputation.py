from collections.abc import Iterator
from typing import Any

from uuid_utils.compat import uuid7

from schemas.base import WireError
from schemas.fields import show_time
from schemas.recomputations import RecomputationRequest, RecomputationView, ScopeRequest
from scoring.errors import Mistake
from service.database import Transaction
from service.errors import NotFound
from service.repository import jobs, tables, wake_ups
from service.repository.recorded_rounds import list_versions
from service.usecases.add_ruleset import keep_ruleset
from service.usecases.find_ruleset import ruleset_named
from service.usecases.read_recomputation import APPLY, KIND, view_recomputation


def start_recomputation(transaction: Transaction, request: RecomputationRequest) -> RecomputationView:
    """
    Ask workers to play stored rounds again.

    Raises:
        WireError: the club has no such table, or not all of these rounds.
        RulesetUnknown: there is no such ruleset.
    """
    scope = request.scope
    unknown = tuple(_find_unknown(transaction, scope))
    if unknown:
        raise WireError(unknown)
    of_scope = None if scope.ruleset is None else ruleset_named(transaction, scope.ruleset, "scope", "ruleset")
    other = None if request.ruleset is None else ruleset_named(transaction, request.ruleset)
    if other is not None and request.mode == APPLY:
        keep_ruleset(transaction, other)
    asked: dict[str, Any] = {
        "scope": {
            "table": scope.table and str(scope.table),
            "rounds": None if scope.rounds is None else [str(round_id) for round_id in scope.rounds],
            "ruleset": of_scope and str(of_scope),
            "from": show_time(scope.opened_from),
            "to": show_time(scope.opened_before),
        },
        "mode": request.mode,
        "ruleset": other and str(other),
        "reason": request.reason,
        "final": request.final,
    }
    job = jobs.add(transaction, uuid7(), KIND, asked)
    wake_ups.top_up(transaction, job.id, 1)
    return view_recomputation(transaction, job)


def _find_unknown(transaction: Transaction, scope: ScopeRequest) -> Iterator[Mistake]:
    if scope.table is not None:
        try:
            tables.get(transaction, scope.table)
        except NotFound as error:
            yield Mistake("table-unknown", ("scope", "table"), str(error))
    known = list_versions(transaction, scope.rounds) if scope.rounds else {}
    for index, round_id in enumerate(scope.rounds or ()):
        if round_id not in known:
            yield Mistake("round-unknown", ("scope", "rounds", index), f"there is no round {round_id}")
