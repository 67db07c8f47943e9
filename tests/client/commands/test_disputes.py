"""`ofc dispute`: what is claimed and what would change is shown before anything is stored."""

from pathlib import Path
from typing import Any

import pytest

from client.api import Client
from tests.support.api_disputes import AUDITOR, CLAIM, MISREAD
from tests.support.client.run_ofc import CommandResult, ofc, write
from tests.support.sample_rounds import COMPLETE, SIXES, seats

Document = dict[str, Any]


@pytest.fixture
def round_id(client: Client, table: str) -> str:
    """A round that is over."""
    document = {"ruleset": "pineapple", "table": table, "seats": seats(SIXES), "hands": COMPLETE}
    return str(client.play_document(document)["round"]["id"])


@pytest.fixture
def dispute_id(client: Client, round_id: str) -> str:
    """A dispute of it under review."""
    claimed = {"round": round_id, "hand": 2, "seat": 1, "row": "top", "claim": CLAIM, "by": "bob"}
    opened = client.open_dispute(claimed)
    client.review_dispute(opened["id"], {"version": 1, "by": AUDITOR})
    return str(opened["id"])


def resolve(
    reached: dict[str, str], dispute_id: str, state: str, *options: str | Path, text: str | None = None
) -> CommandResult:
    by = ("--by", AUDITOR, "--reason", "seen on video")
    return ofc("dispute", "resolve", dispute_id, state, *by, *options, text=text, **reached)


def lines(result: CommandResult) -> list[str]:
    return [" ".join(line.split()) for line in result.out.splitlines()]


def test_a_claim_is_shown_beside_the_record_and_stored_after_confirmation(
    client: Client, reached: dict[str, str], table: str, round_id: str
) -> None:
    options = ("--hand", "2", "--seat", "1", "--row", "top", "--claim", CLAIM, "--by", "bob")
    result = ofc("dispute", "open", table, *options, text="no\n", **reached)
    assert result.code == 0
    assert f"bob about hand 2, seat 1, top: {CLAIM}" in lines(result)
    assert "ann, top A♥ K♦ 9♣" in lines(result)
    assert "Nothing was changed." in result.out
    assert list(client.list_disputes(round=round_id)) == []
    result = ofc("dispute", "open", table, *options, text="yes\n", **reached)
    [opened] = client.list_disputes(round=round_id)
    assert f"Opened: dispute {opened['id']}." in result.out
    assert (opened["hand"], opened["seat"], opened["row"], opened["by"]) == (2, 1, "top", "bob")


def test_the_worklist_contains_unfinished_disputes(
    client: Client, reached: dict[str, str], table: str, round_id: str, dispute_id: str
) -> None:
    second = client.open_dispute({"round": round_id, "claim": "my stack", "by": "cyd"})
    third = client.open_dispute({"round": round_id, "claim": "no", "by": "ann"})
    client.withdraw_dispute(third["id"], {"version": 1, "by": "ann"})
    listed = ofc("dispute", "list", "--table", table, "--json", **reached).document["disputes"]
    assert [each["id"] for each in listed] == [dispute_id, second["id"]]
    withdrawn = ofc("dispute", "list", "--round", round_id, "--state", "withdrawn", "--json", **reached)
    assert [each["id"] for each in withdrawn.document["disputes"]] == [third["id"]]
    result = ofc("dispute", "list", "--table", table, "--limit", "1", **reached)
    assert lines(result)[0].startswith(f"{dispute_id} under review · opened ")
    assert lines(result)[1] == f"bob about hand 2, seat 1, top: {CLAIM}"
    assert second["id"] not in result.out
    assert "No disputes." in ofc("dispute", "list", "--table", table, "--state", "upheld", **reached).out


def test_everything_about_a_dispute_is_shown(client: Client, reached: dict[str, str], dispute_id: str) -> None:
    result = ofc("dispute", "comment", dispute_id, "the camera was on", "--by", "cyd", **reached)
    assert f"Comment added: dispute {dispute_id}." in result.out
    shown = lines(ofc("dispute", "show", dispute_id, **reached))
    assert shown[1:] == [
        f"bob about hand 2, seat 1, top: {CLAIM}",
        f"{AUDITOR}, under review",
        "cyd: the camera was on",
        "Recorded cards of hand 2",
        "ann, top A♥ K♦ 9♣",
    ]
    assert ofc("dispute", "show", dispute_id, "--json", **reached).document == client.get_dispute(dispute_id)


