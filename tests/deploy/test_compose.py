"""deploy/compose.yaml is a Compose file, and each of its services is pinned, checked and hardened."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from configparser import ConfigParser
from functools import cache
from pathlib import Path
from typing import Any, Final

import jsonschema
import pytest
import yaml
from sqlalchemy import make_url

from client.version import VERSION
from service.config import Config
from service.secret_files import NAMES, read_secret_files
from tests.deploy.deploy_files import DEPLOY
from tests.support.installation import clean

SCHEMAS: Final = "check_jsonschema"
SERVICES: Final = {
    "proxy",
    "web1",
    "web2",
    "worker1",
    "worker2",
    "beat",
    "migrate",
    "pgbouncer",
    "postgresql",
    "rabbitmq",
}
OWN: Final = {"web1", "web2", "worker1", "worker2", "beat", "migrate"}
IMAGE: Final = re.compile(r"\$\{[A-Z]+_IMAGE:-(\S+:\d+\.\d+\S*)\}")
"""A variable whose default has a version."""
CADDY: Final = shutil.which("caddy")


@cache
def read_compose() -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return document


def service(name: str) -> dict[str, Any]:
    described: dict[str, Any] = read_compose()["services"][name]
    return described


@pytest.fixture(scope="module")
def secrets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("deploy") / "secrets"
    command = [sys.executable, DEPLOY / "make_secrets.py", directory]
    subprocess.run(command, check=True, env=clean() | {"PYTHONPATH": os.pathsep.join(sys.path)}, timeout=60)
    return directory


@pytest.mark.skipif(
    importlib.util.find_spec(SCHEMAS) is None, reason="check-jsonschema is not installed; `make develop` installs it"
)
def test_it_has_the_schema_of_compose_files() -> None:
    package = importlib.util.find_spec(SCHEMAS)
    assert package is not None
    assert package.origin is not None
    schema = Path(package.origin).parent / "builtin_schemas" / "vendor" / "compose-spec.json"
    jsonschema.validate(read_compose(), json.loads(schema.read_text(encoding="utf-8")))


def test_it_has_two_web_servers_two_workers_and_what_they_need() -> None:
    assert read_compose()["services"].keys() == SERVICES
    assert {name: service(name)["command"] for name in OWN} == {
        "web1": ["web"],
        "web2": ["web"],
        "worker1": ["worker"],
        "worker2": ["worker"],
        "beat": ["worker", "--concurrency", "0"],
        "migrate": ["migrate"],
    }


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_every_service_is_pinned_checked_and_hardened(name: str) -> None:
    described = service(name)
    assert IMAGE.fullmatch(described["image"]), described["image"]
    assert described["read_only"] is True
    assert described["cap_drop"] == ["ALL"]
    assert described["security_opt"] == ["no-new-privileges:true"]
    # The migrations end.
    assert "test" in described["healthcheck"] or name == "migrate"
    assert all(required in SERVICES for required in described["depends_on"]) if "depends_on" in described else True


@pytest.mark.parametrize("name", sorted(OWN | {"pgbouncer"}))
def test_images_of_the_project_run_as_a_user_without_rights(name: str) -> None:
    assert re.fullmatch(r"1000\d:1000\d", service(name)["user"])
    default = IMAGE.fullmatch(service(name)["image"])
    assert default is not None
    assert default[1].startswith("localhost/tablestakes")
    assert default[1].endswith(f":{VERSION}")


def test_only_the_proxy_is_reached_from_outside() -> None:
    assert {name for name in SERVICES if "ports" in service(name)} == {"proxy"}
    assert read_compose()["networks"]["inner"] == {"internal": True}


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_passwords_are_in_files(name: str) -> None:
    described = service(name)
    environment = described.get("environment", {})
    assert not {*NAMES, "POSTGRES_PASSWORD"} & environment.keys()
    granted = {each if isinstance(each, str) else each["source"] for each in described.get("secrets", [])}
    assert granted <= read_compose()["secrets"].keys()
    files = {value.rpartition("/")[2] for value in environment.values() if value.startswith("/run/secrets/")}
    assert files <= granted


def test_every_secret_is_written_once_for_its_owner(secrets: Path) -> None:
    named = {Path(each["file"]).name for each in read_compose()["secrets"].values()}
    assert named == {path.name for path in secrets.iterdir()}
    assert secrets.stat().st_mode & 0o777 == 0o700


def test_the_secrets_are_settings_of_the_service(secrets: Path) -> None:
    environment = {
        name: str(secrets / Path(value).name) if value.startswith("/run/secrets/") else value
        for name, value in service("web1")["environment"].items()
    } | {"OFC_PUBLIC_URL": "https://ofc.example.org"}
    read_secret_files(environment)
    config = Config.from_environment(environment)
    pooled, owner = make_url(config.database_url), make_url((secrets / "owner-url").read_text())
    assert (pooled.username, pooled.host, pooled.port) == ("ofc_web", "pgbouncer", 6432)
    assert (owner.username, owner.host, owner.port) == ("ofc_owner", "postgresql", 5432)
    roles = (secrets / "postgres-roles.sql").read_text()
    assert f"'{pooled.password}'" in roles
    assert f"'{owner.password}'" in roles
    assert (secrets / "pgbouncer-users").read_text() == f'"ofc_web" "{pooled.password}"\n'


def test_secrets_are_not_replaced(secrets: Path) -> None:
    command = [sys.executable, DEPLOY / "make_secrets.py", secrets]
    environment = clean() | {"PYTHONPATH": os.pathsep.join(sys.path)}
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)
    assert (ended.returncode, "already exists" in ended.stderr) == (1, True)


def test_pgbouncer_is_what_the_service_connects_to() -> None:
    pooler = ConfigParser(comment_prefixes=";")
    pooler.read(DEPLOY / "pgbouncer.ini")
    assert pooler["databases"]["ofc"].split() == ["host=postgresql", "port=5432", "dbname=ofc"]
    settings = pooler["pgbouncer"]
    assert (settings["listen_port"], settings["ignore_startup_parameters"]) == ("6432", "options")
    assert settings["auth_file"] == "/run/secrets/pgbouncer-users"


def test_the_proxy_passes_requests_to_both_web_servers() -> None:
    site = (DEPLOY / "Caddyfile").read_text(encoding="utf-8")
    assert "reverse_proxy web1:8000 web2:8000 {" in site
    assert re.search(r"@metrics path /metrics\s+respond @metrics 403", site)


@pytest.mark.skipif(CADDY is None, reason="Caddy is not installed; as root, .ci/run installs it from Debian")
def test_caddy_accepts_its_configuration(tmp_path: Path) -> None:
    environment = clean() | {"SITE_ADDRESS": "https://ofc.example.org", "HOME": str(tmp_path)}
    command = [CADDY, "adapt", "--validate", "--config", DEPLOY / "Caddyfile"]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)  # type: ignore[arg-type]  # it is installed
    assert ended.returncode == 0, ended.stderr
