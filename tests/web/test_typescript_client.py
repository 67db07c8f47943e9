"""The TypeScript client in `web/client`: built, tested against a service, packed, and used from the package."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.server_process import Running, running
from tests.web.conftest import COMPILER, PACKAGES, ROOT, STRICT, address_and_key, link_packages, run
from web.install import find_node

pytestmark = pytest.mark.thorough
PROGRAM = Path(__file__).parent / "play_round.ts"
CONTRACT = yaml.load((ROOT / "openapi-audit.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("up") / "ofc", OFC_CONCURRENCY="1") as up:
        yield up


def test_its_own_tests_pass_against_a_service(built: Path, service: Running) -> None:
    run(*find_node(), COMPILER, "--project", "tsconfig.test.json", directory=built)
    files = sorted((built / "build").glob("*.test.js"))
    assert [file.name for file in files] == ["retries.test.js", "service.test.js", "types.test.js"]
    printed = run(*find_node(), "--test", "--test-reporter=tap", *files, directory=built, **address_and_key(service))
    assert "# fail 0" in printed
    assert "# skipped 0" in printed


def test_the_packed_package_plays_a_round_in_an_empty_folder(built: Path, service: Running, tmp_path: Path) -> None:
    npm = find_node("npm")
    [packed] = json.loads(run(*npm, "pack", "--json", "--ignore-scripts", directory=built))
    files = {each["path"] for each in packed["files"]}
    assert {"LICENSE", "README.md", "package.json", "dist/index.js", "dist/index.d.ts", "dist/contract.d.ts"} <= files
    assert not [name for name in files if name.startswith(("src/", "test/", "build"))]

    (tmp_path / "package.json").write_text(json.dumps({"name": "room", "private": True, "type": "module"}))
    run(*npm, "install", "--offline", "--no-audit", "--no-fund", built / packed["filename"], directory=tmp_path)
    assert [path.name for path in (tmp_path / "node_modules").iterdir() if path.name[0] != "."] == [packed["name"]]
    shutil.copy(PROGRAM, tmp_path)
    run(*find_node(), COMPILER, *STRICT, "--typeRoots", PACKAGES / "@types", PROGRAM.name, directory=tmp_path)
    printed: Any = json.loads(run(*find_node(), "play_round.js", directory=tmp_path, **address_and_key(service)))
    assert printed == {"net": {"1": 4, "2": -4}, "paid": [4], "state": "provisional", "refused": "hand-number"}


def test_the_examples_of_its_page_compile(built: Path, tmp_path: Path) -> None:
    page = (built / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```typescript\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert len(examples) == 3
    declarations = """
        import type { HandRequest, Round } from "tablestakes-client";
        declare const round: Round, hand: HandRequest, secret: string, body: string, headers: Record<string, string>;
    """
    link_packages(tmp_path, built)
    (tmp_path / "examples.ts").write_text("\n".join([declarations, *examples]))
    run(*find_node(), COMPILER, *STRICT, "--noEmit", "examples.ts", directory=tmp_path)


def test_the_package_has_no_dependencies_and_the_version_of_the_service() -> None:
    package = json.loads((ROOT / "web" / "client" / "package.json").read_text())
    assert "dependencies" not in package
    assert (package["version"], package["license"]) == (CONTRACT["info"]["version"], "MIT")


def test_every_page_of_the_contract_has_one_list() -> None:
    """Check what `list` of the client relies on: a page has one array, its items."""
    schemas = CONTRACT["components"]["schemas"]
    pages = {name: each["properties"] for name, each in schemas.items() if "next_cursor" in each.get("properties", {})}
    assert len(pages) > 10
    assert {
        name for name, page in pages.items() if [each.get("type") for each in page.values()].count("array") != 1
    } == set()
