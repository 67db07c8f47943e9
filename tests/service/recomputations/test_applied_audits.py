"""An audit is applied over HTTP: exactly what it found is changed, and both say who gains and loses what."""

from collections import Counter
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

import pytest

from service.recomputations import job as recomputations
from tests.service.recomputations.test_recomputations import START, differences, pay_less
from tests.support.api_client import Api, ApiResponse, Document
from tests.support.api_corrections import SWAPPED
from tests.support.application import House
from tests.support.database.recomputed_rounds import tamper
from tests.support.process_jobs import Club, rounds_to_import
from tests.support.sample_rounds import (
    COMPLETE,
    add_table,
    changed,
    correct_round,
    document_of,
    open_round,
    play,
    post_document,
    without,
)
from tests.support.worker_process import lines_of, post_import

OTHER = "pineapple-2-4-us-none"
"""A ruleset under which ann wins 12 points less in a complete round, and cyd loses 12 less."""
EFFECTS = (
    *("tables", "changing", "changing_final", "players", "net_moved", "moved", "unit_digits"),
    *("payments", "payments_are"),
)
EUROS = {"point_value": 10, "unit": "EUR"}


@pytest.fixture
def club(house: House, api: Api) -> Club:
    return Club(house, api)


def play_at(api: Api, table: str, third: str = "cyd", **more: Any) -> str:
    """Record a complete round in which ann wins 36 points from the third player; return its ID."""
    sitting = {1: "ann 100", 2: "bob 100", 3: f"{third} 100"}
    document = document_of(sitting=sitting, hands=COMPLETE, table=table, reference=uuid4().hex, **more)
    response = post_document(api, document)
    assert response.status == 201, response
    return str(response["round"]["id"])


def audit(club: Club, **fields: Any) -> ApiResponse:
    return ended(club, {"scope": {}, "mode": "audit", "ruleset": OTHER, "reason": "what if", **fields})


def apply(club: Club, audited: ApiResponse, **fields: Any) -> ApiResponse:
    return ended(club, {"mode": "apply", "audit": audited["id"], "reason": "agreed", **fields})


def ended(club: Club, body: Document) -> ApiResponse:
    sent = club.api.post(START, body)
    assert sent.status == 202, sent
    job = club.work_on(sent.headers["Location"])
    assert job["state"] == "succeeded", job
    return job


def effects_of(job: ApiResponse) -> Document:
    return {name: job["summary"][name] for name in EFFECTS}


def counts_of(job: ApiResponse) -> tuple[int, int, int]:
    summary = job["summary"]
    return summary["differing"], summary["applied"], summary["skipped"]


def revision_of(api: Api, round_id: str) -> int:
    return int(api.get(f"/v1/rounds/{round_id}/settlement")["revision"])


def reasons_of(api: Api, job: ApiResponse) -> dict[str, str]:
    """Return why rounds were skipped."""
    return {each["round"]: each["detail"] for each in differences(api, job) if each["kind"] == "skipped"}


def money_in(statement: ApiResponse) -> Counter[tuple[str, str]]:
    """Return the money of a statement by player and unit."""
    money: Counter[tuple[str, str]] = Counter()
    for each in statement["players"]:
        money.update({(each["player"], unit): amount for unit, amount in each["money"].items()})
    return money


def points_in(statement: ApiResponse) -> Counter[tuple[str, str]]:
    """Return the points of a statement by player and table."""
    results = ((each["player"], at) for each in statement["players"] for at in each["tables"])
    return Counter({(player, at["table"]): at["net"] for player, at in results})


def without_zeros(sums: Mapping[Any, int]) -> dict[Any, int]:
    return {name: value for name, value in sums.items() if value}


def moved_by(payments: list[Document]) -> dict[tuple[str, Any], int]:
    """Return what payments bring each player, by unit."""
    moved: Counter[tuple[str, Any]] = Counter()
    for paid in payments:
        moved[paid["payee"], paid["unit"]] += paid["amount"]
        moved[paid["payer"], paid["unit"]] -= paid["amount"]
    return without_zeros(moved)


