"""The rules in WebAssembly replay a round with requests that wait in the outbox of the page."""

from tests.support.api_client import Api
from tests.support.browser.compared_round import OF_ROUNDS, middle_of_a_round
from tests.support.sample_rounds import find_record
from tests.web.browser_rules import BrowserRules


def test_hands_that_wait_to_be_sent_are_part_of_the_round(api: Api, browser: BrowserRules) -> None:
    both, first, second = middle_of_a_round(api, browser, "pineapple")
    round_ = both.round_
    names = {seat["seat"]: seat["player"] for seat in round_["document"]["seats"]}
    request = {
        **first,
        "dealt_again": True,
        "expected": {"number": 1},
        "players": [{**player, "player": names[player["seat"]]} for player in first["players"]],
    }
    queued = {**round_, "document": {**round_["document"], "hands": [request]}}
    assert browser.score(queued, second) == browser.score(round_, second)


def test_a_round_with_requests_that_wait_is_shown_as_the_service_shows_it_afterwards(
    api: Api, browser: BrowserRules
) -> None:
    both, first, second = middle_of_a_round(api, browser, "pineapple")
    again = {"operation": "record_hand", "body": first}
    waiting = [
        ("hands", {"operation": "record_hand", "body": second}),
        ("undo", {"operation": "undo_hand", "body": {"number": second["number"], "reason": "wrong cards"}}),
        ("undo", {"operation": "undo_hand", "body": {"number": first["number"]}}),
        ("hands", again),
        ("close", {"operation": "close_round", "body": {"reason": "dinner"}}),
    ]
    round_, requests = both.round_, []
    for verb, request in waiting:
        requests.append(request)
        body = request["body"]
        if request is again or verb == "undo":
            record = find_record(api, both.id, body["number"])
            body = {**body, "restores" if request is again else "hand": record}
        done = api.post(f"/v1/rounds/{both.id}/{verb}", body)
        assert done.status < 300, (verb, done.document)
        now = api.get(f"/v1/rounds/{both.id}").document
        replayed = browser.replay({**round_, "requests": requests})
        assert replayed == {"kind": "replayed", "round": {name: now[name] for name in OF_ROUNDS}, "charged": {}}, verb
    assert browser.replay(both.round_)["round"]["status"] == "closed"
    assert browser.score({**both.round_, "before": first["number"]}, first)["kind"] == "complete"
