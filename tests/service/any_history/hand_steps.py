"""Tables, rounds, hands and what ends them."""

from random import Random

from tests.oracle.generate import random_hand, random_head
from tests.scoring.test_against_oracle import spoil
from tests.service.any_history.model_round import Happened, Modelled
from tests.service.any_history.steps import NAMES, Happening
from tests.support.sample_rounds import Document, find_record, without


class Playing(Happening):
    """What is recorded as it is played."""

    def a_table(self, rng: Random) -> None:
        if len(self.club.tables) < 3:
            self.club.add_table(rng.choice(NAMES))

    def a_round_is_opened(self, rng: Random) -> None:
        table = rng.choice(list(self.club.tables))
        head = self.seat(rng, random_head(rng, self.club.tables[table], small_stacks=True))
        body = {"seats": head["seats"], "reference": head["reference"]}
        if self.club.open_round_at(table) is not None:
            self.is_refused(f"/v1/tables/{table}/rounds", body, 409)
            return
        opened = self.post(f"/v1/tables/{table}/rounds", body)
        document = {**without(body), "hands": [], "departures": []}
        self.club.agrees(self.club.add(opened["id"], table, Happened(document, self.club.tables[table])))

    def a_round_is_posted_whole(self, rng: Random) -> None:
        table = rng.choice(list(self.club.tables))
        document = self.document(rng, table)
        response = self.club.api.post("/v1/documents", document)
        happened = self.happened(document, self.club.tables[table])
        if happened.view["status"] == "open" and self.club.open_round_at(table) is not None:
            assert response.status == 409, response
            return
        assert response.status == 201, response
        self.count("documents")
        self.repeatable = ("/v1/documents", document)
        self.club.agrees(self.club.add(response["round"]["id"], table, happened))

    # --- hands ---

    def a_hand_is_played(self, rng: Random) -> None:
        round_ = self.pick(rng, "open")
        if round_ is None:
            return
        hand = random_hand(rng, round_.happened.round)
        if rng.random() < 0.2:
            [hand] = spoil(rng, {"hands": [hand], "seats": [{}]})["hands"] or [hand]
        self._hand_is_sent(round_, hand)

    def _hand_is_sent(self, round_: Modelled, hand: Document) -> None:
        path, after = f"/v1/rounds/{round_.id}/hands", round_.happened.with_hand(hand)
        if not after.plays():
            self.is_refused(path, hand, 409, 422)
            return
        tried = self.tried(path, hand)
        recorded = self.post(path, hand)
        self.agree(tried, recorded)
        right = after.settlement["transfers"]
        came = [{**paid, "hand": hand["number"]} for paid in recorded["transfers"]]
        assert came == [paid for paid in right if paid["hand"] == hand["number"]]
        self.club.has_moved(round_, after, recorded["round"])

    def the_last_hand_is_undone(self, rng: Random) -> None:
        round_ = self.pick(rng)
        if round_ is None:
            return
        number = len(round_.happened.document["hands"])
        path = f"/v1/rounds/{round_.id}/undo"
        body = {"number": number or 1, "hand": find_record(self.club.api, round_.id, number or 1)}
        is_over = round_.status == "complete" and (
            self.club.is_followed(round_) or self.club.open_round_at(round_.table) is not None
        )
        if number == 0 and round_.had_hands:
            # Its first hand was undone, or a correction has removed it, which an undo does not acknowledge.
            with self.club.unchanged():
                response = self.club.api.post(path, body)
            is_repeated = response.headers.get("Idempotent-Replayed") == "true"
            assert is_repeated or response.mistakes == {"#/hand": "hand-corrected"}, response
            return
        is_firm = round_.final is not None or round_.state == "disputed"
        if number == 0 or is_firm or round_.status == "closed" or is_over:
            self.is_refused(path, body, 409)
            return
        self.club.remember(round_)
        after = round_.happened.without_last_hand()
        undone = self.post(path, body)
        self.club.has_moved(round_, after, undone.document, revised=True)

    def somebody_leaves(self, rng: Random) -> None:
        place = self.pick_seat(rng, self._may_leave)
        if place is None:
            return
        round_, seat = place
        after = round_.happened.with_departure(seat)
        path, body = f"/v1/rounds/{round_.id}/departures", {"seat": seat}
        left = round_.happened.document.get("departures") or ()
        if any(each["seat"] == seat and each.get("reason") is None for each in left):
            self.is_repeated(path, body)
            return
        if not self._may_leave(round_, seat):
            self.is_refused(path, body, 409, 422)
            return
        self.club.has_moved(round_, after, self.post(path, body).document)

    @staticmethod
    def _may_leave(round_: Modelled, seat: int) -> bool:
        """Return whether a player can leave; the model would accept it in a closed round too."""
        return round_.status == "open" and round_.happened.with_departure(seat).plays()

    def a_round_is_closed(self, rng: Random) -> None:
        round_ = self.pick(rng)
        if round_ is None:
            return
        path, body = f"/v1/rounds/{round_.id}/close", {"reason": "it rains"}
        if (round_.happened.document.get("closed") or {}).get("reason") == body["reason"]:
            self.is_repeated(path, body)
            return
        if round_.status != "open":
            self.is_refused(path, body, 409)
            return
        after = round_.happened.with_closing("it rains")
        self.club.has_moved(round_, after, self.post(path, body).document)
