"""
Random things happen in a club, one after the other; the service and the model agree after each of them.

A failure names the history's seed. `OFC_SEED=1234` in the environment begins there.
"""

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random

import pytest

from service.commands.verify import PASSES
from service.verification.verify_database import count_events, verify_database
from tests.service.any_history.alias_steps import Joining
from tests.service.any_history.correction_steps import Correcting
from tests.service.any_history.fold_balances import fold_balances
from tests.service.any_history.hand_steps import Playing
from tests.service.any_history.job_steps import Working
from tests.service.any_history.payment_steps import Paying
from tests.service.any_history.settlement_steps import Judging
from tests.service.any_history.steps import NAMES
from tests.support.application import House, open_house
from tests.support.database.postgres import Server

pytestmark = pytest.mark.thorough

STEPS = {
    "a_table": 1,
    "a_round_is_opened": 5,
    "a_round_is_posted_whole": 3,
    "a_hand_is_played": 16,
    "the_last_hand_is_undone": 2,
    "somebody_leaves": 8,
    "a_round_is_closed": 3,
    "a_round_is_corrected": 16,
    "somebody_asks_what_if": 1,
    "a_player_confirms": 4,
    "everyone_confirms": 1,
    "time_passes": 2,
    "a_settlement_is_disputed": 3,
    "a_dispute_goes_on": 5,
    "rounds_are_imported": 2,
    "everything_is_recomputed": 1,
    "a_round_is_settled_by_other_rules": 4,
    "the_last_request_comes_again": 2,
    "money_changes_hands": 4,
    "somebody_is_charged": 2,
    "something_is_taken_back": 2,
    "a_payment_is_claimed": 3,
    "a_claim_ends": 3,
    "a_table_is_charged": 2,
    "a_hand_is_charged": 4,
    "two_ids_are_joined": 2,
    "an_id_is_parted": 1,
}
"""What can happen next, and how often beside the others."""


class AnyHistory(Playing, Correcting, Judging, Working, Paying, Joining):
    """Tables, rounds, hands, undos, corrections, payments, aliases and jobs of one club, in any order."""

    def happens(self, rng: Random, steps: int) -> None:
        """Run so many steps, each as often as `STEPS` says, and check the results."""
        self.club.add_table(rng.choice(NAMES))
        for step in rng.choices(list(STEPS), list(STEPS.values()), k=steps):
            getattr(self, step)(rng)
            self.no_posted_line_changes()
        self.stands()

    def stands(self) -> None:
        """Compare everything stored with the model, the rules and the events."""
        for round_ in self.club.rounds:
            self.club.agrees(round_)
            self.club.replays_itself(round_)
        self.finds_all_right()
        assert self.club.api.request("POST", "/v1/checkpoints").status in (200, 201)
        self.balances_are(*fold_balances(self.club.list_events()))
        for round_ in self.club.rounds:
            self.club.proves_itself(round_)
        owner, club = self.club.house.owner, [self.club.id]
        pages = list(verify_database(owner, club))
        assert [finding for page in pages for finding in page.findings] == []
        assert sum(page.events for page in pages) == PASSES * count_events(owner, club)

    def the_last_request_comes_again(self, _rng: Random) -> None:
        if self.repeatable is None:
            return
        path, body = self.repeatable
        with self.club.unchanged():
            again = self.club.api.post(path, body)
        is_replayed = again.headers.get("Idempotent-Replayed") == "true"
        assert again.status == 409 or is_replayed, again
        self.taken["replayed"] += is_replayed


@pytest.fixture(scope="module")
def house(embedded_postgres: Server) -> Iterator[House]:
    """A database of these histories' own, for nobody else's jobs are to be done here."""
    with open_house(embedded_postgres) as opened:
        yield opened


OFTEN_DONE = {
    "rounds",
    "documents",
    "hands",
    "corrections",
    "confirmations",
    "disputes",
    "imports",
    "refused",
    "payments",
    "aliases",
}
DONE = OFTEN_DONE | {
    *("undo", "departures", "close", "accepted hands", "recomputations", "adjustments"),
    *("final by time", "final by everyone's word", "review", "resolve", "withdraw", "replayed", "charges", "reversal"),
    *("payment-claims", "confirm", "decline"),
    *("standing charges", "charged hands", "part"),
}


def happen(house: House, seeds: Iterable[int], steps: int, expected: set[str]) -> None:
    """Run histories in which every step happens at least once."""
    taken: Counter[str] = Counter()
    for seed in seeds:
        print(f"seed {seed}")
        AnyHistory(house, taken).happens(Random(f"history {seed}"), steps)
    print(dict(taken))
    never = [what for what in expected if not taken[what]]
    assert not never, f"{never} in {taken}"


@pytest.mark.no_cover
def test_whatever_happens_the_service_and_the_model_agree(house: House) -> None:
    happen(house, range(10), 25, OFTEN_DONE)


@pytest.mark.verify
def test_whatever_happens_for_long_the_service_and_the_model_agree(house: House) -> None:
    first = int(os.environ.get("OFC_SEED") or time.time_ns() % 1_000_000)
    happen(house, range(first, first + 60), 50, DONE)


@pytest.mark.verify
@pytest.mark.parametrize("part", range(10))
def test_a_thousand_histories_agree_with_the_model(house: House, part: int) -> None:
    """Run 100 short histories for each part, so that several processes can share them."""
    first = int(os.environ.get("OFC_SEED") or time.time_ns() % 1_000_000) + 100 * part
    happen(house, range(first, first + 100), 25, OFTEN_DONE)
