"""Lints and renders the chart of deploy/helm/ with the library of Helm, in a process of its own."""

import json
import subprocess
import sys
from typing import Any, Final

import yaml

from tests.deploy.deploy_files import DEPLOY

CHART: Final = DEPLOY / "helm"
NAMES: Final = {"name": "ofc", "namespace": "games"}
# The library starts threads of Go, which do not survive a fork.
_PROGRAM: Final = """
import json, sys
import helm_python

path, values, names = json.load(sys.stdin)
linted = helm_python.lint(path, values, strict=True)
with helm_python.Chart.load(path) as chart:
    manifests = {} if linted["errors"] else chart.render(values=values, **names)
    json.dump({"errors": linted["errors"], "metadata": chart.metadata, "manifests": manifests}, sys.stdout)
"""


def process_chart(values: dict[str, Any]) -> dict[str, Any]:
    """Return errors and warnings of linting, the metadata and, if there are no errors, the rendered files."""
    request = json.dumps([str(CHART), values, NAMES])
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM], input=request, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended.stderr
    processed: dict[str, Any] = json.loads(ended.stdout)
    return processed


def render(values: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the rendered objects by kind and name."""
    processed = process_chart(values)
    assert processed["errors"] == []
    objects = [each for text in processed["manifests"].values() for each in yaml.safe_load_all(text) if each]
    named = {(each["kind"], each["metadata"]["name"]): each for each in objects}
    assert len(named) == len(objects)
    return named
