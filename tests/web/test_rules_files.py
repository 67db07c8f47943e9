"""The files of the rules for browsers: compiled from the server's, the same at each build; no rule in TypeScript."""

import _imp
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
from web.rules.build import (
    ADAPTER,
    ARCHIVE,
    LIBRARY,
    MANIFEST,
    PACKAGES,
    PYODIDE,
    SUBSTITUTES,
    compile_files,
    list_files,
    pack,
)

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "web" / "src"


def test_the_archives_are_the_same_at_every_build(built_rules: Path, tmp_path: Path) -> None:
    archives = [(built_rules / name).read_bytes() for name in (ARCHIVE, LIBRARY)]
    compiled = compile_files(list_files(), tmp_path)
    assert [pack(files) for files in compiled] == archives
    assert [pack(dict(reversed(files.items()))) for files in compiled] == archives


def is_compiled_from(compiled: bytes, source: bytes) -> bool:
    """Return whether the header of a compiled file has the hash of a source, with which Python compares them."""
    return compiled[8:16] == _imp.source_hash(int.from_bytes(compiled[:4], "little"), source)


def test_the_archive_has_the_files_that_the_server_imports(built_rules: Path) -> None:
    with ZipFile(built_rules / ARCHIVE) as archive:
        packed = {name.removesuffix("c"): archive.read(name) for name in archive.namelist() if name.endswith(".pyc")}
        others = {name for name in archive.namelist() if not name.endswith(".pyc")}
    own = {name for name in packed if name.partition("/")[0] in ("client", "scoring", "schemas", "evidence")}
    assert {"scoring/round.py", "scoring/settlement.py", "schemas/next_hand.py", "schemas/hands.py"} <= own
    assert {name for name in own if name.startswith("client/")} == {
        *("client/__init__.py", "client/errors.py", "client/spelling.py"),
        *("client/offline/__init__.py", "client/offline/card_text.py", "client/offline/typed_board.py"),
    }
    for name in own:
        assert is_compiled_from(packed[name], (ROOT / name).read_bytes()), name
    assert not is_compiled_from(packed["scoring/round.py"], (ROOT / "scoring/score.py").read_bytes())
    for module in (scoring.round, schemas.next_hand):
        path = Path(str(module.__file__))
        assert is_compiled_from(packed[path.relative_to(ROOT).as_posix()], path.read_bytes())
    for package in PACKAGES:
        files = [name for name in packed if name.startswith(f"{package}/")]
        assert len(files) > 10
        for name in files:
            assert is_compiled_from(packed[name], Path(str(distribution(package).locate_file(name))).read_bytes()), name
    assert {name for name in packed if name not in own and not name.startswith(PACKAGES)} == {ADAPTER, *SUBSTITUTES}
    assert is_compiled_from(packed[ADAPTER], (ROOT / "web" / "rules" / "adapter.py").read_bytes())
    assert all(".dist-info/" in name for name in others)


def test_the_standard_library_has_what_the_rules_need_and_little_else(built_rules: Path) -> None:
    with ZipFile(built_rules / LIBRARY) as library, ZipFile(PYODIDE / LIBRARY) as whole:
        names = {name.removesuffix("c") for name in library.namelist()}
        assert {"json/__init__.py", "dataclasses.py", "_strptime.py"} <= names <= set(whole.namelist())
        assert not {"unittest/__init__.py", "pdb.py", "tkinter/__init__.py", "http/client.py"} & names
        for name in names:
            assert is_compiled_from(library.read(f"{name}c"), whole.read(name)), name


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
