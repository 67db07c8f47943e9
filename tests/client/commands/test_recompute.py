"""`ofc recompute` against a service with a worker."""

import json
from pathlib import Path
from uuid import uuid4

import pytest

from tests.client.commands.test_import_export import rounds_at, write_lines
from tests.support.client.run_ofc import ofc


def test_rounds_are_audited_and_other_results_are_shown(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    assert ofc("import", write_lines(tmp_path / "rounds.ndjson", [*rounds_at(table, 3)]), **reached).code == 0
    arguments = ["recompute", "start", "--reason", "audit", "--table", table, "--watch"]
    audited = ofc(*arguments, **reached)
    assert audited.code == 0, audited.err
    first, played, digest = audited.out.splitlines()
    assert first.endswith(": succeeded, 3 of 3 hands")
    assert played == "3 rounds, 3 hands replayed, 0 rounds differ"
    assert len(digest.removeprefix("digest ")) == 64

    would = json.loads(ofc(*arguments, "--by", "deuce-to-seven", "--json", **reached).out)
    assert (would["mode"], would["ruleset"]) == ("audit", "deuce-to-seven@1")
    assert (
        ofc("recompute", "status", would["id"], **reached).out == ofc("recompute", "watch", would["id"], **reached).out
    )
    assert ofc("recompute", "cancel", would["id"], **reached).out.splitlines()[0].endswith("3 of 3 hands")
    listed = ofc("recompute", "differences", would["id"], "--json", **reached)
    shown = ofc("recompute", "differences", would["id"], **reached)
    assert (listed.code, shown.code) == (0, 0)
    differences = [json.loads(line) for line in listed.out.splitlines()]
    assert len(differences) > 0
    assert shown.out.startswith(f"round {differences[0]['round']}, hand 1: {differences[0]['column']}")


def test_a_final_settlement_is_adjusted_on_request(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    assert ofc("import", write_lines(tmp_path / "rounds.ndjson", [*rounds_at(table, 2)]), **reached).code == 0
    apply = ["recompute", "start", "--reason", "other rules", "--table", table, "--by", "deuce-to-seven", "--apply"]
    spared = json.loads(ofc(*apply, "--watch", "--json", **reached).out)["summary"]
    assert (spared["differing"], spared["applied"], spared["skipped"]) == (2, 0, 2)
    settled = json.loads(ofc(*apply, "--final", "--watch", "--json", **reached).out)["summary"]
    assert (settled["differing"], settled["applied"], settled["skipped"]) == (2, 2, 0)


def test_what_was_audited_is_applied_and_settled_up(reached: dict[str, str], table: str, tmp_path: Path) -> None:
    rounds = [{**each, "point_value": 10, "unit": "EUR"} for each in rounds_at(table, 2)]
    assert ofc("import", write_lines(tmp_path / "rounds.ndjson", rounds), **reached).code == 0
    start = ["recompute", "start", "--reason", "other rules"]
    audited = ofc(*start, "--table", table, "--by", "pineapple-2-4-us-none", "--watch", "--json", **reached).document
    shown = ofc("recompute", "status", audited["id"], **reached).text
    payments = """
Settled in points by the fewest payments
pays         amount
ann → cyd  8 points
Settled in money by the fewest payments
pays         amount
ann → cyd  0.80 EUR
Settle either the points or the money, not both."""
    assert "--apply-audit would change 2 rounds, 2 of them only with --final, and the results of 2 players\n" in shown
    assert "2 rounds differ at 1 table\n" in shown
    assert "  cyd +8 0.80 EUR\n  ann −8 −0.80 EUR\n" in shown
    assert shown.endswith(payments)

    apply = [*start, "--apply-audit", audited["id"][-8:], "--watch"]
    assert "0 settled again, 2 unchanged\n" in ofc(*apply, **reached).out
    settled = ofc(*apply, "--final", **reached)
    assert settled.code == 0, settled.err
    assert "2 settled again, 0 unchanged\n" in settled.out
    assert settled.text.endswith(payments)
    again = ofc(*apply, "--final", "--json", **reached).document
    assert (again["audit"], again["summary"]["applied"], again["summary"]["skipped"]) == (audited["id"], 0, 2)


def test_points_without_a_value_are_settled_up_by_the_names_of_tables(
    reached: dict[str, str], table: str, tmp_path: Path
) -> None:
    rounds = [*rounds_at(table, 1), *rounds_at(f"{table}-2", 1)]
    assert ofc("import", write_lines(tmp_path / "rounds.ndjson", rounds), **reached).code == 0
    listed = ofc("round", "list", "--table", table, "--json", **reached).document["rounds"]
    listed += ofc("round", "list", "--table", f"{table}-2", "--json", **reached).document["rounds"]
    which = [argument for each in listed for argument in ("--round", each["id"])]
    arguments = ["recompute", "start", "--reason", "what if", "--by", "pineapple-2-4-us-none", *which, "--watch"]
    started = ofc(*arguments, **reached).out
    status = ofc("recompute", "status", started.split()[1].removesuffix(":"), **reached).out
    for shown in (started, status):
        for name in (table, f"{table}-2"):
            assert f"Settled in points at {name} by the fewest payments" in shown


@pytest.mark.parametrize(
    "others", [["--table", "kitchen"], ["--round", "x"], ["--by", "turbo"], ["--from", "-7d"], ["--apply"]]
)
def test_an_audit_is_applied_without_other_rounds_and_rules(reached: dict[str, str], others: list[str]) -> None:
    refused = ofc("recompute", "start", "--reason", "x", "--apply-audit", uuid4(), *others, **reached)
    assert refused.code == 2
    assert f"--apply-audit and {others[0]} were given; expected one of them" in refused.err


def test_an_unknown_audit_is_not_applied(reached: dict[str, str]) -> None:
    refused = ofc("recompute", "start", "--reason", "x", "--apply-audit", uuid4(), **reached)
    assert refused.code == 1
    assert "there is no recomputation" in refused.err


def test_an_audit_makes_nothing_final(reached: dict[str, str]) -> None:
    refused = ofc("recompute", "start", "--reason", "audit", "--final", **reached)
    assert refused.code == 2
    assert "--final was given without --apply" in refused.err


def test_an_unknown_round_is_refused(reached: dict[str, str]) -> None:
    for verb in ("status", "watch", "differences", "cancel", "pause", "resume"):
        refused = ofc("recompute", verb, uuid4(), **reached)
        assert refused.code == 1, verb
        assert "Not found" in refused.err
