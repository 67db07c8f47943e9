"""One filter selects the same rounds for lists, exports, hands and jobs."""

from datetime import timedelta
from uuid import UUID

import pytest
from uuid_utils.compat import uuid7

from schemas.settlements import SettlementState
from scoring.presets import PRESETS
from scoring.round_state import RoundStatus
from service.db import Database, Transaction
from service.jobs.queries import jobs
from service.recomputations import queries as recomputations
from service.recomputations.queries import AuditedRound
from service.replays.stretches import Stretch, select_rounds, stretch_parameters
from service.rounds.queries import histories, rounds
from service.rounds.queries.hand_filters import HandFilter, select_in_force
from service.rounds.queries.round_filter import RoundFilter, filter_parameters
from tests.support.database.insert_records import PINEAPPLE, add_club
from tests.support.database.postgres import Logins
from tests.support.database.recomputed_rounds import add_three_hands

TURBO = PRESETS["turbo"]


@pytest.fixture
def club_id(logins: Logins) -> UUID:
    return add_club(logins.owner)


def selected(transaction: Transaction, filter_: RoundFilter) -> list[set[UUID]]:
    """The rounds of a list, of an export, of hands and of a job."""
    stretch = Stretch(scope=filter_)
    of_job = transaction.connection.exec_driver_sql(
        f"{select_rounds(filter_)} SELECT round_id FROM wanted", stretch_parameters(transaction, stretch)
    )
    hands = select_in_force(transaction, HandFilter(**filter_of(transaction, filter_)))
    of_hands = {hand_id for hand_id, _ in transaction.execute(hands)}
    listed = rounds.list_page(transaction, filter_, limit=100)
    played = {hand.id: each.id for each in listed for hand in histories.get(transaction, each.id, 1).hands}
    assert of_hands <= {*played}
    return [
        {each.id for each in listed},
        {head.id for head in histories.list_heads(transaction, filter_, limit=100)},
        {played[hand_id] for hand_id in of_hands},
        set(of_job.scalars()),
    ]


def filter_of(transaction: Transaction, filter_: RoundFilter) -> dict[str, object]:
    names = {*filter_parameters(transaction, filter_)} - {"ruleset_name", "ruleset_version"}
    return {"ruleset": filter_.ruleset, **{name: getattr(filter_, name) for name in names}}


def test_every_condition_selects_the_same_rounds_everywhere(database: Database, club_id: UUID) -> None:
    places = (("kitchen", PINEAPPLE), ("parlour", TURBO), ("attic", TURBO))
    ids = [add_three_hands(database, club_id, name, rules) for name, rules in places]
    audit = uuid7()
    with database.transaction(club_id) as transaction:
        jobs.add(transaction, audit, "recomputation", {})
        recomputations.add_audited(transaction, audit, [AuditedRound(ids[1], 1, bytes(32))])
    with database.reading(club_id) as transaction:
        first, second, third = (rounds.get(transaction, round_id) for round_id in ids)
        moment = timedelta(microseconds=1)
        cases = [
            (RoundFilter(), ids),
            (RoundFilter(table_id=first.table_id), ids[:1]),
            (RoundFilter(tables=[first.table_id, third.table_id]), [ids[0], ids[2]]),
            (RoundFilter(tables=[]), []),
            (RoundFilter(table_name="parlour"), ids[1:2]),
            (RoundFilter(round_ids=(ids[1], uuid7())), ids[1:2]),
            (RoundFilter(audit=audit), ids[1:2]),
            (RoundFilter(audit=uuid7()), []),
            (RoundFilter(reference="unknown"), []),
            (RoundFilter(player=first.round.seats[0].player), ids),
            (RoundFilter(player="nobody"), []),
            (RoundFilter(status=first.round.status), ids),
            (RoundFilter(status=RoundStatus.OPEN), []),
            (RoundFilter(state=SettlementState.PROVISIONAL), ids),
            (RoundFilter(state=SettlementState.FINAL), []),
            (RoundFilter(ruleset="turbo"), ids[1:]),
            (RoundFilter(ruleset=str(PINEAPPLE)), ids[:1]),
            (RoundFilter(ruleset="turbo@2"), []),
            (RoundFilter(opened_from=second.opened_at), ids[1:]),
            (RoundFilter(opened_before=second.opened_at), ids[:1]),
            (RoundFilter(opened_from=second.opened_at, opened_before=second.opened_at + moment), ids[1:2]),
            (RoundFilter(table_id=first.table_id, ruleset="turbo"), []),
        ]
        for filter_, expected in cases:
            assert selected(transaction, filter_) == [set(expected)] * 4, filter_
