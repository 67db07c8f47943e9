"""Random things happen in a club, one after the other; the service and the model agree after each of them."""

from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from service.usecases.verify_database import verify_database
from tests.postgres import Server
from tests.scoring.uncounted import uncounted
from tests.service.any_history.correcting import Correcting
from tests.service.any_history.happening import NAMES, Happening
from tests.service.any_history.judging import Judging
from tests.service.any_history.playing import Playing
from tests.service.any_history.working import Working
from tests.service.house import House, open_house

STEPS = {
    "a_table": 1,
    "a_round_is_opened": 5,
    "a_round_is_posted_whole": 3,
    "a_hand_is_played": 16,
    "the_last_hand_is_undone": 2,
    "somebody_leaves": 4,
    "a_round_is_closed": 3,
    "a_round_is_corrected": 8,
    "somebody_asks_what_if": 1,
    "a_player_confirms": 5,
    "time_passes": 2,
    "a_settlement_is_disputed": 2,
    "a_dispute_goes_on": 3,
    "rounds_are_imported": 2,
    "everything_is_recomputed": 1,
    "a_round_is_settled_by_other_rules": 2,
    "the_last_request_comes_again": 2,
}
"""What can happen next, and how often beside the others."""
OFTEN = [step for step, often in STEPS.items() for _ in range(often)]
SEEDS = st.integers(0, 2**32 - 1)


class AnyHistory(Playing, Correcting, Judging, Working, RuleBasedStateMachine):
    """Tables, rounds, hands, undos, corrections and jobs of one club, in any order."""

    def __init__(self, house: House, taken: Counter[str]) -> None:
        Happening.__init__(self, house, taken)
        RuleBasedStateMachine.__init__(self)
        self.steps = 0

    def teardown(self) -> None:
        for round_ in self.club.rounds:
            self.club.agrees(round_)
            self.club.replays_itself(round_)
        self.finds_all_right()
        assert self.club.api.ask("POST", "/v1/checkpoints").status in (200, 201)
        for round_ in self.club.rounds:
            self.club.proves_itself(round_)
        pages = verify_database(self.club.house.owner, [self.club.id])
        assert [finding for page in pages for finding in page.findings] == []

    @initialize(name=st.sampled_from(NAMES))
    def a_first_table(self, name: str) -> None:
        self.club.add_table(name)

    @rule(
        step=st.sampled_from([step for step, often in STEPS.items() for _ in range(often)]), seed=st.integers(0, 2**32)
    )
    def happens(self, step: str, seed: int) -> None:
        self.steps = getattr(self, "steps", 0) + 1
        # Every step is another one, also where the seed is the same.
        getattr(self, step)(Random(f"{seed} {self.steps}"))

    def the_last_request_comes_again(self, _rng: Random) -> None:
        if self.repeatable is None:
            return
        path, asked = self.repeatable
        with self.club.unchanged():
            again = self.club.api.post(path, asked)
        assert again.status == 409 or again.headers.get("Idempotent-Replayed") == "true", again


@pytest.fixture(scope="module")
def house(embedded_postgres: Server) -> Iterator[House]:
    """A database of these histories' own, for nobody else's jobs are to be done here."""
    with open_house(embedded_postgres) as opened:
        yield opened


def _run(house: House, **options: Any) -> Counter[str]:
    """Let histories happen, and count what was done in them."""

    class Here(AnyHistory):
        def __init__(self) -> None:
            super().__init__(house, taken)

    taken: Counter[str] = Counter()
    chosen = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True, **options)
    run_state_machine_as_test(Here, settings=chosen)
    return taken


OFTEN_DONE = {"rounds", "documents", "hands", "corrections", "confirmations", "disputes", "imports", "refused"}
DONE = OFTEN_DONE | {
    *("undo", "departures", "close", "hands that stand", "recomputations", "adjustments"),
    *("final by time", "final by everyone's word", "review", "resolve", "withdraw"),
}


@uncounted
def test_whatever_happens_the_service_and_the_model_agree(house: House) -> None:
    taken = _run(house, max_examples=10, stateful_step_count=40, phases=[Phase.generate], derandomize=True)
    assert not OFTEN_DONE - set(taken), taken


@pytest.mark.verify
def test_whatever_happens_for_long_the_service_and_the_model_agree(house: House) -> None:
    taken = _run(house, max_examples=60, stateful_step_count=50)
    assert not DONE - set(taken), taken
