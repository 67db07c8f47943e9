"""`ofc` in a club that requires a second auditor: what changes a final settlement is proposed and confirmed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from client.api import Client
from client.render.format import ROWS
from tests.client.commands.test_disputes import lines
from tests.client.commands.test_import_export import rounds_at, write_lines
from tests.support.api_disputes import CLAIM, MISREAD
from tests.support.client.run_ofc import CommandResult, ofc, write
from tests.support.sample_rounds import COMPLETE, SIXES, seats
from tests.support.server_process import Running, command, make_key

Document = dict[str, Any]


def reach(service: Running, key: str) -> dict[str, str]:
    return {"OFC_URL": service.url, "OFC_API_KEY": key, "OFC_API_KEY_FILE": ""}


@pytest.fixture
def club() -> str:
    """The name of a club of its own."""
    return f"club-{uuid4().hex}"


@pytest.fixture
def reached(service: Running, club: str) -> dict[str, str]:
    """What an auditor of the club sets, which requires a second auditor."""
    key = make_key(service.directory, club)
    result = command("club", "set", club, "--second-auditor", "--data", str(service.directory))
    assert "A second auditor confirms what changes a final settlement." in result.stderr + result.stdout, result
    return reach(service, key)


@pytest.fixture
def second(service: Running, club: str, reached: dict[str, str]) -> dict[str, str]:
    """What the second auditor sets, with another key."""
    assert reached
    options = ("--club", club, "--name", "second", "--data", str(service.directory))
    return reach(service, command("key", "create", *options).stdout.strip())


@pytest.fixture
def client(reached: dict[str, str]) -> Iterator[Client]:
    with Client(reached["OFC_URL"], reached["OFC_API_KEY"]) as opened:
        yield opened


@pytest.fixture
def round_id(client: Client) -> str:
    """A round whose settlement is final."""
    document = {"ruleset": "pineapple", "table": "kitchen", "seats": seats(SIXES), "hands": COMPLETE}
    round_id = str(client.play_document(document)["round"]["id"])
    for seat in (1, 2, 3):
        settlement = client.confirm_settlement(round_id, {"seat": seat})
    assert settlement["state"] == "final"
    return round_id


def waiting(client: Client) -> Document:
    [proposal] = client.list_proposals(state="waiting")
    return dict(proposal)


def is_proposed(client: Client, result: CommandResult) -> bool:
    assert result.code == 0, result
    proposal = waiting(client)
    return (
        f"Proposed: proposal {proposal['id']}. It takes effect when another key confirms it:"
        f" `ofc proposal confirm {proposal['id']}`." in result.out
    )


@pytest.mark.smoke
def test_a_correction_is_proposed_and_confirmed(
    client: Client, reached: dict[str, str], second: dict[str, str], round_id: str, tmp_path: Path
) -> None:
    correct = ("round", "correct", "kitchen", "--reason", "misread", "--patch", write(tmp_path, MISREAD))
    tried = ofc(*correct, "--dry-run", **reached)
    assert "ann, top A♥ K♦ 9♣ → A♥ K♦ 3♦" in lines(tried)
    assert "Nothing was stored: this was a dry run." in tried.out
    declined = ofc(*correct, text="no\n", **reached)
    assert "Propose the correction? [yes/no]" in declined.err
    assert list(client.list_proposals()) == []
    assert is_proposed(client, ofc(*correct, "--yes", **reached))
    proposal_id = waiting(client)["id"]
    assert client.get_settlement(round_id)["revision"] == 1
    listed = lines(ofc("proposal", "list", "--state", "waiting", **second))
    assert [line.startswith(proposal_id) and line.endswith("misread waiting") for line in listed] == [False, True]
    shown = lines(ofc("proposal", "show", proposal_id[-6:], **second))
    assert shown[0] == f"Proposal {proposal_id}: waiting"
    assert "ann, top A♥ K♦ 9♣ → A♥ K♦ 3♦" in shown
    refused = ofc("proposal", "confirm", proposal_id, "--yes", **reached)
    assert (refused.code, "not-second-auditor" in refused.err) == (1, True)
    declined = ofc("proposal", "confirm", proposal_id, text="no\n", **second)
    assert "Nothing was changed." in declined.out
    confirmed = ofc("proposal", "confirm", proposal_id, text="yes\n", **second)
    assert f"Confirmed: proposal {proposal_id}." in confirmed.out
    assert client.get_settlement(round_id)["revision"] == 2
    assert lines(ofc("proposal", "show", proposal_id, **reached))[-1].endswith(": revision 2")


def test_a_proposal_is_withdrawn(
    client: Client, reached: dict[str, str], second: dict[str, str], round_id: str, tmp_path: Path
) -> None:
    patch = ("--patch", write(tmp_path, MISREAD), "--yes")
    correct = ("round", "correct", round_id, "--reason", "misread", *patch)
    printed = ofc(*correct, "--json", **reached).document
    proposal = client.get_proposal(waiting(client)["id"])
    assert printed == proposal
    assert ofc("proposal", "show", proposal["id"], "--json", **second).document == proposal
    result = ofc("proposal", "withdraw", proposal["id"], "--reason", "no video", **second)
    assert f"Withdrawn: proposal {proposal['id']}." in result.out
    assert lines(ofc("proposal", "show", proposal["id"], **reached))[-1].endswith(": no video")
    again = ofc(*correct, **reached)
    assert again.code == 2
    assert f"proposal {proposal['id']} was withdrawn; change the reason to propose it again" in again.err
    assert client.get_settlement(round_id)["revision"] == 1


def test_a_corrected_hand_is_proposed(client: Client, reached: dict[str, str], round_id: str) -> None:
    [first, *_] = client.get_document(round_id)["hands"]
    ann, bob, _ = [" / ".join(" ".join(player[row]) for row in ROWS) for player in first["players"]]
    options = ("--seat", "ann", bob, "--seat", "bob", ann, "--reason", "swapped", "--yes")
    assert is_proposed(client, ofc("hand", "correct", "kitchen", "1", *options, **reached))
    assert waiting(client)["reason"] == "swapped"


def test_a_dispute_is_upheld_when_its_correction_is_confirmed(
    client: Client, reached: dict[str, str], second: dict[str, str], round_id: str, tmp_path: Path
) -> None:
    [key] = [key["name"] for key in client.list_keys() if reached["OFC_API_KEY"].startswith(key["prefix"])]
    opened = client.open_dispute({"round": round_id, "hand": 2, "claim": CLAIM, "by": "bob"})
    client.review_dispute(opened["id"], {"version": 1, "by": key})
    by = ("--by", key, "--reason", "seen on video", "--patch", write(tmp_path, MISREAD))
    result = ofc("dispute", "resolve", opened["id"], "upheld", *by, text="yes\n", **reached)
    assert "Propose to correct the round and uphold it? [yes/no]" in result.err
    assert is_proposed(client, result)
    proposal = waiting(client)
    assert (proposal["dispute"], proposal["upholds"]) == (opened["id"], True)
    assert client.get_dispute(opened["id"])["state"] == "under_review"
    shown = lines(ofc("proposal", "show", proposal["id"], **second))
    assert f"For dispute {opened['id']}, which is upheld with it." in shown
    assert ofc("proposal", "confirm", proposal["id"], "--yes", **second).code == 0
    assert client.get_dispute(opened["id"])["state"] == "upheld"


def test_an_audit_is_applied_when_another_key_confirms_it(
    client: Client, reached: dict[str, str], second: dict[str, str], tmp_path: Path
) -> None:
    assert ofc("import", write_lines(tmp_path / "rounds.ndjson", [*rounds_at("kitchen", 2)]), **reached).code == 0
    start = ("recompute", "start", "--reason", "other rules")
    audited = ofc(*start, "--by", "pineapple-2-4-us-none", "--watch", "--json", **reached).document
    apply = (*start, "--apply-audit", audited["id"], "--final", "--watch")
    assert is_proposed(client, ofc(*apply, **reached))
    proposal = waiting(client)
    assert (proposal["kind"], proposal["audit"]) == ("recomputation", audited["id"])
    assert f"apply audit {audited['id']}; other rules" in ofc("proposal", "show", proposal["id"], **second).out
    assert ofc("proposal", "confirm", proposal["id"], "--yes", **second).code == 0
    job = client.get_proposal(proposal["id"])["end"]
    assert job is not None
    watched = ofc("recompute", "watch", str(job["recomputation"]), **reached)
    assert "2 settled again, 0 unchanged\n" in watched.out
    whole = ofc(*start, "--by", "deuce-to-seven", "--apply", "--final", **reached)
    assert (whole.code, "second-auditor-required" in whole.err) == (1, True)


def test_the_player_of_a_key_is_declared_and_listed(reached: dict[str, str], second: dict[str, str]) -> None:
    created = ofc("key", "create", "ann-phone", "--scope", "read", "--player", "ann", "--json", **reached)
    assert created.document["player"] == "ann"
    [line] = [line for line in lines(ofc("key", "list", **second)) if "ann-phone" in line]
    assert "ann-phone ann read" in line
