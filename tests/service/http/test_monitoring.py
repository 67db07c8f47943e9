"""Alert rules and the dashboard: they use metrics that exist, and every alert has a runbook."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from tests.support.api_client import Api
from tests.support.sample_rounds import THREE, hand, record, start_round

ROOT: Final = Path(__file__).parents[3]
PROMETHEUS: Final = ROOT / "deploy" / "prometheus"
PROMTOOL: Final = shutil.which("promtool")
RULES: Final[list[dict[str, Any]]] = [
    rule
    for group in yaml.safe_load((PROMETHEUS / "alerts.yml").read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]
]
DASHBOARD: Final = json.loads((ROOT / "deploy" / "grafana" / "tablestakes.json").read_text(encoding="utf-8"))
DOCS: Final = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
SHOWN: Final = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


def test_every_expression_names_metrics_that_exist(api: Api) -> None:
    round_id = start_round(api)
    for number in (1, 1, 3):
        record(api, round_id, hand(number, 3, THREE))
    text = api.app.test_client().get("/metrics").text
    names = {sample.name for family in text_string_to_metric_families(text) for sample in family.samples}
    # Tests of a process share its counters, and this one has neither a worker nor a standby.
    names |= {"ofc_periodic_task_age_seconds", "ofc_replica_lag_bytes", "ofc_replica_lag_seconds"}
    used = {name for expression in [*SHOWN, *(rule["expr"] for rule in RULES)] for name in named(expression)}
    assert used - names == set()
    listed = set(re.findall(r"^\| `(ofc_\w+)", DOCS, re.MULTILINE))
    assert {name for name in used if name.removesuffix("_bucket") not in listed} == set()


def named(expression: str) -> list[str]:
    """The names of the service's metrics in an expression."""
    return re.findall(r"\bofc_\w+", expression)


def test_every_alert_has_a_runbook_and_a_test() -> None:
    headings = re.findall(r"^#+ (.+)$", DOCS, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}
    for rule in RULES:
        page, _, anchor = rule["annotations"]["runbook"].partition("#")
        assert page == "docs/operations.md"
        assert anchor in anchors, f"{rule['alert']} has no heading"
        assert rule["labels"]["severity"] in ("critical", "warning", "info")
    tests = yaml.safe_load((PROMETHEUS / "alerts.test.yml").read_text(encoding="utf-8"))["tests"]
    fired = {case["alertname"] for test in tests for case in test["alert_rule_test"] if "exp_alerts" in case}
    assert fired == {rule["alert"] for rule in RULES}


def test_panels_of_the_dashboard_have_ids_and_places_of_their_own() -> None:
    panels = DASHBOARD["panels"]
    assert len({panel["id"] for panel in panels}) == len({tuple(panel["gridPos"].values()) for panel in panels})
    assert all(panel["datasource"]["uid"] == "${datasource}" for panel in panels)


@pytest.mark.skipif(PROMTOOL is None, reason="promtool (Debian's package prometheus) is not installed")
@pytest.mark.parametrize("arguments", [("check", "rules", "alerts.yml"), ("test", "rules", "alerts.test.yml")])
def test_the_rules_pass_promtool(arguments: tuple[str, ...]) -> None:
    done = subprocess.run([str(PROMTOOL), *arguments], cwd=PROMETHEUS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
