"""The chart of deploy/helm/ renders objects that Kubernetes accepts, with settings that the service reads."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from client.version import VERSION
from service.config import Config
from service.secret_files import NAMES, read_secret_files
from tests.deploy.deploy_files import find_unknown_variables
from tests.deploy.render_chart import CHART, process_chart, render
from tests.deploy.test_compose import OWN, service
from tests.support.installation import clean

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("helm_python") is None, reason="Helm is not installed; `make develop` installs it"
)

PARTS: Final = ("web", "worker", "beat")
URL: Final = "https://ofc.example.org"
EVERYTHING: Final[dict[str, Any]] = {
    "publicUrl": f"{URL}:8443",
    "image": {"repository": "registry.example/ofc", "tag": "1.2.3", "pullPolicy": "Always", "pullSecrets": ["pull"]},
    "secrets": {"service": "ofc-service", "owner": "ofc-owner"},
    "env": {"OFC_RATE_LIMIT": "0", "OFC_RATE_LIMIT_URL_FILE": "/etc/tablestakes/rate-limit-url"},
    "ingress": {
        "className": "nginx",
        "tlsSecret": "",
        "annotations": {"nginx.ingress.kubernetes.io/proxy-body-size": "16m"},
        "proxies": 2,
    },
    "podAnnotations": {"prometheus.io/scrape": "true"},
    "nodeSelector": {"disk": "fast"},
    "tolerations": [{"key": "games", "operator": "Exists"}],
}
MOST_LINES: Final = 300


@pytest.fixture(scope="module")
def objects() -> dict[tuple[str, str], dict[str, Any]]:
    return render({"publicUrl": URL})


def list_pods(objects: dict[tuple[str, str], dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the specifications of the pods by the name of their object."""
    return {
        name: each["spec"]["template"]["spec"]
        for (kind, name), each in objects.items()
        if kind in ("Deployment", "Job")
    }


def test_the_chart_is_small_and_has_the_version_of_the_project() -> None:
    files = [path for path in CHART.rglob("*") if path.is_file()]
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files) <= MOST_LINES
    metadata = process_chart({"publicUrl": URL})["metadata"]
    assert (metadata["version"], metadata["appVersion"]) == (VERSION, VERSION)


@pytest.mark.parametrize("release", ["1.27", "1.30", "1.34", "1.37"])
@pytest.mark.parametrize("values", [{"publicUrl": URL}, EVERYTHING], ids=["defaults", "everything"])
def test_kubernetes_accepts_what_it_renders(values: dict[str, Any], release: str) -> None:
    kubernetes = pytest.importorskip("kubernetes_validate", reason="`make develop` installs kubernetes-validate")
    for rendered in render(values).values():
        kubernetes.validate(rendered, release, strict=True)


def test_it_has_every_part_of_the_service(objects: dict[tuple[str, str], dict[str, Any]]) -> None:
    assert objects.keys() == {
        *((kind, f"ofc-{part}") for kind in ("Deployment", "PodDisruptionBudget") for part in PARTS),
        ("Job", "ofc-migrate"),
        ("Service", "ofc-web"),
        ("Service", "ofc-closed"),
        ("Ingress", "ofc"),
    }
    arguments = {name.removeprefix("ofc-"): pod["containers"][0]["args"] for name, pod in list_pods(objects).items()}
    composed = {name.rstrip("1"): service(name)["command"] for name in OWN if not name.endswith("2")}
    assert arguments == composed


def test_the_migrations_run_before_a_release_and_alone_have_the_login_of_the_owner(
    objects: dict[tuple[str, str], dict[str, Any]],
) -> None:
    annotations = objects["Job", "ofc-migrate"]["metadata"]["annotations"]
    assert annotations["helm.sh/hook"] == "pre-install,pre-upgrade"
    secrets = {name: pod["volumes"][0]["secret"]["secretName"] for name, pod in list_pods(objects).items()}
    assert secrets == {"ofc-migrate": "tablestakes-owner"} | {f"ofc-{part}": "tablestakes" for part in PARTS}


@pytest.mark.parametrize("values", [{"publicUrl": URL}, EVERYTHING], ids=["defaults", "everything"])
def test_pods_have_the_restrictions_of_the_restricted_standard(values: dict[str, Any]) -> None:
    for name, pod in list_pods(render(values)).items():
        user = pod["securityContext"]
        assert user["runAsNonRoot"] is True, name
        assert user["seccompProfile"] == {"type": "RuntimeDefault"}
        assert (user["runAsUser"], user["runAsGroup"], user["fsGroup"]) == (10001, 10001, 10001)
        assert pod["automountServiceAccountToken"] is False
        (container,) = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {each["name"]: each.get("readOnly", False) for each in container["volumeMounts"]} == {
            "secrets": True,
            "tmp": False,
        }
        assert container["resources"]["requests"].keys() == {"cpu", "memory"}


