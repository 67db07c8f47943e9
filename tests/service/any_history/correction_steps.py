"""What was recorded, put right."""

from random import Random

from tests.scoring.test_against_oracle import spoil
from tests.service.any_history.model_round import Modelled
from tests.service.any_history.steps import NAMES, Happening
from tests.support.api_client import ApiResponse
from tests.support.sample_rounds import Document, without


class Correcting(Happening):
    """Corrections, and what might have been."""

    def a_round_is_corrected(self, rng: Random) -> None:
        round_ = self.pick(rng)
        if round_ is None:
            return
        if not round_.happened.document["hands"]:
            return
        amended = self._amended(rng, round_)
        body: Document = {"reason": "looked at again", "document": amended, "version": round_.version}
        if rng.random() < 0.6:
            body["irregular"] = "accept"
        if round_.disputes and rng.random() < 0.7:
            body["dispute"] = rng.choice(list(round_.disputes))
        path = f"/v1/rounds/{round_.id}/corrections"
        tried = self.tried(path, body)
        self.club.remember(round_)
        if tried.status not in (200, 201):
            self._may_be_refused(round_, amended, tried)
            self.is_refused(path, body, tried.status)
            return
        response = self.club.api.post(path, body)
        self.agree(tried, response)
        if response.status == 200 or "Idempotent-Replayed" in response.headers:
            assert response["changed"] == (response.status == 201)
            self.club.agrees(round_)
            return
        document = self.club.read(round_, "/document").document
        assert without(document, "irregular") == _as_returned(amended), (document, amended)
        standing = frozenset(each["hand"] for each in document.get("irregular", ()))
        happened = self.happened(amended, round_.happened.ruleset, standing)
        assert all(each["reasons"] for each in document.get("irregular", ()))
        self.repeatable = (path, body)
        self.count("accepted hands" if standing else "corrections")
        if response["adjustment"]:
            self.taken["adjustments"] += len(response["adjustment"]["transfers"])
        self.club.has_moved(round_, happened, response["round"], revised=True)

    def _amended(self, rng: Random, round_: Modelled) -> Document:
        """Change one thing of a round, or void a hand of it, which most often cannot be."""
        document = without(self.club.read(round_, "/document").document, "irregular")
        if rng.random() < 0.3:
            del document["hands"][rng.randrange(len(document["hands"]))]
            for number, hand in enumerate(document["hands"], start=1):
                hand["number"] = number
            return document
        return without(spoil(rng, document), "irregular")

    def _may_be_refused(self, round_: Modelled, amended: Document, refused: ApiResponse) -> None:
        """Hold a refusal against the model: what can be played is refused only where it would be open once more."""
        if not self.happened(amended, round_.happened.ruleset).plays():
            return
        assert refused["code"] == "round-open" or refused.codes & {"round-follows", "settlement-final"}, refused

    def somebody_asks_what_if(self, rng: Random) -> None:
        round_ = self.pick(rng)
        if round_ is None:
            return
        with self.club.unchanged():
            response = self.club.post(round_, "what-if", {"ruleset": rng.choice(NAMES)})
        assert response.status in (200, 422), response
        assert response.status == 200 or set(response.mistakes) == {"#/ruleset"}, response


def _as_returned(document: Document) -> Document:
    """Write an amended document as the service returns it: players by seat, and omitted values as null."""
    hands = [
        {**hand, "players": sorted(hand["players"], key=lambda player: int(player["seat"]))}
        for hand in document["hands"]
    ]
    departures = [{"reason": None, **departure} for departure in document["departures"]]
    return {**document, "hands": hands, "departures": departures}
