"""Shorthand for disputes over HTTP."""

from typing import Any

from tests.support.api_client import Api, ApiResponse
from tests.support.sample_rounds import Document, cards, complete_round, correct_round

AUDITOR = "first"
"""The name of the key that tests use."""
CLAIM = "the third card on top was the three of diamonds"
REASON = "the video shows it otherwise"
STEPS = ("comments", "review", "resolve", "withdraw")
MISREAD = [{"op": "replace", "path": "/hands/1/players/0/top", "value": cards("AhKd3d")}]
"""In hand 2 seat 1 had the three of diamonds on top, where the nine of clubs was recorded."""


def dispute(api: Api, round_id: str, **more: Any) -> ApiResponse:
    """Claim something, which may be refused."""
    return api.post("/v1/disputes", {"round": round_id, "claim": CLAIM, "by": "ann", **more})


def opened(api: Api, round_id: str | None = None, **more: Any) -> str:
    """Open a dispute, of a round of its own where none is given, and give its id."""
    response = dispute(api, round_id or complete_round(api), **more)
    assert response.status == 201, response
    return str(response["id"])


def body_of(step: str, version: int, **more: Any) -> Document:
    """The body of a step."""
    bodies: dict[str, Document] = {
        "comments": {"comment": "the camera was on", "by": "bob"},
        "review": {"version": version, "by": AUDITOR},
        "resolve": {"version": version, "by": AUDITOR, "state": "rejected", "reason": REASON},
        "withdraw": {"version": version, "by": "ann"},
    }
    return {**bodies[step], **more}


def step(api: Api, dispute_id: str, name: str, version: int | None = None, **more: Any) -> ApiResponse:
    """Comment on or change a dispute, at its current or a given version."""
    read = api.get(f"/v1/disputes/{dispute_id}")["version"] if version is None else version
    return api.post(f"/v1/disputes/{dispute_id}/{name}", body_of(name, read, **more))


def brought_to(api: Api, state: str) -> str:
    """Open a dispute and bring it into a state; its id."""
    dispute_id = opened(api)
    if state == "open":
        return dispute_id
    assert step(api, dispute_id, "review").status == 201
    if state in ("upheld", "rejected"):
        assert step(api, dispute_id, "resolve", state=state).status == 201
    elif state == "withdrawn":
        assert step(api, dispute_id, "withdraw").status == 201
    return dispute_id


def correct(api: Api, round_id: str, **more: Any) -> ApiResponse:
    """Correct the card that was misread."""
    return correct_round(api, round_id, {"reason": "misread", "patch": MISREAD, **more})
