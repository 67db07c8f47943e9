"""The built pages: their types, their files and the headers that the service sends with them."""

import json
import re
from hashlib import sha256
from pathlib import Path

import httpx2
import pytest

from service.pages.apps import BUILT, POLICY
from tests.support.server_process import Running
from tests.web.conftest import COMPILER, PACKAGES, ROOT, run
from web.install import find_node

WEB = ROOT / "web"
TOKENS = (WEB / "src" / "design" / "tokens.css").read_text(encoding="utf-8")
IMPORTED = re.compile(r'(?:from|import)\s*\(?["\'](\.[^"\']+)["\']')
ADDRESS = re.compile(r'(?:href|src)="([^"]*)"')


@pytest.fixture
def page(service: Running) -> httpx2.Response:
    return service.get("/scorekeeper/")


@pytest.mark.parametrize("project", ["tsconfig.json", "src/rules/tsconfig.json", "src/worker/tsconfig.json"])
def test_the_types_are_right(project: str) -> None:
    settings = json.loads((WEB / "tsconfig.json").read_text(encoding="utf-8"))["compilerOptions"]
    assert settings["strict"] is True
    run(*find_node(), COMPILER, "--noEmit", "--project", project, directory=WEB)


def test_the_unit_tests_pass(tmp_path: Path) -> None:
    tests = sorted((WEB / "src").rglob("*.test.ts"))
    assert len(tests) >= 3
    bundler = PACKAGES / "esbuild" / "bin" / "esbuild"
    options = ["--bundle", "--platform=node", "--format=esm", "--out-extension:.js=.mjs", "--log-level=warning"]
    run(*find_node(), bundler, *tests, *options, f"--outdir={tmp_path}", directory=WEB)
    built = sorted(tmp_path.rglob("*.test.mjs"))
    assert len(built) == len(tests)
    printed = run(*find_node(), "--test", "--test-reporter=tap", *built, directory=tmp_path)
    assert "# fail 0" in printed
    assert "# skipped 0" in printed


def test_the_page_has_its_policy_and_nothing_inline(page: httpx2.Response) -> None:
    assert page.status_code == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert page.headers["Content-Security-Policy"] == POLICY
    assert page.headers["Cache-Control"] == "no-cache"
    assert "<style" not in page.text
    assert " style=" not in page.text
    assert re.findall(r"<script[^>]*>([^<]*)</script>", page.text) == ["", ""]
    assert not re.search(r"\son\w+=", page.text)


def test_every_file_of_the_page_is_of_the_service_and_never_changes(service: Running, page: httpx2.Response) -> None:
    addresses = ADDRESS.findall(page.text)
    assert len(addresses) == 6
    [manifest] = [address for address in addresses if address.endswith(".webmanifest")]
    icons = [icon["src"] for icon in service.get(manifest).json()["icons"]]
    for address in {*addresses, *icons}:
        response = service.get(address)
        assert response.status_code == 200, address
        assert address.startswith("/static/web/assets/")
        assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert response.headers["Content-Security-Policy"] == POLICY
        if address.endswith((".js", ".css")):
            hosts = set(re.findall(r"https?://([\w.-]+)", response.text))
            # Names of XML namespaces, the default address of the client, and the base of its relative addresses.
            assert hosts <= {"www.w3.org", "127.0.0.1", "service"}


def test_the_service_worker_caches_the_shell_of_this_version(service: Running, page: httpx2.Response) -> None:
    worker = service.get("/scorekeeper/sw.js")
    assert worker.headers["Content-Type"].startswith("text/javascript")
    assert worker.headers["Cache-Control"] == "no-cache"
    assert worker.headers["Content-Security-Policy"] == POLICY
    for address in ADDRESS.findall(page.text):
        if address.endswith((".js", ".css", ".webmanifest", ".svg")):
            assert address in worker.text
    lines = (WEB / "src" / "worker" / "sw.ts").read_text(encoding="utf-8").splitlines()
    code = [line for line in lines if line.strip() and not line.strip().startswith(("//", "/*", "*"))]
    assert len(code) <= 125


@pytest.mark.parametrize(("name", "number"), [("board", 1), ("scorekeeper", 2)])
def test_a_page_imports_nothing_that_its_service_worker_does_not_cache(
    service: Running, name: str, number: int
) -> None:
    worker = service.get(f"/{name}/sw.js").text
    scripts = [address for address in ADDRESS.findall(service.get(f"/{name}/").text) if address.endswith(".js")]
    assert len(scripts) == number
    for script in scripts:
        assert script in worker
        for imported in IMPORTED.findall(service.get(script).text):
            assert imported.removeprefix("./") in worker


@pytest.mark.parametrize("name", ["board", "scorekeeper"])
def test_the_shell_of_a_page_is_at_most_80_kilobytes(service: Running, name: str) -> None:
    """Count what the service worker caches before the page is installed, as the service sends it."""
    listed = re.search(r"FILES\w* = (\[[^]]*\])", service.get(f"/{name}/sw.js").text)
    assert listed is not None
    files = [f"/{name}/", f"/{name}/sw.js", *json.loads(listed[1])]
    assert len(files) >= 6
    sizes = {}
    for file in files:
        with httpx2.stream(
            "GET", service.url + file, headers={"Accept-Encoding": "gzip"}, trust_env=False, timeout=20
        ) as response:
            assert response.status_code == 200
            sizes[file] = sum(map(len, response.iter_raw()))
    assert 10_000 < sum(sizes.values()) <= 80_000, sizes


def test_the_page_without_a_slash_redirects_to_the_scope_of_its_worker(service: Running) -> None:
    response = service.get("/scorekeeper")
    assert (response.status_code, response.headers["Location"]) == (308, "/scorekeeper/")


def test_a_second_build_makes_the_same_files(tmp_path: Path) -> None:
    def digest() -> dict[str, str]:
        files = [path for path in BUILT.rglob("*") if path.is_file()]
        return {str(path.relative_to(BUILT)): sha256(path.read_bytes()).hexdigest() for path in files}

    before = digest()
    assert len(before) > 8
    run(*find_node(), "build.mjs", f"--target={tmp_path}", directory=WEB)
    built = {
        str(path.relative_to(tmp_path)): sha256(path.read_bytes()).hexdigest()
        for path in tmp_path.rglob("*")
        if path.is_file()
    }
    assert built == before, "the pages are older than their sources; run 'make web'"


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize("suit", ["spades", "hearts", "diamonds", "clubs"])
def test_suits_can_be_read_on_a_card(suit: str, scheme: int) -> None:
    tokens = dict(re.findall(r"--([\w-]+): light-dark\((#\w+, #\w+)\)", TOKENS))
    lighter, darker = sorted(
        (luminance(tokens[name].split(", ")[scheme]) for name in (suit, "card-face")), reverse=True
    )
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5
    expected = {"spades": "#111111", "hearts": "#c4320a", "diamonds": "#0b57d0", "clubs": "#00796b"}
    assert tokens[suit].startswith(expected[suit])
