"""Money that changes hands, and what the house charges, taken back now and then."""

from collections import Counter
from random import Random

from tests.service.any_history.steps import Happening
from tests.service.ledger.ledger_lines import ledger, owed
from tests.support.sample_rounds import Document


class Paying(Happening):
    """Payments, charges and their reversals."""

    def money_changes_hands(self, rng: Random) -> None:
        players = self._players()
        if len(players) < 2:
            return
        payer, payee = rng.sample([*players, None], 2)
        if payer and payee and self.club.aliases.get(payer, payer) == self.club.aliases.get(payee, payee):
            return
        self._is_recorded("payments", {"payer": payer, "payee": payee, "paid_at": "2026-11-20T23:00:00Z"}, rng)

    def somebody_is_charged(self, rng: Random) -> None:
        players = self._players()
        if not players:
            return
        about = {"round": rng.choice(self.club.rounds).id} if rng.random() < 0.5 else {}
        self._is_recorded("charges", {"player": rng.choice(players), "reason": "the room", **about}, rng)

    def _is_recorded(self, what: str, about: Document, rng: Random) -> None:
        path, unit = f"/v1/{what}", rng.choice(["EUR", *self.club.tables])
        body = {**about, "unit": unit, "amount": rng.randint(1, 500), "reference": f"{what} {rng.random()}"}
        tried = self.tried(path, body)
        recorded = self.post(path, body)
        self.agree(tried, recorded)
        self.is_refused(path, {**body, "amount": body["amount"] + 1}, 409)
        self.club.recorded[recorded["id"]] = what

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

    def _players(self) -> list[str]:
        return sorted({seat["player"] for each in self.club.rounds for seat in each.happened.document["seats"]})

    def no_posted_line_changes(self) -> None:
        """Compare the lines of the ledger with what they were; their round may have become final."""
        lines = {(line["id"], line["line"]): {**line, "final": None, "position": None} for line in self._lines()}
        before = self.club.posted
        assert {place: lines.get(place) for place in before} == before
        self.club.posted = lines

    def balances_are(self, expected: dict[tuple[str, str | None], int]) -> None:
        """Compare the balances, and the sums of the ledger's lines, with what the events say."""
        shown = {
            (unit["unit"], each["player"]): each["balance"]
            for unit in self.club.api.get("/v1/balances")["units"]
            for each in unit["players"]
            if each["balance"]
        }
        assert shown == expected
        lines = self._lines()
        summed: Counter[tuple[str, str | None]] = Counter()
        for unit in {line["unit"] for line in lines}:
            for player, amount in owed([line for line in lines if line["unit"] == unit]).items():
                summed[unit, self.club.aliases.get(player or "", player)] += amount
        assert {account: amount for account, amount in summed.items() if amount} == expected

    def _lines(self) -> list[Document]:
        return ledger(self.club.api, "?limit=1000")