def test_an_audit_shows_what_players_would_gain_and_who_would_pay_whom(club: Club) -> None:
    api = club.api
    play_at(api, "kitchen", **EUROS)
    play_at(api, "parlour", point_value=20, unit="EUR")
    attic = api.get(f"/v1/rounds/{play_at(api, 'attic', 'dan')}")["table"]
    before = api.get("/v1/statement")
    audited = audit(club)
    assert (audited["audit"], counts_of(audited)) == (None, (3, 0, 0))
    cheap, dear = ({"point_value": value, "unit": "EUR", "table": None} for value in (10, 20))
    worthless = {"point_value": None, "unit": None, "table": attic}
    assert effects_of(audited) == {
        "tables": 3,
        "changing": 3,
        "changing_final": 0,
        "players": 3,
        "net_moved": {"ann": -36, "cyd": 24, "dan": 12},
        "moved": [
            {"player": "cyd", "points": [{**cheap, "net": 12}, {**dear, "net": 12}], "money": {"EUR": 360}},
            {"player": "dan", "points": [{**worthless, "net": 12}], "money": {}},
            {
                "player": "ann",
                "points": [{**cheap, "net": -12}, {**dear, "net": -12}, {**worthless, "net": -12}],
                "money": {"EUR": -360},
            },
        ],
        "unit_digits": {"EUR": 2},
        "payments": {
            "points": [
                {"payer": "ann", "payee": "cyd", "amount": 12, **cheap},
                {"payer": "ann", "payee": "cyd", "amount": 12, **dear},
                {"payer": "ann", "payee": "dan", "amount": 12, **worthless},
            ],
            "money": [{"payer": "ann", "payee": "cyd", "amount": 360, "unit": "EUR"}],
        },
        "payments_are": "fewest",
    }
    assert api.get("/v1/statement").document == before.document, "an audit changes nothing"


@pytest.mark.smoke
def test_an_apply_changes_statements_by_what_the_audit_showed(club: Club) -> None:
    api = club.api
    ids = [play_at(api, "kitchen", **EUROS), play_at(api, "parlour", point_value=20, unit="EUR")]
    ids.append(play_at(api, "attic", "dan"))
    kitchen, parlour, attic = (api.get(f"/v1/rounds/{round_id}")["table"] for round_id in ids)
    before, audited = api.get("/v1/statement"), audit(club)
    applied = apply(club, audited)
    assert (applied["audit"], applied["mode"], applied["ruleset"]) == (audited["id"], "apply", f"{OTHER}@1")
    assert (applied["scope"], applied["reason"]) == (audited["scope"], "agreed")
    assert counts_of(applied) == (3, 3, 0)
    assert effects_of(applied) == effects_of(audited)
    assert [revision_of(api, round_id) for round_id in ids] == [2, 2, 2]
    after = api.get("/v1/statement")
    money, points = money_in(after), points_in(after)
    money.subtract(money_in(before))
    points.subtract(points_in(before))
    assert moved_by(applied["summary"]["payments"]["money"]) == without_zeros(money) != {}
    assert without_zeros(points) == {
        ("ann", kitchen): -12, ("ann", parlour): -12, ("ann", attic): -12,
        ("cyd", kitchen): 12, ("cyd", parlour): 12, ("dan", attic): 12,
    }  # as a table  # fmt: skip


def test_a_round_corrected_after_the_audit_is_skipped(club: Club) -> None:
    api = club.api
    misread, other = play_at(api, "kitchen", **EUROS), play_at(api, "kitchen", "dan", **EUROS)
    audited = audit(club)
    assert correct_round(api, misread, {"reason": "misread", "patch": SWAPPED}).status == 201
    corrected = api.get(f"/v1/rounds/{misread}/settlement").document
    applied = apply(club, audited)
    assert (applied["summary"]["applied"], applied["summary"]["skipped"]) == (1, 1)
    assert reasons_of(api, applied) == {
        misread: "it has revision 2, and revision 1 was audited; the round was not changed"
    }
    assert api.get(f"/v1/rounds/{misread}/settlement").document == corrected
    assert revision_of(api, other) == 2
    assert applied["summary"]["payments"]["money"] == [{"payer": "ann", "payee": "dan", "amount": 120, "unit": "EUR"}]


