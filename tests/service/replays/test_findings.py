"""What the documents say of findings, and of what is compared."""

from pathlib import Path

from service.replays.comparing import AUDITED, UNAUDITED
from service.replays.findings import MEANS, FindingKind

DOCUMENTED = Path(__file__).parents[3] / "docs" / "evidence.md"


def test_every_kind_of_finding_is_explained() -> None:
    assert set(MEANS) == set(FindingKind)
    documented = DOCUMENTED.read_text()
    for kind, means in MEANS.items():
        assert f"| `{kind}` | {means} |" in documented


def test_the_docs_list_what_every_column_is_compared_with() -> None:
    documented = DOCUMENTED.read_text()
    for name, table in AUDITED.items():
        cells = [", ".join(columns) for columns in (table.key, table.event, table.played, table.bytes + table.tree)]
        line = f"| `{name}` | {' | '.join(cells)} | {', '.join(table.free)} |"
        assert line in documented, line
    for name, why in UNAUDITED.items():
        assert f"- `{name}`: {why}." in documented, name