def test_a_dispute_is_upheld_with_its_correction(
    client: Client, reached: dict[str, str], round_id: str, dispute_id: str, tmp_path: Path
) -> None:
    patch = ("--patch", write(tmp_path, MISREAD))
    result = resolve(reached, dispute_id, "upheld", *patch, text="no\n")
    assert "ann, top A♥ K♦ 9♣ → A♥ K♦ 3♦" in lines(result)
    assert "Correct the round and uphold it? [yes/no]" in result.err
    assert "Nothing was changed." in result.out
    assert client.get_settlement(round_id)["revision"] == 1
    assert client.get_dispute(dispute_id)["state"] == "under_review"
    result = resolve(reached, dispute_id, "upheld", *patch, text="yes\n")
    assert f"Upheld: dispute {dispute_id}." in result.out
    case = client.get_dispute(dispute_id)
    assert (case["state"], case["corrections"], case["history"][-1]["correction"]) == ("upheld", [2], 2)
    settled = client.get_settlement(round_id)
    assert (settled["revision"], settled["reason"]) == (2, "seen on video")
    assert f"{AUDITOR}, upheld: seen on video · corrected in revision 2" in lines(
        ofc("dispute", "show", dispute_id, **reached)
    )


def test_a_dispute_is_upheld_with_an_amended_document_and_json_output(
    client: Client, reached: dict[str, str], round_id: str, dispute_id: str, tmp_path: Path
) -> None:
    amended = {**client.get_document(round_id)}
    amended["seats"][0]["player"] = "zoe"
    result = resolve(reached, dispute_id, "upheld", "--document", write(tmp_path, amended), "--yes", "--json")
    assert result.document == client.get_dispute(dispute_id)
    assert result.document["corrections"] == [2]


def test_a_corrected_name_similar_to_a_known_one_is_a_warning(
    reached: dict[str, str], dispute_id: str, tmp_path: Path
) -> None:
    renamed = [{"op": "replace", "path": "/seats/1/player", "value": "BOB"}]
    result = resolve(reached, dispute_id, "upheld", "--patch", write(tmp_path, renamed), text="no\n")
    assert "Warning: 'BOB' becomes a new player; there is a known player 'bob' with a similar name." in result.err
    assert "Nothing was changed." in result.out


def test_a_key_without_the_scope_to_resolve_corrects_nothing(
    client: Client, reached: dict[str, str], round_id: str, tmp_path: Path
) -> None:
    opened = client.open_dispute({"round": round_id, "claim": CLAIM, "by": "bob"})
    result = resolve(reached, opened["id"], "upheld", "--patch", write(tmp_path, MISREAD), "--yes")
    assert (result.code, "(dispute-refused)" in result.err) == (1, True)
    assert "start its review before you resolve it" in result.err
    assert client.get_settlement(round_id)["revision"] == 1


def test_a_correction_without_changes_does_not_uphold_a_dispute(
    client: Client, reached: dict[str, str], dispute_id: str, tmp_path: Path
) -> None:
    result = resolve(reached, dispute_id, "upheld", "--patch", write(tmp_path, []), "--yes")
    assert (result.code, "the correction changes nothing" in result.err) == (2, True)
    assert client.get_dispute(dispute_id)["state"] == "under_review"


def test_exactly_one_way_of_correcting_is_required_to_uphold(
    reached: dict[str, str], dispute_id: str, tmp_path: Path
) -> None:
    for state, more in (("rejected", ()), ("upheld", ("--edit",))):
        result = resolve(reached, dispute_id, state, "--patch", write(tmp_path, MISREAD), *more)
        assert (result.code, "Give one of --patch FILE" in result.err) == (2, True)


@pytest.mark.parametrize(
    ("command", "question", "state"),
    [
        (("resolve", "rejected", "--reason", "as recorded"), "Reject it? [yes/no]", "rejected"),
        (("resolve", "upheld", "--reason", "paid at the table"), "Uphold it? [yes/no]", "upheld"),
        (("withdraw",), "Withdraw it? [yes/no]", "withdrawn"),
    ],
)
def test_a_dispute_ends_after_confirmation(
    client: Client, reached: dict[str, str], dispute_id: str, command: tuple[str, ...], question: str, state: str
) -> None:
    name, *options = command
    for reply, after in (("no", "under_review"), ("yes", state)):
        result = ofc("dispute", name, dispute_id, *options, "--by", "bob", text=f"{reply}\n", **reached)
        assert (result.code, question in result.err) == (0, True), result
        assert client.get_dispute(dispute_id)["state"] == after
    result = ofc("dispute", "comment", dispute_id, "but", "--by", "bob", **reached)
    assert (result.code, f"the dispute has ended: it is {state}" in result.err) == (1, True)
