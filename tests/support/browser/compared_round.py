"""A round in the service and the same round in the rules for browsers, whose results are compared."""

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.oracle import PRESETS, random_document
from tests.support.api_client import Api, ApiResponse
from tests.support.sample_rounds import Document, without
from tests.web.browser_rules import BrowserRules

OF_RECORDS = ("id", "in_force", "played_at", "recorded_at", "reference", "metadata")
"""Fields of a recorded hand that a hand which is not recorded has not."""
OF_ROUNDS = ("stakes_scope", "hands", "next", "seats", "status")
"""Fields of a round that are results of the rules."""


class ComparedRound:
    """A round in the service, and the same round in the browser."""

    def __init__(self, api: Api, browser: BrowserRules, document: Document, ruleset: Document) -> None:
        self.api, self.browser = api, browser
        money = {name: document[name] for name in ("point_value", "unit") if name in document}
        table = api.post("/v1/tables", {"name": document["table"], "ruleset": document["ruleset"], **money})
        opening = {"seats": document["seats"], "reference": document["reference"]}
        self.id = api.post(f"/v1/tables/{table['id']}/rounds", opening)["id"]
        self.ruleset = api.get(f"/v1/rulesets/{document['ruleset']}").document
        assert self.ruleset == {**self.ruleset, **ruleset}

    @property
    def round_(self) -> Document:
        """What the page knows of the round."""
        return {"document": self.api.get(f"/v1/rounds/{self.id}/document").document, "ruleset": self.ruleset}

    def request(self, hand: object) -> ApiResponse:
        """Score a hand with a dry run of the service."""
        return self.api.post(f"/v1/rounds/{self.id}/hands?dry_run=true", hand)

    def record(self, hand: Document) -> ApiResponse:
        return self.api.post(f"/v1/rounds/{self.id}/hands", hand)

    def check(self, hand: Document, where: str) -> Document:
        """Check that both have the same result for a hand, and return it."""
        response, scored = self.request(hand), self.browser.score(self.round_, hand)
        assert response.status == 201, (where, response.document)
        assert scored["kind"] == "complete", (where, scored)
        result: Document = scored["result"]
        assert result == results_of(response.document), where
        return scored

    def check_refused(self, text: str, where: str) -> str:
        """Check that both refuse a hand for the same reasons, and return the code of the problem."""
        path = f"/v1/rounds/{self.id}/hands?dry_run=true"
        response = self.api.request("POST", path, data=text.encode(), content_type="application/json")
        assert response.status >= 400, (where, response.document)
        scored = self.browser.score_text(json.dumps(self.round_), text)
        assert scored["kind"] in ("refused", "partial"), (where, scored)
        assert scored["problem"] == {name: response[name] for name in ("code", "detail", "errors")}, where
        return str(response["code"])


def results_of(recorded: Document) -> Document:
    """Return what the rules say of a recorded hand."""
    return {
        **without(recorded, *OF_RECORDS),
        "round": {name: recorded["round"][name] for name in OF_ROUNDS},
    }


def middle_of_a_round(api: Api, browser: BrowserRules, name: str) -> tuple[ComparedRound, Document, Document]:
    """A round with a hand, that hand, and the next."""
    for seed in range(1000):
        document = random_document(Random(f"refused: {name} {seed}"), PRESETS[name], small_stacks=False)
        if len(document["hands"]) > 2 and not document["departures"]:
            both = ComparedRound(api, browser, {**document, "point_value": 10_000_000, "unit": "EUR"}, PRESETS[name])
            first, second = document["hands"][:2]
            assert both.record(first).status == 201
            return both, first, second
    raise AssertionError(name)


Change = Callable[[Document], Any]


def changed(hand: Document, change: Change) -> Document:
    changed = copy.deepcopy(hand)
    change(changed)
    return changed


def duplicate_card(hand: Document) -> None:
    hand["players"][1]["top"][0] = hand["players"][0]["bottom"][4]


def change_player(index: int, **values: Any) -> Change:
    return lambda hand: hand["players"][index].update(values)


def change_hand(**values: Any) -> Change:
    return lambda hand: hand.update(values)
