"""Jobs: rounds by the file, and rounds played again."""

from random import Random
from uuid import UUID

from tests.oracle import PRESETS
from tests.service.any_history.model_club import as_written
from tests.service.any_history.model_round import Happened, Modelled
from tests.service.any_history.steps import Happening
from tests.support.api_client import ApiResponse
from tests.support.import_lines import database_of
from tests.support.process_jobs import work_on_job
from tests.support.sample_rounds import Document
from tests.support.worker_process import ENDED, post_import, results_of


class Working(Happening):
    """Imports and recomputations, done at once by a worker of the history's own."""

    def rounds_are_imported(self, rng: Random) -> None:
        table = rng.choice(list(self.club.tables))
        ruleset = self.club.tables[table]
        documents = [self.document(rng, table) for _ in range(3)]
        documents = [each for each in documents if self.happened(each, ruleset).view["status"] != "open"]
        lines = [as_written(document) for document in documents]
        job = self._work_on(post_import(self.club.api, b"".join([*lines, b"{}\n", *lines])))
        expected = {"rounds": len(lines), "replayed": len(lines), "refused": 1}
        assert {name: job["summary"][name] for name in expected} == expected
        self.taken["imports"] += len(lines)
        stored = [each["round"] for each in results_of(self.club.api, f"/v1/imports/{job['id']}")][: len(lines)]
        for round_id, document in zip(stored, documents, strict=True):
            self.club.agrees(self.club.add(round_id, table, self.happened(document, ruleset), is_imported=True))

    def everything_is_recomputed(self, _rng: Random) -> None:
        if self.club.rounds:
            self.finds_all_right()

    def finds_all_right(self) -> None:
        """Replay every stored round: nothing differs, because repeated requests were recorded once."""
        job = self._recompute({"scope": {}, "mode": "audit", "reason": "all of it"})
        counts = {name: job["summary"][name] for name in ("rounds", "hands", "differing")}
        hands = sum(len(each.happened.document["hands"]) for each in self.club.rounds)
        assert counts == {"rounds": len(self.club.rounds), "hands": hands, "differing": 0}

    def a_round_is_settled_by_other_rules(self, rng: Random) -> None:
        round_ = self.pick(rng)
        if round_ is None:
            return
        self.club.remember(round_)
        other = self._other_rules(rng, round_)
        body = {"scope": {"rounds": [round_.id]}, "mode": "apply", "ruleset": other, "reason": "other rules"}
        spares_it = round_.final is not None and rng.random() < 0.3
        if round_.final is not None and not spares_it:
            body["final"] = True
        if rng.random() < 0.5:
            audited = self._recompute({**body, "mode": "audit", "final": False})
            body = {
                "audit": audited["id"],
                **{name: body[name] for name in ("mode", "reason", "final") if name in body},
            }
        summary = self._recompute(body)["summary"]
        after = Happened(round_.happened.document, PRESETS[other], round_.happened.standing)
        if summary["applied"]:
            self.count("recomputations")
            assert round_.status != "open"
            assert not spares_it
            shown = self.club.read(round_, "").document
            self.club.has_moved(round_, after, shown, revised=True)
            return
        may_be = not spares_it and round_.status != "open" and after.plays() and after.view["status"] != "open"
        assert not may_be or after.settlement == round_.happened.settlement
        self.club.agrees(round_)

    def _other_rules(self, rng: Random, round_: Modelled) -> str:
        """Choose a preset of its variant: mostly another one that the round can be played by, where there is one."""
        own = round_.happened
        names = [name for name, rules in PRESETS.items() if rules["variant"] == own.ruleset["variant"]]
        rng.shuffle(names)
        others = (name for name in names if PRESETS[name] != own.ruleset)
        playable = (name for name in others if Happened(own.document, PRESETS[name], own.standing).plays())
        return next(playable, names[0]) if rng.random() < 0.7 else names[0]

    def _recompute(self, body: Document) -> ApiResponse:
        return self._work_on(self.club.api.post("/v1/recomputations", body))

    def _work_on(self, sent: ApiResponse) -> ApiResponse:
        assert sent.status == 202, sent
        while True:
            work_on_job(database_of(self.club.house), self.club.id, UUID(sent["id"]))
            job = self.club.api.get(sent.headers["Location"])
            if job["state"] in ENDED:
                assert job["state"] == "succeeded", job
                return job