def test_only_the_rounds_of_the_audit_are_applied(club: Club) -> None:
    """A round that was recorded later, and one that was outside the scope, differ too."""
    api = club.api
    audited_round, outside = play_at(api, "kitchen"), play_at(api, "attic")
    audited = audit(club, scope={"rounds": [audited_round]})
    later = play_at(api, "kitchen", "dan")
    applied = apply(club, audited)
    assert (applied["summary"]["rounds"], counts_of(applied)) == (1, (1, 1, 0))
    assert [revision_of(api, round_id) for round_id in (audited_round, outside, later)] == [2, 1, 1]


def test_an_audit_that_is_applied_twice_changes_rounds_once(club: Club) -> None:
    api = club.api
    ids = [play_at(api, "kitchen"), play_at(api, "attic", "dan")]
    audited = audit(club)
    assert counts_of(apply(club, audited)) == (2, 2, 0)
    again = apply(club, audited)
    assert (again["summary"]["applied"], again["summary"]["skipped"]) == (0, 2)
    assert again["summary"]["payments"] == {"points": [], "money": []}
    assert {*reasons_of(api, again).values()} == {
        "it has revision 2, and revision 1 was audited; the round was not changed"
    }
    assert [revision_of(api, round_id) for round_id in ids] == [2, 2]


def test_a_round_with_another_result_than_audited_is_skipped(house: House, club: Club) -> None:
    round_id = play_at(club.api, "kitchen")
    audited = audit(club)
    digest = "UPDATE audited_rounds SET digest = decode(repeat('00', 32), 'hex') WHERE round_id = %s"
    tamper(house.owner_url, digest, round_id)
    applied = apply(club, audited)
    assert counts_of(applied) == (1, 0, 1)
    assert reasons_of(club.api, applied) == {round_id: "its result is not that of the audit; the round was not changed"}
    assert revision_of(club.api, round_id) == 1


def test_a_round_that_no_longer_differs_is_skipped(house: House, club: Club) -> None:
    round_id = play_at(club.api, "kitchen")
    pay_less(house, round_id)
    audited = audit(club, ruleset=None)
    assert counts_of(audited) == (1, 0, 0)
    repaired = "UPDATE hand_scores SET transfers[1].paid = (transfers[1]).paid + 1 WHERE round_id = %s AND number = 2"
    tamper(house.owner_url, repaired, round_id)
    applied = apply(club, audited)
    assert counts_of(applied) == (0, 0, 1)
    assert reasons_of(club.api, applied) == {
        round_id: "it no longer differs from its result; the round was not changed"
    }


def test_an_audit_without_differences_is_applied_to_nothing(club: Club) -> None:
    play_at(club.api, "kitchen")
    applied = apply(club, audit(club, ruleset=None))
    assert (applied["summary"]["rounds"], applied["progress"], counts_of(applied)) == (
        0, {"done": 0, "total": 0}, (0, 0, 0),
    )  # as a table  # fmt: skip


def test_final_rounds_are_counted_and_changed_with_final_only(club: Club) -> None:
    api = club.api
    lines = lines_of({**each, **EUROS} for each in rounds_to_import(2))
    imported = club.work_on(post_import(api, lines).headers["Location"])
    assert imported["summary"]["rounds"] == 2
    provisional = play_at(api, "parlour")
    audited = audit(club)
    assert (audited["summary"]["changing"], audited["summary"]["changing_final"]) == (3, 2)
    spared = apply(club, audited)
    assert counts_of(spared) == (3, 1, 2)
    assert {*reasons_of(api, spared).values()} == {
        "its settlement is or was final, and the recomputation does not change such rounds; the round was not changed"
    }
    assert spared["summary"]["net_moved"] == {"ann": -12, "cyd": 12}
    assert revision_of(api, provisional) == 2
    before = api.get("/v1/statement")
    rest = apply(club, audited, final=True)
    assert (rest["summary"]["applied"], rest["summary"]["skipped"], rest["summary"]["changing_final"]) == (2, 1, 2)
    money = money_in(api.get("/v1/statement"))
    money.subtract(money_in(before))
    assert moved_by(rest["summary"]["payments"]["money"]) == without_zeros(money)
    assert rest["summary"]["net_moved"] == {"ann": -8, "cyd": 8}


