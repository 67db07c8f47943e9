"""The example of docs/events.md follows a table of a real server, and its tables are complete."""

import re
from itertools import islice
from pathlib import Path
from typing import Any

from evidence.events import EventKind
from schemas.feed.events import AUDITED_KINDS, HAVE_RESULTS
from schemas.webhooks.endpoints import WebhookKind
from tests.service.feed.test_long_polls import Club
from tests.support.sample_rounds import COMPLETE, SIXES, dealt_again, seats
from tests.support.server_process import running

PAGE = (Path(__file__).parents[3] / "docs" / "events.md").read_text(encoding="utf-8")


def section(heading: str) -> str:
    return PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]


def test_the_example_follows_a_table(tmp_path: Path) -> None:
    [source] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    defined: dict[str, Any] = {}
    exec(source, defined)
    with running(tmp_path / "ofc", OFC_CONCURRENCY="1") as service:
        club = Club(service, (tmp_path / "ofc" / "api-key").read_text().strip())
        table = club.add_table()
        with club.connect() as client:
            round_id = client.post(f"/v1/tables/{table}/rounds", json={"seats": seats(SIXES)}).json()["id"]
            for played in COMPLETE:
                assert client.post(f"/v1/rounds/{round_id}/hands", json=dealt_again(played)).status_code == 201
            net = client.get(f"/v1/rounds/{round_id}/settlement").json()["net"]
        results = list(islice(defined["follow"](club.url, club.key, table), 3))
    assert [number for number, _ in results] == [1, 2, 3]
    assert results[-1][1] == net


def test_the_page_names_every_kind_with_a_result_and_every_kind_for_auditors() -> None:
    assert set(re.findall(r"`([a-z]+\.[a-z]+)`", section("Results").partition("`net` is")[0])) == {
        kind.value for kind in HAVE_RESULTS
    }
    hidden = PAGE.partition("sees no events of the kinds")[2].partition("; their positions")[0]
    assert set(re.findall(r"`([a-z_.-]+)`", hidden)) == {kind.value for kind in AUDITED_KINDS}


def test_the_page_names_the_event_of_every_message() -> None:
    named = set(re.findall(r"`([a-z]+\.[a-z-]+)`", section("Events and messages")))
    same = {"hand.recorded", "hand.withdrawn", "dispute.opened", "dispute.withdrawn"}
    assert named >= {kind.value for kind in WebhookKind}
    assert same <= {kind.value for kind in WebhookKind} & {kind.value for kind in EventKind}
