"""`ofc recompute` against a service with a worker."""

import json
from pathlib import Path
from uuid import uuid4

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


def test_an_audit_makes_nothing_final(reached: dict[str, str]) -> None:
    refused = ofc("recompute", "start", "--reason", "audit", "--final", **reached)
    assert refused.code == 2
    assert "--final was given without --apply" in refused.err


def test_an_unknown_round_is_refused(reached: dict[str, str]) -> None:
    for verb in ("status", "watch", "differences", "cancel", "pause", "resume"):
        refused = ofc("recompute", verb, uuid4(), **reached)
        assert refused.code == 1, verb
        assert "Not found" in refused.err
