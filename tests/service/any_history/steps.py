"""What every step of a history needs: the club, and requests to it."""

import copy
from collections import Counter
from collections.abc import Callable
from random import Random

from tests.oracle import random_document
from tests.service.any_history.model_club import Club
from tests.service.any_history.model_round import Happened, Modelled
from tests.support.api_client import ApiResponse
from tests.support.application import House
from tests.support.sample_rounds import Document, without

NAMES = ("pineapple", "pineapple-qq", "pineapple-2-4-us-classic", "progressive-round", "turbo", "classic")


AT_HOME = " at home"
"""The end of the second ID of a player. Both never sit in one round."""


def random_charge(rng: Random) -> Document:
    """Return the fields of a standing charge, or of none."""
    per = rng.choice(["hand", "round", None])
    return {"charge_per": per, "charge_amount": None if per is None else rng.randint(1, 9)}


class Happening:
    """
    One club, and what has been done in it.

    Attributes:
        taken: how often each thing was done, so that a run in which something never was is no proof of it.
        repeatable: the last request that can be sent again.
    """

    def __init__(self, house: House, taken: Counter[str]) -> None:
        self.club = Club(house)
        self.taken = taken
        self.repeatable: tuple[str, Document] | None = None

    def pick(self, rng: Random, *statuses: str) -> Modelled | None:
        fitting = [each for each in self.club.rounds if not statuses or each.status in statuses]
        return rng.choice(fitting) if fitting else None

    def pick_seat(self, rng: Random, fits: Callable[[Modelled, int], bool]) -> tuple[Modelled, int] | None:
        """Choose a seat of a round: of those that fit, where there are any, but now and then of all."""
        seats = [(each, seat["seat"]) for each in self.club.rounds for seat in each.happened.document["seats"]]
        fitting = [place for place in seats if fits(*place)] if rng.random() < 0.7 else []
        return rng.choice(fitting or seats) if seats else None

    def count(self, what: str) -> None:
        """Note that something was done, so that a run in which nothing ever was is no proof of anything."""
        self.taken[what] += 1

    def post(self, path: str, body: Document) -> ApiResponse:
        self.count(path.rpartition("/")[2])
        response = self.club.api.post(path, body)
        assert response.status in (200, 201), response
        self.repeatable = (path, body)
        return response

    def tried(self, path: str, body: Document) -> ApiResponse:
        with self.club.unchanged():
            return self.club.api.post(f"{path}?dry_run=true", body)

    def is_refused(self, path: str, body: Document, *statuses: int) -> None:
        self.count("refused")
        with self.club.unchanged():
            response = self.club.api.post(path, body)
        assert response.status in statuses, response

    def is_repeated(self, path: str, body: Document) -> None:
        """Repeat a request that was completed: the response is the same, and nothing changes."""
        with self.club.unchanged():
            response = self.club.api.post(path, body)
        assert response.status in (200, 201), response
        assert response.headers["Idempotent-Replayed"] == "true"

    def agree(self, tried: ApiResponse, done: ApiResponse) -> None:
        """Compare the response to a dry run with that to the change, except generated ids and times."""
        assert tried.status == done.status, (tried, done)
        names = ("id", "recorded_at")
        assert without(tried.document, *names) == without(done.document, *names)

    def seat(self, rng: Random, document: Document) -> Document:
        """Seat some players under their second IDs."""
        seats = [
            {**seat, "player": seat["player"] + (AT_HOME if rng.random() < 0.3 else "")} for seat in document["seats"]
        ]
        return {**document, "seats": seats}

    def document(self, rng: Random, table: str) -> Document:
        document = self.seat(rng, random_document(rng, self.club.tables[table]))
        charge = random_charge(rng) if rng.random() < 0.5 else {}
        return {**without(document, "point_value", "unit"), "table": self.club.names[table], **charge}

    def happened(self, document: Document, ruleset: Document, standing: frozenset[int] = frozenset()) -> Happened:
        complete = {"hands": [], "departures": [], **copy.deepcopy(document)}
        return Happened(complete, ruleset, standing)
