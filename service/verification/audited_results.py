"""The rounds whose stored results are proven by the audit in bulk, the same that a recomputation runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

import numpy as np

from scoring.round_state import Round
from scoring.ruleset import Ruleset
from service.db import Transaction
from service.recomputations.actions.audit import audit_group
from service.recomputations.packed.queries import Scope
from service.recomputations.packed.queries import Stretch as PackedStretch
from service.recomputations.packed.reading import read_packed
from service.recomputations.packed.rounds import PackedRounds, RoundGroup
from service.rounds.queries.stored_round import dump_state
from service.verification.queries import audited
from service.verification.queries.audited import LAST, Stretch

State = Mapping[str, Any]
"""The column `state` of a round's head."""
_UNREADABLE: Final = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError)
"""What records can raise that the service would never store; their rounds are replayed one by one."""


def audit_results(transaction: Transaction, stretch: Stretch, rulesets: Mapping[str, Ruleset]) -> Mapping[UUID, State]:
    """
    Return the rounds whose stored results follow from their stored hands, each with the state of its head.

    Results are all columns that `covers` calls played, of rounds that have ended and were never revised. What the
    audit reads of hands, seats, departures and closings is compared with the events elsewhere. A round that is not
    returned is no damage: the audit cannot replay every round.

    Args:
        transaction: of the club; it reads one moment.
        stretch: some thousand rounds.
        rulesets: those of the club, by name and version, as its events have them.
    """
    if stretch.after == LAST:
        return {}
    in_order = list(rulesets.values())
    known = [(ruleset.name, ruleset.version) for ruleset in in_order]
    rounds = PackedStretch(Scope(), UUID(int=stretch.after.int + 1), stretch.upto)
    states: dict[UUID, State] = {}
    try:
        packed = read_packed(transaction, rounds, known)
        for group in packed.groups():
            states |= _audit_group(packed, group, in_order[group.ruleset - 1])
    except _UNREADABLE:
        return {}
    for round_id in audited.list_with_odd_transfers(transaction, stretch):
        states.pop(round_id, None)
    return states


def _audit_group(packed: PackedRounds, group: RoundGroup, ruleset: Ruleset) -> dict[UUID, State]:
    """Return the proven rounds of a group; those that end alike share what a head says but the stacks of its scope."""
    audit = audit_group(ruleset, group)
    is_proven = ~audit.by_itself & ~audit.differs
    is_proven &= ~np.isin(group.places, packed.hands.of_round[~packed.hands.follows])
    settlement, seats = audit.settlement, group.rounds.seats.tolist()
    finals, scope_stacks = settlement.final.tolist(), settlement.opening_stacks.tolist()
    shared: dict[tuple[int, ...], State] = {}
    states: dict[UUID, State] = {}
    for index in np.flatnonzero(is_proven).tolist():
        end = settlement.states[finals[index]]
        if end is None:
            continue
        key = finals[index], *seats[index]
        if key not in shared:
            shared[key] = _dump_end(end, seats[index])
        states[packed.round_id(group.places[index])] = {**shared[key], "scope_stacks": scope_stacks[index]}
    return states


def _dump_end(end: Round, seats: Sequence[int]) -> State:
    """Return the state of a round that has ended, whose seats are numbers of columns."""
    seated = replace(
        end,
        had_button=frozenset(seats[column - 1] for column in end.had_button),
        left=frozenset(seats[column - 1] for column in end.left),
        busted=frozenset(seats[column - 1] for column in end.busted),
        sequence=frozenset(seats[column - 1] for column in end.sequence),
        owed={seats[column - 1]: owed for column, owed in end.owed.items()},
    )
    return {**dump_state(seated), "button": None if end.button is None else seats[end.button - 1]}
