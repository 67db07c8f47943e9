"""Two scorekeepers record one hand, or two hands with one number."""

from client.api import Client
from tests.support.client.proxy import Proxy, Way
from tests.support.client.run_ofc import ofc
from tests.support.client.table_setup import PLAIN, numbers_of, open_evening
from tests.support.sample_rounds import LOW, MID, hand

BOARDS = [part for seat, board in enumerate(PLAIN, start=1) for part in ("--seat", str(seat), board)]


def test_a_duplicate_deal_is_refused_and_recorded_on_request(
    by_proxy: dict[str, str], client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    assert ofc("hand", "add", table, *BOARDS, "--button", "1", "--yes", **by_proxy).code == 0
    again = ofc("hand", "add", table, *BOARDS, "--yes", **by_proxy)
    assert again.code == 1
    assert "(same-deal)" in again.err
    assert "hand 1 of this round has the same boards" in again.err
    assert f"`ofc hand add {table} --dealt-again` records it" in again.err
    assert numbers_of(client, round_id) == [1]
    assert ofc("hand", "add", table, *BOARDS, "--dealt-again", "--yes", **by_proxy).code == 0
    assert numbers_of(client, round_id) == [1, 2]


def test_a_queued_duplicate_deal_is_refused_and_recorded_on_request(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    assert ofc("hand", "add", table, *BOARDS, "--button", "1", "--yes", **by_proxy).code == 0
    proxy.way = Way.AWAY
    assert ofc("hand", "add", table, *BOARDS, "--yes", **by_proxy).code == 0
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).code == 1
    listed = ofc("queue", "list", **by_proxy).out
    assert "(same-deal)" in listed
    assert "`ofc queue dealt-again 2` records it" in listed
    assert ofc("queue", "dealt-again", "2", **by_proxy).text == f"Sent: hand 2 at {table}."
    assert numbers_of(client, round_id) == [1, 2]
    assert ofc("queue", "dealt-again", "2", **by_proxy).code == 2


def test_a_conflict_shows_both_boards(by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    assert ofc("hand", "add", table, *BOARDS, "--button", "1", "--yes", **by_proxy).code == 0
    others = "AhKd9h / JsJd8c5h2c / AsAdTcTh4s"
    client.record_hand(round_id, hand(1, 1, {1: others, 2: MID, 3: LOW}))
    proxy.way = Way.THROUGH
    result = ofc("queue", "flush", **by_proxy)
    assert result.code == 1
    [differs] = [line for line in result.text.splitlines() if line.endswith("differs")]
    assert differs.split() == ["1", "top", "A♥", "K♦", "9♥", "A♥", "K♦", "9♣", "differs"]
    assert len([line for line in result.text.splitlines() if " middle " in line or " bottom " in line]) == 6


def test_the_same_hand_with_cards_in_another_order_is_a_replay(
    by_proxy: dict[str, str], proxy: Proxy, client: Client, table: str
) -> None:
    round_id = open_evening(by_proxy, table)
    proxy.way = Way.AWAY
    assert ofc("hand", "add", table, *BOARDS, "--button", "1", "--yes", **by_proxy).code == 0
    client.record_hand(round_id, hand(1, 1, {1: "9cKdAh / JsJd8c5h2c / AsAdTcTh4s", 2: MID, 3: LOW}))
    proxy.way = Way.THROUGH
    assert ofc("queue", "flush", **by_proxy).text.splitlines()[0] == f"Sent: hand 1 at {table}."
    assert numbers_of(client, round_id) == [1]
