"""What the documents say of findings."""

from pathlib import Path

from service.replays.findings import MEANS, FindingKind

DOCUMENTED = Path(__file__).parents[3] / "docs" / "evidence.md"


def test_every_kind_of_finding_is_explained() -> None:
    assert set(MEANS) == set(FindingKind)
    documented = DOCUMENTED.read_text()
    for kind, means in MEANS.items():
        assert f"| `{kind}` | {means} |" in documented
