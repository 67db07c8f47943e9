"""Links of the documents lead somewhere, and the tests, modules and decisions that they name exist."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.smoke

ROOT = Path(__file__).parents[2]
NAMED = re.compile(r"`((?:[\w./]*/)?test_\w+\.py)?(?:::(test_\w+))?`")
"""A file of tests, a test in it, or a further test in the file that was named last."""


DOCUMENTS = [
    *ROOT.glob("*.md"),
    *(path for folder in ("docs", "examples", "tests") for path in (ROOT / folder).rglob("*.md")),
]
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def list_anchors(document: Path) -> set[str]:
    """Return the anchors of a document's headings, as GitHub builds them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", document.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_of_a_document_leads_to_a_file_and_a_heading(document: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        if link.startswith("https://"):
            continue
        file, _, anchor = link.partition("#")
        target = document.parent / file if file else document
        assert target.exists(), link
        assert not anchor or anchor in list_anchors(target), link


def test_the_commands_of_all_documents_use_the_same_variables() -> None:
    """A reader sets the address and the key once, for the commands of every page."""
    used = {
        name for document in DOCUMENTS for name in re.findall(r"\$\{?(OFC_\w+)", document.read_text(encoding="utf-8"))
    }
    assert used == {"OFC_URL", "OFC_API_KEY", "OFC_BACKUP_URL", "OFC_RESTORE_URL"}


def test_the_list_of_decisions_names_each() -> None:
    folder = ROOT / "docs" / "decisions"
    text = (folder / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[(\d{4})\]\((.+?)\) \| (.+) \|$", text, re.MULTILINE)
    for number, file, title in listed:
        assert file.startswith(number)
        assert (folder / file).read_text(encoding="utf-8").startswith(f"# {title}\n")
    assert [file for _, file, _ in listed] == sorted(path.name for path in folder.glob("[0-9]*.md"))


def find_test(name: str) -> Path:
    [file] = (ROOT / "tests" / "service").rglob(name)
    return file


def test_the_readme_describes_every_support_module() -> None:
    text = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")
    modules = {path.name for path in (ROOT / "tests" / "support").rglob("*.py")} - {"__init__.py"}
    assert set(re.findall(r"^\| `(\w+\.py)` \|", text, re.MULTILINE)) == modules


@pytest.mark.parametrize("document", ["correctness.md", "security.md"])
def test_every_test_that_a_document_names_is_there(document: str) -> None:
    named = 0
    for line in (ROOT / "docs" / document).read_text(encoding="utf-8").splitlines():
        file = None
        for path, test in NAMED.findall(line):
            if not (path or test):
                continue
            if path:
                file = ROOT / path if path.startswith("tests/") else find_test(path)
            assert file is not None, line
            assert file.is_file(), f"{path} in {line}"
            assert not test or f"\ndef {test}(" in file.read_text(encoding="utf-8"), f"{test} in {line}"
            named += 1
    assert named > 10


def test_every_guarantee_has_a_test_that_shows_it() -> None:
    table = (ROOT / "docs" / "correctness.md").read_text(encoding="utf-8").split("\n\n")[2]
    _heading, _line, *rows = table.splitlines()
    assert len(rows) > 30
    assert [row for row in rows if not NAMED.search(row.split(" | ")[-1]) or len(row.split(" | ")) != 4] == []
