"""How firm settlements are: confirmed, disputed, made final, and paid anew where they were final and are corrected."""

from random import Random

from service.rounds.actions.settlements import finalize_settlements
from tests.service.any_history.model_round import Modelled
from tests.service.any_history.steps import Happening
from tests.support.import_lines import database_of
from tests.support.sample_rounds import Document


class Judging(Happening):
    """Confirmations, disputes, and time that passes."""

    def a_player_confirms(self, rng: Random) -> None:
        place = self.pick_seat(rng, lambda round_, seat: round_.state == "provisional" and seat not in round_.confirmed)
        if place is None:
            return
        self._confirms(*place)

    def everyone_confirms(self, rng: Random) -> None:
        round_ = self.pick(rng, "complete", "closed")
        if round_ is None:
            return
        for seat in round_.happened.document["seats"]:
            self._confirms(round_, seat["seat"])

    def _confirms(self, round_: Modelled, seat: int) -> None:
        path, body = f"/v1/rounds/{round_.id}/confirmations", {"seat": seat}
        if seat in round_.confirmed:
            self.is_repeated(path, body)
        elif round_.state != "provisional":
            self.is_refused(path, body, 409)
        else:
            settlement = self.post(path, body).document
            round_.confirmed.add(seat)
            round_.version += 1
            if len(round_.confirmed) == len(round_.happened.document["seats"]):
                self.count("final by everyone's word")
                round_.becomes_final()
            assert (settlement["state"], settlement["confirmed"]) == (round_.state, sorted(round_.confirmed))
            self.club.agrees(round_)

    def time_passes(self, _rng: Random) -> None:
        """Finalize the settlements of tables without a correction window."""
        finalize_settlements(database_of(self.club.house), self.club.id)
        for round_ in self.club.rounds:
            if round_.state == "provisional" and round_.table in self.club.hasty:
                self.count("final by time")
                round_.becomes_final()
            self.club.agrees(round_)

    # --- disputes ---

    def a_settlement_is_disputed(self, rng: Random) -> None:
        round_ = self.pick(rng)
        if round_ is None:
            return
        body = {"round": round_.id, "claim": f"claim {rng.random()}", "by": "first"}
        if round_.state == "open":
            self.is_refused("/v1/disputes", body, 409)
            return
        opened = self.post("/v1/disputes", body)
        round_.disputes[opened["id"]] = opened["version"]
        self._is_moved(round_)

    def a_dispute_goes_on(self, rng: Random) -> None:
        """Review or end a dispute as an auditor."""
        disputed = [each for each in self.club.rounds if each.disputes]
        if not disputed:
            return
        round_ = rng.choice(disputed)
        dispute, version = rng.choice(list(round_.disputes.items()))
        stands = self.club.api.get(f"/v1/disputes/{dispute}")
        assert (stands["version"], stands["round"]) == (version, round_.id)
        path = f"/v1/disputes/{dispute}"
        late = {"by": "first", "version": version + 1, "reason": "too late"}
        self.is_refused(f"{path}/withdraw", late, 409)
        ends: Document = {"by": "first", "version": version, "reason": "looked at"}
        if stands["state"] == "open" and rng.random() < 0.7:
            self.is_refused(f"{path}/resolve", {**ends, "state": "rejected"}, 409)
            round_.disputes[dispute] = self.post(f"{path}/review", {"by": "first", "version": version})["version"]
        elif stands["state"] == "open":
            self.post(f"{path}/withdraw", ends)
            del round_.disputes[dispute]
        else:
            self.post(f"{path}/resolve", {**ends, "state": rng.choice(["upheld", "rejected"])})
            del round_.disputes[dispute]
        self._is_moved(round_)

    def _is_moved(self, round_: Modelled) -> None:
        round_.version += 1
        self.club.agrees(round_)
