"""The files of the rules for browsers: the same as the server's, the same at every build, and no rule in TypeScript."""

import hashlib
import json
import math
import re
from importlib.metadata import distribution
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import orjson
import pytest

import schemas.next_hand
import scoring.round
from scoring import SCORER_VERSION
from web.rules.build import ADAPTER, ARCHIVE, MANIFEST, PACKAGES, SUBSTITUTES, list_files, pack

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "web" / "src"


def test_the_archive_is_the_same_at_every_build(built_rules: Path) -> None:
    archive = (built_rules / ARCHIVE).read_bytes()
    assert pack(list_files()) == archive
    assert pack(dict(reversed(list_files().items()))) == archive


def test_the_archive_has_the_files_that_the_server_imports(built_rules: Path) -> None:
    with ZipFile(built_rules / ARCHIVE) as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    own = {name for name in packed if name.partition("/")[0] in ("scoring", "schemas", "evidence")}
    assert {"scoring/round.py", "scoring/settlement.py", "schemas/next_hand.py", "schemas/hands.py"} <= own
    for name in own:
        assert packed[name] == (ROOT / name).read_bytes(), name
    for module in (scoring.round, schemas.next_hand):
        path = Path(str(module.__file__))
        assert packed[path.relative_to(ROOT).as_posix()] == path.read_bytes()
    for package in PACKAGES:
        files = [name for name in packed if name.startswith(f"{package}/")]
        assert len(files) > 10
        for name in files:
            assert packed[name] == Path(str(distribution(package).locate_file(name))).read_bytes(), name
    others = {name for name in packed if name not in own and not name.startswith(PACKAGES)}
    assert others == {ADAPTER, *SUBSTITUTES}
    assert packed[ADAPTER] == (ROOT / "web" / "rules" / "adapter.py").read_bytes()


def test_the_manifest_has_the_digest_of_every_file(built_rules: Path) -> None:
    manifest = json.loads((built_rules / MANIFEST).read_text())
    assert manifest["scorer"] == SCORER_VERSION
    versions = (ROOT / "constraints.txt").read_text().splitlines()
    for name, version in manifest["packages"].items():
        assert f"{name}=={version}" in versions
    pinned = json.loads((ROOT / "web" / "package.json").read_text())["dependencies"]["pyodide"]
    assert manifest["pyodide"] == pinned
    listed = {**manifest["files"], **manifest["scripts"]}
    built = {path.name for path in built_rules.iterdir()}
    assert built - {MANIFEST, "NOTICE.txt", "python.mjs"} == set(listed)
    for name, file in listed.items():
        content = (built_rules / name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (file["bytes"], file["sha256"]), name


def test_the_worker_asks_no_other_server(built_rules: Path) -> None:
    """Check the scripts of the project and the list of packages; Pyodide loads packages only from that list."""
    for name in ("worker.js", "python.js", "pyodide-lock.json"):
        assert not re.search(r"https?://", (built_rules / name).read_text()), name
    assert json.loads((built_rules / "pyodide-lock.json").read_text())["packages"] == {}


# --- no rule in TypeScript ---

RULES = {
    "a category of rows": r"full_house|(?:four|three)_of_a_kind|two_pair|(?:straight|royal)_flush|high_card",
    "a reason of a foul": r"(?:top|middle)_beats_(?:middle|bottom)|does_not_qualify",
    "a row of a royalty table": r"\b([2-9TJQKA])\1{1,2}\b['\"]?\s*:\s*\d|\b(?:QQ|KK|AA|AAA)\b",
    "royalties as numbers": r"royalt\w*\s*[:=]\s*[\[{\d]",
    "a comparison of rows": r"(?:top|middle|bottom)\s*[<>]=?\s*\w*\.?(?:top|middle|bottom)\b",
    "a function that scores": r"(?:function|const)\s+(?:is|find|compute|calculate)?(?:foul|royalt|strength|scoop)\w*",
    "a preset": r"pineapple-|deuce-to-seven|progressive",
    "the order of ranks": r"23456789TJQKA|AKQJT98765432",
}
PATTERNS = {what: re.compile(pattern, re.IGNORECASE) for what, pattern in RULES.items()}


def find_rules(text: str) -> set[str]:
    """Find what looks like a rule of the game in a script; comments do not count."""
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
    return {what for what, pattern in PATTERNS.items() if pattern.search(code)}


def test_no_rule_is_written_in_typescript() -> None:
    scripts = [path for path in SOURCES.rglob("*.ts*") if path.suffix in (".ts", ".tsx") and "test" not in path.name]
    assert len(scripts) >= 4
    rules_by_path = {str(path.relative_to(ROOT)): find_rules(path.read_text(encoding="utf-8")) for path in scripts}
    assert {path: rules for path, rules in rules_by_path.items() if rules} == {}


@pytest.mark.parametrize(
    ("script", "rule"),
    [
        ("if (row.category === 'full_house') return 6;", "a category of rows"),
        ("return top > middle ? 'top_beats_middle' : null", "a reason of a foul"),
        ("const TOP = { QQ: 7, KK: 8, AA: 9 };", "a row of a royalty table"),
        ("const royalties = { straight: 2, flush: 4 };", "royalties as numbers"),
        ("if (board.top > board.middle) foul();", "a comparison of rows"),
        ("export function isFoul(board: Board): boolean {", "a function that scores"),
        ("if (ruleset.name === 'deuce-to-seven') low = true;", "a preset"),
        ('const ORDER = "23456789TJQKA";', "the order of ranks"),
    ],
)
def test_rules_in_typescript_are_found(script: str, rule: str) -> None:
    assert rule in find_rules(script)
    assert find_rules(f"// {script}\n/* {script} */") == set()


# --- the substitute of orjson ---


@pytest.fixture(scope="module")
def substitute() -> Any:
    spec = spec_from_file_location("orjson_substitute", SUBSTITUTES["orjson.py"])
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "value",
    [{"b": 1, "a": [None, True, 2.5, "é😀"]}, [], {}, 'a"b\\c\n\u2028', 0, -(2**63), 1e300, {"é": {"b": 1, "a": 2}}],
)
def test_the_substitute_of_orjson_encodes_as_orjson(substitute: Any, value: object) -> None:
    assert substitute.dumps(value) == orjson.dumps(value)
    ordered = substitute.dumps(value, option=substitute.OPT_SORT_KEYS)
    assert ordered == orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    assert substitute.loads(ordered) == orjson.loads(ordered) == value


@pytest.mark.parametrize(
    "text", [b"", b"{", b"NaN", b"[1,]", b"\xff", b"\xef\xbb\xbf1", b"1 2", b"[" * 100_000, b"Infinity"]
)
def test_the_substitute_of_orjson_refuses_what_orjson_refuses(substitute: Any, text: bytes) -> None:
    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(text)
    with pytest.raises(substitute.JSONDecodeError):
        substitute.loads(text)


@pytest.mark.parametrize("value", [1 << 64, "\ud800", object(), {1: 2}])
def test_the_substitute_of_orjson_may_encode_more_but_never_otherwise(substitute: Any, value: object) -> None:
    with pytest.raises(orjson.JSONEncodeError):
        orjson.dumps(value)
    try:
        encoded = substitute.dumps(value)
    except substitute.JSONEncodeError:
        return
    assert json.loads(encoded) in (value, {"1": 2})


def test_the_substitute_of_orjson_refuses_numbers_that_are_no_json(substitute: Any) -> None:
    with pytest.raises(substitute.JSONEncodeError):
        substitute.dumps(math.inf)