def test_web_servers_are_restarted_without_the_database_and_reached_with_it(
    objects: dict[tuple[str, str], dict[str, Any]],
) -> None:
    pods = list_pods(objects)
    (web,) = pods["ofc-web"]["containers"]
    assert web["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "http"}
    assert web["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "http"}
    for part in ("worker", "beat"):
        (container,) = pods[f"ofc-{part}"]["containers"]
        assert container["livenessProbe"]["exec"]["command"] == service("worker1")["healthcheck"]["test"][1:]


def test_the_ingress_passes_everything_but_the_metrics_to_the_web_servers(
    objects: dict[tuple[str, str], dict[str, Any]],
) -> None:
    specification = objects["Ingress", "ofc"]["spec"]
    assert specification["tls"] == [{"hosts": ["ofc.example.org"], "secretName": "tablestakes-tls"}]
    (rule,) = specification["rules"]
    paths = {path["path"]: path["backend"]["service"]["name"] for path in rule["http"]["paths"]}
    assert (rule["host"], paths) == ("ofc.example.org", {"/metrics": "ofc-closed", "/": "ofc-web"})
    assert "selector" not in objects["Service", "ofc-closed"]["spec"]
    labels = objects["Deployment", "ofc-web"]["spec"]["template"]["metadata"]["labels"]
    assert objects["Service", "ofc-web"]["spec"]["selector"] == labels


def test_the_environment_and_the_files_of_the_secret_are_settings_of_the_service(tmp_path: Path) -> None:
    (container,) = list_pods(render(EVERYTHING))["ofc-web"]["containers"]
    variables = {each["name"]: each["value"].replace("/etc/tablestakes", str(tmp_path)) for each in container["env"]}
    assert not {*NAMES} & variables.keys()
    for name, content in {
        "database-url": "postgresql://ofc_web:secret@db.example/ofc",
        "broker-url": "",
        "signing-key": "",
        "rate-limit-url": "redis://redis.example:6379/0",
    }.items():
        (tmp_path / name).write_text(content)
    read_secret_files(variables)
    config = Config.from_environment(variables)
    assert config.database == "postgresql://ofc_web:***@db.example/ofc"
    assert (config.broker_url, config.trusted_proxies, config.public_url) == ("", 2, f"{URL}:8443")
    assert find_unknown_variables() == set()


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({}, "publicUrl"),
        ({"publicUrl": "ofc.example.org"}, "publicUrl"),
        ({"publicUrl": URL, "replicas": 3}, "additional properties 'replicas' not allowed"),
        ({"publicUrl": URL, "env": {"OFC_DATABASE_URL": "postgresql://ofc:secret@db/ofc"}}, "OFC_DATABASE_URL"),
        ({"publicUrl": URL, "web": {"replicas": -1}}, "web/replicas"),
    ],
    ids=["no address", "no scheme", "unknown", "password", "negative"],
)
def test_invalid_values_are_refused(values: dict[str, Any], error: str) -> None:
    assert error in " ".join(process_chart(values)["errors"])


def test_every_value_of_the_schema_has_a_documented_default() -> None:
    defaults = yaml.safe_load((CHART / "values.yaml").read_text(encoding="utf-8"))
    schema = yaml.safe_load((CHART / "values.schema.json").read_text(encoding="utf-8"))
    assert defaults.keys() == schema["properties"].keys() - {"global"}
    for name in ("image", "secrets", "ingress"):
        assert defaults[name].keys() == schema["properties"][name]["properties"].keys()


def test_commands_of_the_owner_get_their_login_from_standard_input(tmp_path: Path) -> None:
    program = (
        "import os, service.secret_files as s; s.read_secret_files(os.environ); print(os.environ['OFC_OWNER_URL'])"
    )
    variables = clean() | {"OFC_OWNER_URL_FILE": "/dev/stdin", "PYTHONPATH": os.pathsep.join(sys.path)}
    url = "postgresql://ofc_owner:secret@db.example/ofc"
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, input=url, capture_output=True, text=True, env=variables, timeout=60, check=True)
    assert ended.stdout.strip() == url