def test_rounds_that_cannot_be_changed_move_nothing(club: Club) -> None:
    """An open round differs under other rules; it is listed, but no money is promised for it."""
    api = club.api
    round_id = open_round(api, add_table(api, **EUROS))["id"]
    play(api, round_id, COMPLETE[0])
    audited = audit(club)
    assert counts_of(audited) == (1, 0, 0)
    assert effects_of(audited) == {
        "tables": 1, "changing": 0, "changing_final": 0, "players": 0, "net_moved": {}, "moved": [],
        "unit_digits": {}, "payments": {"points": [], "money": []}, "payments_are": "fewest",
    }  # as a table  # fmt: skip
    applied = apply(club, audited)
    assert counts_of(applied) == (1, 0, 1)
    assert reasons_of(api, applied) == {round_id: "the round is open; the round was not changed"}


def test_a_round_that_was_open_when_it_was_audited_is_skipped_after_further_hands(club: Club) -> None:
    api = club.api
    round_id = open_round(api, add_table(api))["id"]
    play(api, round_id, COMPLETE[0])
    audited = audit(club)
    play(api, round_id, *COMPLETE[1:])
    applied = apply(club, audited)
    assert reasons_of(api, applied) == {round_id: "its result is not that of the audit; the round was not changed"}
    assert revision_of(api, round_id) == 1


def test_an_apply_without_an_audit_shows_what_it_changes_too(club: Club) -> None:
    play_at(club.api, "kitchen", **EUROS)
    applied = audit(club, mode="apply")
    assert counts_of(applied) == (1, 1, 0)
    assert applied["summary"]["payments"]["money"] == [{"payer": "ann", "payee": "cyd", "amount": 120, "unit": "EUR"}]


def test_changes_of_several_chunks_add_up(club: Club, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of mixed values and units; what cyd gains at one table in a chunk is lost there in another."""
    api = club.api
    values = [EUROS, {"point_value": 20, "unit": "EUR"}, {}, {"point_value": 50, "unit": "CHF"}]
    for number, value in enumerate(values):
        play_at(api, f"table {number}", "cyd", **value)
        play_at(api, f"table {number}", "dan", **value)
    mirrored = document_of(
        sitting={1: "cyd 100", 2: "bob 100", 3: "ann 100"}, hands=COMPLETE, table="table 2", reference="mirrored"
    )
    assert post_document(api, mirrored).status == 201
    at_once = audit(club)
    monkeypatch.setattr(recomputations, "HANDS_ONE_BY_ONE", 4)
    divided = audit(club)
    assert count_chunks(club, at_once) == 1
    assert count_chunks(club, divided) == 9
    assert divided["summary"] == at_once["summary"]
    assert (divided["summary"]["tables"], divided["summary"]["changing"], divided["summary"]["players"]) == (4, 9, 3)
    before = api.get("/v1/statement")
    applied = apply(club, divided)
    assert count_chunks(club, applied) == 9
    assert effects_of(applied) == effects_of(divided)
    money = money_in(api.get("/v1/statement"))
    money.subtract(money_in(before))
    assert moved_by(applied["summary"]["payments"]["money"]) == without_zeros(money)
    assert {unit for _, unit in without_zeros(money)} == {"EUR", "CHF"}


def count_chunks(club: Club, job: ApiResponse) -> int:
    [(count,)] = club.house.query("SELECT count(*) FROM job_chunks WHERE job_id = %s", job["id"])
    return int(count)


def test_a_custom_ruleset_is_applied_in_the_version_that_was_audited(club: Club) -> None:
    api = club.api
    own = without(changed(api.get(f"/v1/rulesets/{OTHER}").document, ("name", "saturday")), "version")
    assert api.post("/v1/rulesets", own).status == 201
    round_id = play_at(api, "kitchen")
    audited = audit(club, ruleset="saturday")
    assert api.post("/v1/rulesets", changed(own, ("points/scoop_bonus", 9)))["version"] == 2
    applied = apply(club, audited)
    assert (applied["ruleset"], counts_of(applied)) == ("saturday@1", (1, 1, 0))
    assert api.get(f"/v1/rounds/{round_id}")["ruleset"] == "saturday@1"
