"""`ofc post` hand by hand while its table is changed: a round is recorded under its own rules, or refused."""

from pathlib import Path
from typing import Any

import pytest

from client.api import Client
from client.errors import RefusedError
from client.posting import open_round
from tests.support.client.posted_rounds import Document, first_hands, short_round
from tests.support.client.run_ofc import ofc, write

MONEY = {"point_value": 10, "unit": "EUR"}
OTHER: Document = {"ruleset": "turbo@1", "point_value": 50, "unit": "USD"}


def test_an_interrupted_post_resumes_after_its_table_was_changed(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path
) -> None:
    document = short_round(table, **MONEY)
    assert ofc("post", write(tmp_path, first_hands(document, 1)), **reached).code == 0
    [before] = client.list_rounds(table_name=table)
    client.update_table(before["table"], OTHER)
    result = ofc("post", write(tmp_path, document), **reached)
    assert result.code == 0, result
    assert result.out.endswith("Recorded now: 1 hand; recorded before: 1.\n")
    [round_] = client.list_rounds(table_name=table)
    assert (round_["id"], round_["hands"]) == (before["id"], 2)
    assert [round_[name] for name in ("ruleset", *MONEY)] == ["pineapple@1", 10, "EUR"]


def test_a_round_is_not_opened_with_what_its_table_got_meanwhile(
    client: Client, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_table = client.add_table

    def add_and_change(request: Any) -> Any:
        added = add_table(request)
        client.update_table(added["id"], OTHER)
        return added

    monkeypatch.setattr(client, "add_table", add_and_change)
    with pytest.raises(RefusedError) as raised:
        open_round(client, short_round(table, **MONEY), client.get_ruleset("pineapple"))
    mistakes = {each["pointer"]: each["detail"] for each in raised.value.problem["errors"]}
    assert raised.value.code == "table-differs"
    assert set(mistakes) == {"#/ruleset", "#/point_value", "#/unit"}
    assert mistakes["#/point_value"] == f"is 10 here and 50 at {table}; post the round --whole to keep its own"
    assert list(client.list_rounds(table_name=table)) == []


@pytest.mark.parametrize(
    ("difference", "mistake"),
    [
        ({"ruleset": "turbo"}, "#/ruleset is turbo@1 here and pineapple@1 in the recorded round"),
        ({"point_value": 20}, "#/point_value is 20 here and 10 in the recorded round"),
        ({"unit": "USD"}, "#/unit is USD here and EUR in the recorded round"),
    ],
)
def test_a_recorded_round_with_other_rules_is_not_continued(
    reached: dict[str, str], client: Client, table: str, tmp_path: Path, difference: Document, mistake: str
) -> None:
    document = short_round(table, **MONEY)
    assert ofc("post", write(tmp_path, first_hands(document, 1)), **reached).code == 0
    result = ofc("post", write(tmp_path, {**document, **difference}), **reached)
    assert result.code == 1
    assert mistake in " ".join(result.err.split())
    [round_] = client.list_rounds(table_name=table)
    assert round_["hands"] == 1
