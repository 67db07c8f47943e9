"""Every golden case comes out as worked out by hand, and every heading of the rules has one."""

import re
from pathlib import Path

import pytest
import yaml

from tests.support.scoring.golden_cases import FOLDER, Case, compare, load_cases

ROOT = Path(__file__).parents[2]
RULES = ROOT / "docs" / "rules.md"
CASES = load_cases()


def headings() -> list[str]:
    """The anchors of every heading below the title, as they are linked to."""
    titles = re.findall(r"^##+ (.+)$", RULES.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles]


@pytest.mark.parametrize("case", [pytest.param(case, id=f"{case.file}: {case.title}") for case in CASES])
def test_a_golden_case_comes_out_as_worked_out_by_hand(case: Case) -> None:
    compared = list(compare(case))
    assert any(expected is not None for _, expected, _ in compared), f"{case.title}: nothing is expected"
    wrong = [
        f"  {what}: expected {expected!r}, found {value!r}" for what, expected, value in compared if expected != value
    ]
    assert not wrong, "\n".join([f"{case.file}, «{case.title}»:", *wrong])


def test_every_heading_of_the_rules_has_a_golden_case() -> None:
    shown = {rule for case in CASES for rule in case.rules}
    assert shown == set(headings())


def test_every_heading_of_the_rules_is_cited_once() -> None:
    assert len(headings()) == len(set(headings()))


def test_every_rule_that_the_code_or_the_documentation_cites_is_a_heading() -> None:
    files = [
        path for part in ("scoring", "evidence", "schemas", "service", "client") for path in (ROOT / part).rglob("*.py")
    ]
    files += [path for path in (ROOT / "docs").rglob("*.md") if path != RULES]
    cited = {
        (anchor, path.relative_to(ROOT).as_posix())
        for path in files
        for anchor in re.findall(r"rules\.md#([a-z0-9-]+)", path.read_text(encoding="utf-8"))
    }
    cited |= {
        (anchor, "docs/rules.md") for anchor in re.findall(r"\]\(#([a-z0-9-]+)\)", RULES.read_text(encoding="utf-8"))
    }
    assert cited
    assert not {(anchor, path) for anchor, path in cited if anchor not in headings()}


def test_every_title_is_unique() -> None:
    titles = [case.title for case in CASES]
    assert sorted(titles) == sorted(set(titles))


def test_the_case_in_the_readme_has_the_printed_result() -> None:
    description = (FOLDER / "README.md").read_text(encoding="utf-8")
    shown = Case("README.md", yaml.safe_load(description.partition("```yaml\n")[2].partition("```")[0]), {})
    assert [check for check in compare(shown) if check[1] != check[2]] == []


def test_a_case_that_expects_something_else_is_noticed() -> None:
    hand = {1: "AhKd9c / JsJd8c5h2c / AsAdTcTh4s", 2: "KsQd7h / 9s9d6c4h3c / KcKh8s8h5c"}
    content = {"title": "", "rules": [], "ruleset": "pineapple", "hand": hand}
    for expect, differs in (({"1-2": {"points": 6}}, False), ({"1-2": {"points": 5}}, True)):
        compared = compare(Case("", {**content, "expect": expect}, {}))
        assert any(expected != value for _, expected, value in compared) is differs
    refused = [{"code": "card-twice", "at": "#/players/1/top/0"}]
    assert ("refused", refused, None) in list(compare(Case("", {**content, "refused": refused}, {})))
