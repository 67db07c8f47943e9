"""Money that changes hands or is said to, and what the house charges, taken back now and then."""

import json
from collections import Counter
from collections.abc import Iterable
from random import Random

from tests.oracle.generate import random_hand
from tests.service.any_history.steps import Happening, random_charge
from tests.service.ledger.ledger_lines import ledger, owed
from tests.support.sample_rounds import Document


class Paying(Happening):
    """Payments, charges and their reversals."""

    def money_changes_hands(self, rng: Random) -> None:
        players = self._players()
        if len(players) < 2:
            return
        payer, payee = rng.sample([*players, None], 2)
        if payer and payee and self._is_one_person(payer, payee):
            return
        self._is_recorded("payments", {"payer": payer, "payee": payee, "paid_at": "2026-11-20T23:00:00Z"}, rng)

    def somebody_is_charged(self, rng: Random) -> None:
        players = self._players()
        if not players:
            return
        round_ = rng.choice(self.club.rounds) if rng.random() < 0.5 else None
        about = {} if round_ is None else {"round": round_.id}
        tables = [*self.club.tables] if round_ is None else [round_.table]
        self._is_recorded("charges", {"player": rng.choice(players), "reason": "the room", **about}, rng, tables)

    def _is_recorded(self, what: str, about: Document, rng: Random, tables: Iterable[str] = ()) -> None:
        path, unit = f"/v1/{what}", rng.choice(["EUR", "chips", *(tables or self.club.tables)])
        body = {**about, "unit": unit, "amount": rng.randint(1, 500), "reference": f"{what} {rng.random()}"}
        tried = self.tried(path, body)
        recorded = self.post(path, body)
        self.agree(tried, recorded)
        self.is_refused(path, {**body, "amount": body["amount"] + 1}, 409)
        self.club.recorded[recorded["id"]] = what

    def a_table_is_charged(self, rng: Random) -> None:
        """Change the standing charge of a table, or end it; its rounds keep theirs."""
        table = rng.choice(list(self.club.tables))
        response = self.club.api.patch(f"/v1/tables/{table}", random_charge(rng))
        assert response.status == 200, response
        self.count("standing charges")

    def a_hand_is_charged(self, rng: Random) -> None:
        """Send a hand as a line of a batch with charges, twice, and then with another charge."""
        round_ = self.pick(rng, "open")
        if round_ is None:
            return
        hand = random_hand(rng, round_.happened.round)
        after = round_.happened.with_hand(hand)
        if not after.plays():
            # Too few players can play: nobody topped up.
            return
        charges = [
            {
                "player": rng.choice(round_.happened.document["seats"])["player"],
                "unit": rng.choice(["EUR", "chips", round_.table]),
                "amount": rng.randint(1, 1_000_000),
                "reason": "rake",
            }
            for _ in range(rng.randint(1, 3))
        ]
        line = {**hand, "round": round_.id, "dealt_again": True, "charges": charges}
        others = {**line, "charges": [{**charges[0], "amount": charges[0]["amount"] + 1}, *charges[1:]]}
        references = [f"{round_.id}/{hand['number']}/{place}" for place in range(1, len(charges) + 1)]
        if references[0] in {each["reference"] for each in self._lines()}:
            # A hand with this number was charged and undone.
            self._is_line_refused(line)
            return
        recorded, repeated = self._send(line, line)
        assert (recorded["status"], repeated["status"]) == ("recorded", "replayed"), recorded
        self.count("charged hands")
        self.club.has_moved(round_, after, recorded["hand"]["round"])
        self._is_line_refused(others)
        charged = {each["reference"]: each["id"] for each in self._lines() if each["reference"] in references}
        assert sorted(charged) == references
        self.club.recorded |= dict.fromkeys(charged.values(), "charges")

    def _send(self, *lines: Document) -> list[Document]:
        headers = {"Content-Type": "application/x-ndjson"}
        content = "\n".join(map(json.dumps, lines))
        response = self.club.api.request("POST", "/v1/hands", data=content, headers=headers)
        assert response.status == 200, response
        return [json.loads(line) for line in response.text.splitlines()]

    def _is_line_refused(self, line: Document) -> None:
        with self.club.unchanged():
            [refused] = self._send(line)
        assert (refused["status"], refused["problem"]["code"]) == ("refused", "payment-conflict")

    def something_is_taken_back(self, rng: Random) -> None:
        if not self.club.recorded:
            return
        entry, what = rng.choice(list(self.club.recorded.items()))
        path, reason = f"/v1/{what}/{entry}/reversal", {"reason": "a mistake"}
        if entry in self.club.taken_back:
            self.is_repeated(path, reason)
        else:
            self.post(path, reason)
            self.club.taken_back.add(entry)
        self.is_refused(path, {"reason": "another mistake"}, 409)

    def a_payment_is_claimed(self, rng: Random) -> None:
        players = self._players()
        if len(players) < 2:
            return
        payer, payee = rng.sample(players, 2)
        if self._is_one_person(payer, payee):
            return
        unit, path = rng.choice(["EUR", "chips", *self.club.tables]), "/v1/payment-claims"
        body = {"payer": payer, "payee": payee, "unit": unit, "amount": rng.randint(1, 500)}
        claimed = self.post(path, {**body, "reference": f"claimed {rng.random()}"})
        self.is_refused(path, {**body, "amount": 501, "reference": claimed["reference"]}, 409)
        self.is_refused("/v1/payments", {**body, "reference": claimed["reference"]}, 409)
        self.club.claims.append(claimed["id"])

    def a_claim_ends(self, rng: Random) -> None:
        """Confirm, decline or withdraw a claim, which may have ended: then only the same step again is a replay."""
        if not self.club.claims:
            return
        claim = rng.choice(self.club.claims)
        steps = {"confirm": {}, "decline": {"reason": "not received"}, "withdraw": {}}
        step = self.club.ended.get(claim) or rng.choice(list(steps))
        path = f"/v1/payment-claims/{claim}"
        if claim in self.club.ended:
            self.is_repeated(f"{path}/{step}", steps[step])
        else:
            ended = self.post(f"{path}/{step}", steps[step])
            self.club.ended[claim] = step
            if step == "confirm":
                self.club.recorded[ended["id"]] = "payments"
        for other in steps.keys() - {step}:
            self.is_refused(f"{path}/{other}", steps[other], 409)

    def _is_one_person(self, one: str, other: str) -> bool:
        return self.club.aliases.get(one, one) == self.club.aliases.get(other, other)

    def _players(self) -> list[str]:
        return sorted({seat["player"] for each in self.club.rounds for seat in each.happened.document["seats"]})

    def no_posted_line_changes(self) -> None:
        """Compare the lines of the ledger with what they were; their round may have become final."""
        lines = {(line["id"], line["line"]): {**line, "final": None, "position": None} for line in self._lines()}
        before = self.club.posted
        assert {place: lines.get(place) for place in before} == before
        self.club.posted = lines

    def balances_are(
        self, expected: dict[tuple[str, str | None], int], charged: dict[tuple[str, str | None], int]
    ) -> None:
        """Compare the balances, their charges, and the sums of the ledger's lines with what the events say."""
        for figure, sums in (("balance", expected), ("charges", charged)):
            shown = {
                (unit["unit"], each["player"]): each[figure]
                for unit in self.club.api.get("/v1/balances")["units"]
                for each in unit["players"]
                if each[figure]
            }
            assert shown == sums
        lines = self._lines()
        summed: Counter[tuple[str, str | None]] = Counter()
        for unit in {line["unit"] for line in lines}:
            for player, amount in owed([line for line in lines if line["unit"] == unit]).items():
                summed[unit, self.club.aliases.get(player or "", player)] += amount
        assert {account: amount for account, amount in summed.items() if amount} == expected

    def _lines(self) -> list[Document]:
        return ledger(self.club.api, "?limit=1000")
