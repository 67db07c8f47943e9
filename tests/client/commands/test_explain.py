"""Recorded hands explained by the command: what the service says, as it says it."""

from pathlib import Path

import httpx2
import pytest

from client.api import Client
from client.errors import TransportError
from tests.support.client.run_ofc import ofc, ofc_process
from tests.support.client.table_setup import WORKED, add_hand, open_evening
from tests.support.explanation_page import pairs_in, pairs_on, read_page
from tests.support.sample_rounds import NOBODYS


@pytest.fixture
def hand_id(reached: dict[str, str], client: Client, table: str) -> str:
    """The worked example, recorded."""
    round_id = open_evening(reached, table, "ann=3", "ben=50", "cyd=50")
    add_hand(reached, table, *WORKED, button=3)
    [hand] = client.list_hands(round_id)
    return str(hand["id"])


def test_a_hand_is_explained_in_the_words_of_the_service(reached: dict[str, str], client: Client, hand_id: str) -> None:
    result = ofc("hand", "explain", hand_id, COLUMNS="40", **reached)
    assert (result.code, result.out) == (0, client.explain_hand_as("text/plain", hand_id).content.decode())
    capped = (
        "  1. ben pays 3 of 4 to ann: ann has a stack of 3 and can win at most 3;"
        " without the cap ben would pay 4: ben 50 → 47, ann 3 → 6  [What caps a payment]"
    )
    assert capped in result.out.splitlines()


def test_json_output_is_the_response_of_the_service(reached: dict[str, str], client: Client, hand_id: str) -> None:
    assert ofc("hand", "explain", hand_id, "--json", **reached).document == client.explain_hand(hand_id)


def test_the_page_is_written_in_addition_to_the_output(
    reached: dict[str, str], client: Client, hand_id: str, tmp_path: Path
) -> None:
    page = tmp_path / "hand.html"
    result = ofc("hand", "explain", hand_id, "--html", page, **reached)
    assert result.out == client.explain_hand_as("text/plain", hand_id).content.decode()
    assert pairs_on(read_page(page.read_text(encoding="utf-8"))) == pairs_in(client.explain_hand(hand_id))
    result = ofc("hand", "explain", hand_id, "--html", tmp_path / "nowhere" / "hand.html", **reached)
    assert result.code == 2
    assert result.err.endswith("hand.html cannot be written: no such file or directory\n")


def test_an_existing_page_is_overwritten_only_on_request(reached: dict[str, str], hand_id: str, tmp_path: Path) -> None:
    page = tmp_path / "hand.html"
    page.write_text("mine", encoding="utf-8")
    result = ofc("hand", "explain", hand_id, "--html", page, **reached)
    assert (result.code, result.out) == (2, "")
    assert "already exists; expected another name, or --overwrite" in result.err
    assert page.read_text(encoding="utf-8") == "mine"
    assert ofc("hand", "explain", hand_id, "--html", page, "--overwrite", **reached).code == 0
    assert read_page(page.read_text(encoding="utf-8")) is not None


def test_a_round_is_explained_hand_by_hand(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    assert ofc("round", "explain", table, **reached).out == "No hand was played yet.\n"
    add_hand(reached, table, button=1)
    add_hand(reached, table)
    texts = [client.explain_hand_as("text/plain", hand["id"]).content.decode() for hand in client.list_hands(round_id)]
    assert len(texts) == 2
    assert ofc("round", "explain", table, **reached).out == "\n".join(texts)
    hands = ofc("round", "explain", round_id, "--json", **reached).document["hands"]
    assert [hand["number"] for hand in hands] == [1, 2]


def test_an_older_revision_is_explained(reached: dict[str, str], client: Client, table: str) -> None:
    round_id = open_evening(reached, table)
    add_hand(reached, table, *WORKED, button=3)
    [undone] = [hand["id"] for hand in client.list_hands(round_id)]
    ofc("undo", table, "--yes", **reached)
    add_hand(reached, table, button=1)
    explanation = ofc("round", "explain", table, "--revision", "1", **reached).out
    assert explanation == client.explain_hand_as("text/plain", undone, revision=1).content.decode()
    assert "revision 1 · undone or corrected: it does not count" in explanation
    result = ofc("hand", "explain", undone, "--revision", "2", **reached)
    assert result.code == 1
    assert f"revision 2 of round {round_id} has no hand {undone}" in result.err


def test_an_unknown_hand_is_refused(reached: dict[str, str]) -> None:
    result = ofc("hand", "explain", NOBODYS, **reached)
    assert (result.code, result.out) == (1, "")
    assert f"there is no hand {NOBODYS}" in result.err


def test_an_output_without_suits_gets_letters(reached: dict[str, str], hand_id: str) -> None:
    result = ofc_process("hand", "explain", hand_id, PYTHONIOENCODING="ascii", **reached)
    assert "Qs Qd 4c        pair of queens, four kicker" in result.out


def test_a_response_in_another_form_is_rejected() -> None:
    page = httpx2.MockTransport(lambda _: httpx2.Response(200, html="<h1>Sign in</h1>"))
    with (
        Client(transport=page) as client,
        pytest.raises(TransportError, match="text/html, which is not a response of Tablestakes"),
    ):
        client.explain_hand_as("text/plain", NOBODYS).content.decode()
